import HCI
import Testing

@testable import Regions

@Suite("An instance goes by evidence, of whatever kind its region is")
struct RegionInstanceTests {
    private func instance(onEntry: Bool = true, onExit: Bool = true, settling: Bool = false) -> RegionInstance {
        var instance = RegionInstance(
            id: RegionInstanceID(region: "depot"), registration: RegistrationSlot(index: 0),
            source: EvidenceSourceID(index: 0), notices: .init(onEntry: onEntry, onExit: onExit),
            kind: .beacon(.nobody), at: .origin)
        _ = instance.begin(isSettling: settling, isBlind: false, at: .origin)
        return instance
    }

    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    @Test("Where only evidence of the outside ends a stay, silence never does, and the stay is as long as was seen")
    func positiveEvidence() {
        var instance = instance()
        #expect(instance.inside(since: at(10), at: at(20))?.crossing == .enter)
        #expect(instance.presence?.leavesAt == .distantFuture)
        #expect(instance.inside(since: at(20), at: at(100)) == nil)
        let stay = RegionStay(enteredAt: at(10), lastHeardAt: at(100))
        #expect(instance.outside(at: at(130)) == .init(state: .outside, since: at(130), crossing: .exit(stay)))
    }

    @Test("Who is inside before it has settled has not entered, and the stay is partial")
    func settling() {
        var instance = instance(settling: true)
        #expect(
            instance.inside(since: at(1), at: at(2)) == .init(state: .inside, since: at(1), crossing: nil))
        #expect(instance.presence?.beginning == .partial)
    }

    @Test("Crossings that nobody wants to know of change the state alone")
    func notices() {
        var instance = instance(onEntry: false, onExit: false)
        #expect(instance.inside(since: at(1), at: at(1)) == .init(state: .inside, since: at(1), crossing: nil))
        #expect(instance.outside(at: at(2)) == .init(state: .outside, since: at(2), crossing: nil))
    }

    @Test("Unknown ends no stay: heard again it goes on since its entry, and no boundary was crossed")
    func unknown() {
        var instance = instance()
        _ = instance.inside(since: at(1), at: at(1))
        #expect(instance.unknown(at: at(70)) == .init(state: .unknown, since: at(70), crossing: nil))
        #expect(instance.unknown(at: at(80)) == nil)
        #expect(instance.heard(until: at(120), at: at(90)) == .init(state: .inside, since: at(1), crossing: nil))
    }

    @Test("Nothing was heard since the start: the exit is inferred")
    func inferred() {
        var instance = instance()
        let keeper = BeaconKeeper(major: 1, minor: 2, rssi_dbm: nil)
        let stay = RegionRecord.OpenStay(enteredAt: at(1), lastHeardAt: at(5), keeper: .beacon(keeper))
        _ = instance.restore(stay, until: at(20))
        guard case .exit(let ended) = instance.outside(at: at(20))?.crossing else {
            Issue.record("no exit")
            return
        }
        #expect(ended.ending == .inferred && ended.dwell == .seconds(4))
    }
}
