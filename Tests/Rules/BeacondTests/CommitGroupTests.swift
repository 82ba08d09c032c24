import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("An event is committed at once, unless there are many: then they share transactions")
struct CommitGroupTests {
    private func transition(_ region: String) -> GatewayOutput {
        .transition(
            RegionTransition(instance: RegionInstanceID(region: region), state: .inside, since: .origin, at: .origin),
            record: nil)
    }

    private func ranging(_ region: String) -> GatewayOutput {
        .message(
            RangingReport(instance: RegionInstanceID(region: region), at: .origin, count: 0, beacons: []), at: .origin)
    }

    /// Returns a group that has used up its burst by `at(0)`.
    private func busyGroup() -> CommitGroup {
        var group = CommitGroup()
        for _ in 0..<CommitGroup.burst {
            group.add([transition("a")], at: at(0))
            _ = group.take(isLast: false, at: at(0))
        }
        return group
    }

    private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(1_000 + milliseconds) }

    @Test("An event after a pause is committed at once")
    func noDelayAfterPause() {
        var group = CommitGroup()
        group.add([transition("a")], at: at(0))
        #expect(group.take(isLast: false, at: at(0)).count == 1)
    }

    @Test("A few events within 50 ms of each other are each committed at once")
    func noDelayOfAFew() {
        var group = CommitGroup()
        for number in 0..<CommitGroup.burst {
            group.add([transition("a")], at: at(0))
            #expect(group.take(isLast: false, at: at(number)).count == 1)
        }
        group.add([transition("b")], at: at(0))
        #expect(group.take(isLast: false, at: at(CommitGroup.burst)).isEmpty)
    }

    @Test("However many events come, there are at most 20 transactions a second in the long run")
    func boundedRate() {
        var group = CommitGroup()
        var transactions: Int64 = 0
        for millisecond in 0..<Int64(10_000) {
            group.add([transition("a")], at: at(0))
            if !group.take(isLast: false, at: at(millisecond)).isEmpty { transactions += 1 }
        }
        #expect(transactions <= 200 + CommitGroup.burst)
    }

    @Test("After too many, events within 50 ms of a transaction share the next one")
    func grouped() {
        var group = busyGroup()
        group.add([transition("b")], at: at(0))
        #expect(group.take(isLast: false, at: at(10)).isEmpty)
        group.add([ranging("b"), transition("c")], at: at(0))
        #expect(group.due == at(50))
        #expect(group.take(isLast: false, at: at(49)).isEmpty)
        #expect(group.take(isLast: false, at: at(50)) == [transition("b"), ranging("b"), transition("c")])
    }

    @Test("Ranging never touches the disk and never waits")
    func rangingIsNotDelayed() {
        var group = busyGroup()
        group.add([ranging("a")], at: at(0))
        #expect(group.take(isLast: false, at: at(1)) == [ranging("a")])
    }

    @Test("The last output waits for nothing")
    func lastIsTaken() {
        var group = busyGroup()
        group.add([transition("b")], at: at(0))
        #expect(group.take(isLast: true, at: at(1)) == [transition("b")])
    }

    @Test("Stays are stored before the next event, or after 10 s; no other output waits for them")
    func staysWait() {
        let stays = GatewayOutput.stays([])
        var group = CommitGroup()
        group.add([stays], at: at(0))
        #expect(group.take(isLast: false, at: at(9_999)).isEmpty)
        #expect(group.due == at(10_000))
        group.add([ranging("a")], at: at(9_999))
        #expect(group.take(isLast: false, at: at(9_999)) == [ranging("a")])
        #expect(group.take(isLast: false, at: at(10_000)) == [stays])
        group.add([stays, transition("a")], at: at(11_000))
        #expect(group.take(isLast: false, at: at(11_000)) == [stays, transition("a")])
        group.add([stays], at: at(12_000))
        #expect(group.take(isLast: true, at: at(12_000)) == [stays])
        #expect(group.due == .distantFuture)
    }
}
