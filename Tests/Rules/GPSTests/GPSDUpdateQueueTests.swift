import Testing

@testable import Agent
@testable import Core

@Suite("The queue of gpsd's news")
struct GPSDUpdateQueueTests {
    private var queue = GPSDUpdateQueue()

    private func report(_ number: Int) -> GPSDUpdate {
        let report = FixReport(mode: 1, at: nil, latitude: nil, longitude: nil)
        return .report(DeviceReport(device: "\(number)", report: report), at: .origin)
    }

    @Test("Only the first item wakes the reader")
    mutating func wakes() {
        #expect(queue.push(report(1)) == true)
        #expect(queue.push(report(2)) == false)
        #expect(queue.take() == [report(1), report(2)])
        #expect(queue.push(report(3)) == true)
    }

    @Test("A full queue loses the oldest reports, and no lasting changes")
    mutating func limit() {
        _ = queue.push(.devices(["a"]))
        for number in 0..<GPSDUpdateQueue.limit + 10 { _ = queue.push(report(number)) }
        #expect(queue.count == GPSDUpdateQueue.limit)
        #expect(queue.dropped == 11)
        let news = queue.take()
        #expect(news.first == .devices(["a"]))
        #expect(news.dropFirst().first == report(11))
    }

    @Test("A full queue without reports loses its oldest item")
    mutating func bounded() {
        for number in 0..<GPSDUpdateQueue.limit + 1 { _ = queue.push(.devices(["\(number)"])) }
        #expect(queue.count == GPSDUpdateQueue.limit)
        #expect(queue.take().first == .devices(["1"]))
    }
}
