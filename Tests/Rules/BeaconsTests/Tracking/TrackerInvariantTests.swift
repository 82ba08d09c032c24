import Testing

@testable import Core

@Suite("The parts of the tracker agree with each other after any reports")
struct TrackerInvariantTests {
    /// A small table that is full most of the time, with few identities, so that all rules interact.
    private struct Room {
        var tracker = BeaconTracker(
            TrackerSettings(
                maxTransmitters: 12, unknownAfter: .seconds(2), resolveAfter: .seconds(10),
                distanceFilter: FilterSettings(kind: .kalman, timeConstant_s: 3),
                regionFilter: FilterSettings(kind: .ewma, timeConstant_s: 2.5), devices: []),
            distance: DistanceSettings(model: .indoor, pathLossExponent: 2, immediate_m: 0.5, near_m: 4, hysteresis: 0))
        var now = Instant.origin
        var state: UInt64
        var changes: [TrackerChange] = []

        init(seed: UInt64) { state = seed }

        /// Returns a number below `bound`, equal for equal seeds.
        mutating func draw(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }

        mutating func hear() {
            let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: UInt16(draw(3)))
            // Some addresses rotate, some do not.
            let kind: UInt64 = draw(4) == 0 ? 0b11 : 0b00
            let address = DeviceAddress(bits: kind << 46 | draw(12), type: .random)
            let sighting = Sighting(
                identity: identity, address: address, measuredPower_dbm: -59, rssi_dbm: -50 - Double(draw(40)))
            let interests: [RegionInterest] = [.none, .wanted, .known]
            let interest = interests[Int(identity.minor)]
            tracker.heardAnything(at: now)
            _ = tracker.receive(sighting, at: now, interest: { _ in interest }, changes: &changes)
        }

        mutating func pass() {
            let spans: [TimeSpan] = [.milliseconds(100), .seconds(1), .seconds(3), .seconds(11), .seconds(1_000)]
            // Mostly short ones.
            now += spans[Int(min(draw(5), draw(5), draw(5)))]
            while tracker.advance(before: now, changes: &changes) != nil {}
        }

        mutating func step() {
            switch draw(10) {
            case 0:
                let known = tracker.knownIdentities
                let interests: [RegionInterest] = [.none, .wanted, .known]
                if let identity = known.first { tracker.setInterest(interests[Int(draw(3))], identity) }
            case 1...3: pass()
            default: hear()
            }
        }
    }

    @Test("Lists, counts, timers and indices agree after every step", arguments: 1...8 as ClosedRange<UInt64>)
    func agree(seed: UInt64) {
        var room = Room(seed: seed)
        var mostResolving = 0
        for step in 0..<1_000 {
            room.step()
            if let broken = room.tracker.checkInvariants().first {
                Issue.record("step \(step): \(broken)")
                return
            }
            let resolving = room.tracker.table.usedSlots.count {
                room.tracker.table.transmitters[$0].trackState == .resolving
            }
            mostResolving = max(mostResolving, resolving)
        }
        // The situations to test have occurred.
        #expect(mostResolving > 0 && room.tracker.refusedCount > 0 && room.tracker.trackCount > 12)
    }

    @Test("A transmitter without a timer is detected")
    func finds() throws {
        var room = Room(seed: 1)
        for _ in 0..<20 { room.hear() }
        var (presence, table) = (room.tracker.presence, room.tracker.table)
        #expect(presence.checkInvariants(table).isEmpty)
        let slot = try #require(table.usedSlots.first { _ in true })
        presence.remove(slot, in: &table)
        #expect(presence.checkInvariants(table) == ["no timer watches the silence of a transmitter"])
    }
}
