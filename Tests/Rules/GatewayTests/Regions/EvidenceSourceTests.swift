import TestAir
import Testing

@testable import Core

@Suite("Sight and proof belong to a source of evidence")
struct EvidenceSourceTests {
    private var monitor = RegionMonitor(limits: RegionLimits(maxRegions: 2, maxInstances: 2))
    private let first: EvidenceSourceID
    private let second: EvidenceSourceID
    private var transitions: [RegionTransition] = []

    /// Two regions that are inside since the origin: "first" and "second", each by its own source.
    init() throws {
        first = monitor.addSource(canProbe: true)
        second = monitor.addSource(canProbe: false)
        var rules = BeaconRules.defaults
        rules.settle = .zero
        for (major, id, source) in [(UInt16(1), "first", first), (2, "second", second)] {
            let region = BeaconRegion(id: id, uuid: Air.uuid, major: major, rules: rules)
            try monitor.register(region, heardBy: source, at: .origin, transitions: &transitions)
            let slot = try #require(monitor.instances.slot(of: RegionInstanceID(region: id)))
            let evidence = BeaconEvidence(
                transmitter: TransmitterSlot(number: UInt32(major)), identity: .beacon(major, 1), level: nil,
                patience: .none)
            monitor.receive(evidence, in: slot, at: .origin, transitions: &transitions) { _ in
                .undetermined(rssi_dbm: nil)
            }
        }
        transitions = []
    }

    private mutating func advance(to seconds: Double) -> [String] {
        while monitor.advance(before: .origin + .seconds(seconds), transitions: &transitions) != nil {}
        defer { transitions = [] }
        return transitions.map { "\($0.state) \($0.instance.region) \(Story.tenths(($0.at - .origin).seconds))" }
    }

    @Test("A blind source freezes its own instances and no others")
    mutating func blindness() {
        monitor.blinded(first, since: .origin + .seconds(5), at: .origin + .seconds(5))
        #expect(advance(to: 30) == ["outside second 20.0"])
        monitor.sees(first, at: .origin + .seconds(30))
        monitor.proved(first, at: .origin + .seconds(45))
        #expect(advance(to: 60) == ["outside first 45.0"])
    }

    @Test("States become unknown where their own source is blind for long")
    mutating func unknown() {
        monitor.blinded(first, since: .origin + .seconds(5), at: .origin + .seconds(5))
        #expect(advance(to: 100) == ["outside second 20.0", "unknown first 65.0"])
    }

    @Test("A timer waits for the proof of its own source")
    mutating func proof() {
        monitor.proved(second, at: .origin + .seconds(30))
        #expect(advance(to: 30) == ["outside second 20.0"])
        #expect(monitor.isAwaitingProof(first) && !monitor.isAwaitingProof(second))
        monitor.proved(first, at: .origin + .seconds(30))
        #expect(advance(to: 40) == ["outside first 30.0"])
    }
}
