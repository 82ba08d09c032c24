import TestAir
import Testing

@testable import Core

@Suite("A measured power above −20 dBm or below −100 dBm gives no distance, and the beacon is named")
struct ImplausiblePowerTests {
    /// Returns the story of one beacon that is heard from 1 to 5 s, in the region "door".
    private func story(_ powers_dbm: [Int8], configured_dbm: Int8? = nil) -> Story {
        var air = Air(othersUntil_s: 60)
        for step in 0..<40 {
            air.beacon(
                .beacon(), from: .fixed(1), power_dbm: powers_dbm[step % powers_dbm.count], at: 1 + Double(step) / 10)
        }
        return Story(.door { $1.measuredPower_dbm = configured_dbm }, air)
    }

    private func lists(_ story: Story) -> [RangedBeacon] { story.ranging.flatMap(\.report.beacons) }

    @Test("Its distance and proximity are unknown, and its visit does not change", arguments: [-3, 0, 58, -19, -101])
    func unknown(power_dbm: Int8) throws {
        let story = story([power_dbm])
        #expect(lists(story).contains { $0.observation.rssi_dbm != nil })
        #expect(lists(story).holdForAll { $0.observation.accuracy_m == -1 && $0.observation.proximity == .unknown })
        #expect(lists(story).holdForAll { $0.measuredPower_dbm == power_dbm })
        #expect(story.events == self.story([-59]).events)
        #expect(story.stay() == self.story([-59]).stay())
    }

    @Test("The ends of the plausible range give a distance, and no beacon is named", arguments: [-20, -100])
    func plausible(power_dbm: Int8) {
        let story = story([power_dbm], configured_dbm: -59)
        #expect(lists(story).contains { $0.observation.accuracy_m > 0 })
        #expect(lists(story).map(\.observation) == lists(self.story([power_dbm])).map(\.observation))
        #expect(story.figures.implausiblePowers.isEmpty)
    }

    @Test("The region's measured_power_dbm stands in for an implausible one, in its lists and events")
    func configured() throws {
        let story = story([-3], configured_dbm: -59)
        let right = self.story([-59])
        #expect(lists(story).map(\.observation) == lists(right).map(\.observation))
        let events = story.transitions.compactMap(\.transition.event)
        #expect(events == right.transitions.compactMap(\.transition.event))
        #expect(!events.isEmpty)
    }

    @Test("Health names a beacon once, with the first implausible power that it stated")
    func named() {
        let story = story([-3, -59, 58])
        #expect(
            story.figures.implausiblePowers == [ImplausiblePower(identity: .beacon(), measuredPower_dbm: -3)])
    }

    @Test("The log names a beacon once, with the remedy, or the value that is used in its place")
    func logged() {
        func notices(_ configured_dbm: Int8?) -> [String] {
            var outputs: [GatewayOutput] = []
            var engine = GatewayEngine(
                .door { $1.measuredPower_dbm = configured_dbm }, radioSees: true, at: .origin, outputs: &outputs)
            for step in 0..<20 {
                engine.receive(
                    Air.event(.beacon(7, 8), power_dbm: -3).span, at: .origin + .seconds(Double(step)),
                    outputs: &outputs)
            }
            return outputs.compactMap { if case .notice(let notice, at: _) = $0 { "\(notice)" } else { nil } }
        }
        let stated = "region \"door\": beacon 7/8 states a measured power of -3 dBm, which cannot be; "
        #expect(
            notices(nil) == [
                stated + "its distance is unknown: correct the beacon, or set measured_power_dbm in its [[region]]"
            ])
        #expect(notices(-59) == [stated + "measured_power_dbm = -59 of the region is used"])
    }

    @Test("Health and log name 32 beacons, and none of a stranger")
    func limit() {
        var air = Air()
        air.beacon(.beacon(uuid: ProximityUUID(high: 5, low: 5)), from: .fixed(900), power_dbm: -3, at: 0.5)
        for number in 1...40 {
            air.beacon(.beacon(1, UInt16(number)), from: .fixed(UInt64(number)), power_dbm: 0, at: Double(number))
        }
        let named = Story(.door(), air).figures.implausiblePowers
        #expect(named.map(\.identity.minor) == Array(1...32))
    }
}
