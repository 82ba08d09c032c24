import Gateway
import HCI
import Regions
import Testing

@testable import Daemon
@testable import beacond

@Suite("Events that come shortly after each other share a transaction")
struct CommitGroupTests {
    private func transition(_ region: String) -> GatewayOutput {
        .transition(
            RegionTransition(instance: RegionInstanceID(region: region), state: .inside, since: .origin, at: .origin),
            record: nil)
    }

    private func ranging(_ region: String) -> GatewayOutput {
        .ranging(RangingReport(instance: RegionInstanceID(region: region), at: .origin, count: 0, beacons: []))
    }

    private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(1_000 + milliseconds) }

    @Test("What comes after a pause is committed at once")
    func noDelayAfterPause() {
        var group = CommitGroup()
        group.add([transition("a")])
        #expect(group.take(isLast: false, at: at(0)).count == 1)
    }

    @Test("What comes within 50 ms of a transaction waits for the next, together")
    func grouped() {
        var group = CommitGroup()
        group.add([transition("a")])
        _ = group.take(isLast: false, at: at(0))
        group.add([transition("b")])
        #expect(group.take(isLast: false, at: at(10)).isEmpty)
        group.add([ranging("b"), transition("c")])
        #expect(group.due == at(50))
        #expect(group.take(isLast: false, at: at(49)).isEmpty)
        #expect(group.take(isLast: false, at: at(50)) == [transition("b"), ranging("b"), transition("c")])
    }

    @Test("Ranging, which never touches the disk, waits for nothing of its own")
    func rangingIsNotDelayed() {
        var group = CommitGroup()
        group.add([transition("a")])
        _ = group.take(isLast: false, at: at(0))
        group.add([ranging("a")])
        #expect(group.take(isLast: false, at: at(1)) == [ranging("a")])
    }

    @Test("What is last waits for nothing")
    func lastIsTaken() {
        var group = CommitGroup()
        group.add([transition("a")])
        _ = group.take(isLast: false, at: at(0))
        group.add([transition("b")])
        #expect(group.take(isLast: true, at: at(1)) == [transition("b")])
    }
}
