import TestAir
import Testing

@testable import Core

@Suite("A region's state follows evidence, for any kind of region")
struct RegionStateMachineTests {
    private func standing(onEntry: Bool = true, onExit: Bool = true, settling: Bool = false) -> RegionStateMachine {
        var standing = RegionStateMachine(notices: .init(onEntry: onEntry, onExit: onExit), at: .origin)
        _ = standing.begin(isSettling: settling, isBlind: false, at: .origin)
        return standing
    }

    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    @Test("If only evidence of the outside ends a stay, silence never does, and the stay is as long as observed")
    func positiveEvidence() {
        var standing = standing()
        #expect(standing.inside(since: at(10), at: at(20))?.crossing == .enter)
        #expect(standing.presence?.leavesAt == .distantFuture)
        #expect(standing.inside(since: at(20), at: at(100)) == nil)
        let stay = RegionStay(enteredAt: at(10), lastHeardAt: at(100))
        #expect(standing.outside(at: at(130)) == .init(state: .outside, since: at(130), crossing: .exit(stay)))
    }

    @Test("An entry before the region has settled is none, and the stay is partial")
    func settling() {
        var standing = standing(settling: true)
        #expect(
            standing.inside(since: at(1), at: at(2)) == .init(state: .inside, since: at(1), crossing: nil))
        #expect(standing.presence?.beginning == .partial)
    }

    @Test("Crossings whose events are switched off change the state alone")
    func notices() {
        var standing = standing(onEntry: false, onExit: false)
        #expect(standing.inside(since: at(1), at: at(1)) == .init(state: .inside, since: at(1), crossing: nil))
        #expect(standing.outside(at: at(2)) == .init(state: .outside, since: at(2), crossing: nil))
    }

    @Test("Unknown ends no stay: with new evidence it continues from its entry, without a crossing")
    func unknown() {
        var standing = standing()
        _ = standing.inside(since: at(1), at: at(1))
        #expect(standing.unknown(at: at(70)) == .init(state: .unknown, since: at(70), crossing: nil))
        #expect(standing.unknown(at: at(80)) == nil)
        #expect(standing.heard(until: at(120), at: at(90)) == .init(state: .inside, since: at(1), crossing: nil))
    }

    @Test("Without evidence since the start the exit is inferred")
    func inferred() {
        var standing = standing()
        let keeper = BeaconKeeper(major: 1, minor: 2, rssi_dbm: nil)
        let stay = RegionRecord.OpenStay(enteredAt: at(1), lastHeardAt: at(5), keeper: keeper)
        _ = standing.restore(stay, until: at(20))
        guard case .exit(let ended) = standing.outside(at: at(20))?.crossing else {
            Issue.record("no exit")
            return
        }
        #expect(ended.ending == .inferred && ended.dwell == .seconds(4))
    }
}
