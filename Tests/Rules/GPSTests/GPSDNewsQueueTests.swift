import Testing

@testable import Agent
@testable import Core

@Suite("News of gpsd that wait")
struct GPSDNewsQueueTests {
    private var queue = GPSDNewsQueue()

    private func report(_ number: Int) -> GPSDNews {
        let report = FixReport(mode: 1, at: nil, latitude: nil, longitude: nil)
        return .report(DeviceReport(device: "\(number)", report: report), at: .origin)
    }

    @Test("Only the first of them wakes who takes them")
    mutating func wakes() {
        #expect(queue.push(report(1)) == true)
        #expect(queue.push(report(2)) == false)
        #expect(queue.take() == [report(1), report(2)])
        #expect(queue.push(report(3)) == true)
    }

    @Test("Of too many, the oldest reports are lost, and none of what changes for good")
    mutating func limit() {
        _ = queue.push(.devices(["a"]))
        for number in 0..<GPSDNewsQueue.limit + 10 { _ = queue.push(report(number)) }
        #expect(queue.count == GPSDNewsQueue.limit)
        #expect(queue.dropped == 11)
        let news = queue.take()
        #expect(news.first == .devices(["a"]))
        #expect(news.dropFirst().first == report(11))
    }

    @Test("Of nothing else the oldest is lost")
    mutating func bounded() {
        for number in 0..<GPSDNewsQueue.limit + 1 { _ = queue.push(.devices(["\(number)"])) }
        #expect(queue.count == GPSDNewsQueue.limit)
        #expect(queue.take().first == .devices(["1"]))
    }
}
