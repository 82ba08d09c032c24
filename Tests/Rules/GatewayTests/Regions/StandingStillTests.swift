import Foundation
import TestAir
import Testing

@testable import Core

@Suite("A beacon that stands still")
struct StandingStillTests {
    /// Returns an hour of beacons at rest, one for each level, in fading that passers-by change slowly: a level is
    /// forgotten within a minute. Of three packets a second, 30 % get lost.
    ///
    /// The depth of the fading comes from recordings of beacons in a room with people (rooms, means of 5 s, standard
    /// deviation within one stay). It is 0.1 to 2.9 dB, half of them below 0.9 dB and three in four below 1.8 dB. The
    /// 30 % of loss and the minute are not from recordings.
    ///
    /// - Parameter steady: the ratio of the steady part of the field to the fading part, the K of Rician fading. With
    ///   16 the level wanders by 1.5 dB, with 4 by 3 dB.
    private func anHour(levels_dbm: [Double], steady: Double = 16) -> Air {
        var air = Air()
        var generator = SplitMix64(state: 17)
        air.otherDevices(every_s: 2, end_s: 3_600)
        for (index, level_dbm) in levels_dbm.enumerated() {
            let identity = BeaconIdentity.beacon(1, UInt16(index))
            // Two independent halves of a Rayleigh field beside a steady one.
            let constant = (2 * steady).squareRoot()
            var field = (0.0, 0.0)
            for step in 0..<10_800 {
                field = (0.995 * field.0 + generator.normal() * 0.1, 0.995 * field.1 + generator.normal() * 0.1)
                let power =
                    ((constant + field.0) * (constant + field.0) + field.1 * field.1) / (2 * steady + 2)
                let rssi_dbm = level_dbm + 10 * log10(max(power, 1e-6)) + 0.7 * generator.normal()
                guard Double.random(in: 0..<1, using: &generator) >= 0.3, rssi_dbm > -105 else { continue }
                air.beacon(
                    identity, from: .fixed(UInt64(index + 1)), rssi_dbm: Int8(min(20, rssi_dbm.rounded())),
                    at: Double(step) / 3)
            }
        }
        return air
    }

    private func events(_ air: Air, entry_dbm: Double, exit_dbm: Double) -> [String] {
        let settings = GatewaySettings.door { _, region in
            region.expansion = .minor
            region.rules = BeaconRules.defaults
            region.rules.entryRSSI_dbm = entry_dbm
            region.rules.exitRSSI_dbm = exit_dbm
        }
        return Story(settings, air, until_s: 3_600).events
    }

    @Test("At any audible level, through fading and loss, no event comes in an hour")
    func withoutThresholds() {
        #expect(events(anHour(levels_dbm: [-97, -90, -80, -70, -60, -45]), entry_dbm: -127, exit_dbm: -127).isEmpty)
    }

    @Test("With a cushion of 10 dB neither, except that one just below the entry threshold may enter, once")
    func withThresholds() {
        let levels = [-95.0, -88, -84, -80, -76, -64, -60, -50]
        #expect(events(anHour(levels_dbm: levels), entry_dbm: -70, exit_dbm: -80).isEmpty)
        let atThreshold = events(anHour(levels_dbm: [-72, -71, -70, -69]), entry_dbm: -70, exit_dbm: -80)
        #expect(atThreshold.count <= 4 && atThreshold.holdForAll { $0.hasPrefix("enter") })
    }

    @Test("In fading twice as deep neither; only a beacon near the cushion seems to come and go")
    func deepFading() {
        let levels = [-95.0, -90, -86, -82, -80, -58, -54, -50]
        #expect(events(anHour(levels_dbm: levels, steady: 4), entry_dbm: -70, exit_dbm: -80).isEmpty)
        let audible = [-90.0, -80, -70, -60, -45]
        #expect(events(anHour(levels_dbm: audible, steady: 4), entry_dbm: -127, exit_dbm: -127).isEmpty)
    }
}

extension SplitMix64 {
    /// Mean 0, variance 1 (Irwin–Hall).
    fileprivate mutating func normal() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + .random(in: 0..<1, using: &self) }
    }
}
