import Testing

@testable import Agent
@testable import Core

@Suite("The recovery of a controller that does not answer")
struct RecoveryLadderTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    /// Returns the steps for a controller that is asked every second from 0 on and never answers, with their times.
    private func steps(_ ladder: inout RecoveryLadder, seconds: Range<Int>) -> [(at: Int, step: RecoveryStep)] {
        seconds.compactMap { second in
            ladder.failed(at: at(Double(second))).map { (second, $0) }
        }
    }

    @Test("The controller is asked again first, then taken down and up, then reset")
    func order() {
        var ladder = RecoveryLadder(mayAdminister: true)
        #expect(ladder.failed(at: at(7)) == nil)
        #expect(ladder.failed(at: at(11)) == .powerCycle)
        #expect(ladder.failed(at: at(15)) == .reset)
    }

    @Test("Pauses between steps double, from 4 s on")
    func pauses() {
        var ladder = RecoveryLadder(mayAdminister: true)
        let taken = steps(&ladder, seconds: 0..<130)
        #expect(taken.map(\.at) == [1, 5, 13, 29, 61, 125])
        #expect(taken.map(\.step) == [.powerCycle, .reset, .powerCycle, .reset, .powerCycle, .reset])
    }

    @Test("There are at most 8 steps in any hour, even for a controller that recovers after each and dies again")
    func hourlyLimit() {
        var ladder = RecoveryLadder(mayAdminister: true)
        var times: [Int] = []
        for second in stride(from: 0, to: 7_200, by: 10) {
            _ = ladder.failed(at: at(Double(second)))
            if ladder.failed(at: at(Double(second))) != nil { times.append(second) }
            ladder.answered()
        }
        #expect(times.filter { $0 < 3_600 } == Array(stride(from: 0, to: 80, by: 10)))
        for time in times { #expect(times.filter { (time..<time + 3_600).contains($0) }.count <= 8) }
        #expect(times.contains { $0 >= 3_600 }, "After an hour it goes on.")
    }

    @Test("After an answer, recovery begins at the lowest step again")
    func answered() {
        var ladder = RecoveryLadder(mayAdminister: true)
        _ = steps(&ladder, seconds: 0..<20)
        ladder.answered()
        #expect(ladder.failed(at: at(20)) == nil)
        #expect(ladder.failed(at: at(21)) == .powerCycle)
    }

    @Test("Without CAP_NET_ADMIN recovery ends at asking again")
    func unprivileged() {
        var ladder = RecoveryLadder(mayAdminister: false)
        #expect(steps(&ladder, seconds: 0..<7_200).isEmpty)
    }
}
