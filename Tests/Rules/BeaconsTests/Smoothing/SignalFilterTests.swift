import Testing

@testable import Core

@Suite("Properties of every RSSI filter")
struct SignalFilterTests {
    @Test("No value before the first reading, which is the value", arguments: FilterKind.allCases)
    func startsWithTheFirstReading(kind: FilterKind) {
        for scale in scales {
            var filter = SignalFilter(kind, 20, scale: scale)
            #expect(filter.value_dbm == nil)
            filter.add(-63, at: .origin)
            #expect(filter.value_dbm == -63)
        }
    }

    @Test("A constant level is returned exactly, so it still meets a threshold that it equals")
    func keepsALevelExactly() {
        for kind in FilterKind.allCases {
            for scale in scales {
                for level in -127...20 {
                    var filter = SignalFilter(kind, 2.5, scale: scale)
                    filter.add((0..<9).map { Reading(Double(level), at_s: 0.3 * Double($0)) })
                    #expect(filter.value_dbm == Double(level))
                }
            }
        }
    }

    @Test("A level meets a threshold that it equals, and every level meets the weakest")
    func thresholds() {
        for level in -127...20 {
            let level_dbm = Double(level)
            #expect(SignalLevel(rssi_dbm: level_dbm).isAtLeast(level_dbm))
            #expect(SignalLevel(rssi_dbm: level_dbm).isAtLeast(-127))
            #expect(!SignalLevel(rssi_dbm: level_dbm - 0.001).isAtLeast(level_dbm) || level == -127)
        }
    }

    @Test("The value never leaves the range of the readings", arguments: FilterKind.allCases)
    func staysWithinTheReadings(kind: FilterKind) {
        for seed in 0..<40 {
            for scale in scales {
                var filter = SignalFilter(kind, [0.5, 2.5, 20][seed % 3], scale: scale)
                var (lowest, highest) = (Double.infinity, -Double.infinity)
                let stays = irregularReadings(200, seed: seed).allSatisfy { reading in
                    filter.add(reading.rssi_dbm, at: reading.at)
                    (lowest, highest) = (min(lowest, reading.rssi_dbm), max(highest, reading.rssi_dbm))
                    let value = filter.value_dbm ?? .nan
                    return value >= lowest - 1e-6 && value <= highest + 1e-6
                }
                #expect(stays)
            }
        }
    }

    @Test("Readings of one instant may come in any order", arguments: averagingKinds)
    func equalTimesCommute(kind: FilterKind) {
        for seed in 0..<20 {
            let before = irregularReadings(30, seed: seed)
            let instant = before[29].at + .milliseconds(700)
            let together = [-50.0, -71, -64, -90].map { rssi_dbm in
                var reading = Reading(rssi_dbm, at_s: 0)
                reading.at = instant
                return reading
            }
            let filter = SignalFilter(kind, 5)
            let forward = filter.value(after: before + together)
            let backward = filter.value(after: before + together.reversed())
            #expect(abs(forward - backward) < 1e-9)
        }
    }

    @Test("ewma: twice the packets give the same answer: seconds count")
    func repeatedPacketsCountOnce() {
        for seed in 0..<20 {
            let readings = irregularReadings(60, seed: seed)
            let twice = readings.flatMap { [$0, $0] }
            let filter = SignalFilter(.ewma, 5)
            #expect(abs(filter.value(after: readings) - filter.value(after: twice)) < 1e-9)
        }
    }

    @Test("ewma: a step is followed as fast at twenty packets a second as at two")
    func speedDoesNotDependOnTheRate() {
        func value(rate_hz: Double, after_s: Double) -> Double {
            let times_s = (1...Int((20 + after_s) * rate_hz)).map { Double($0) / rate_hz }
            let readings = times_s.map { Reading($0 <= 20 ? -80 : -60, at_s: $0) }
            return SignalFilter(.ewma, 10).value(after: readings)
        }
        for after_s in [1.0, 3, 8, 12] {
            #expect(abs(value(rate_hz: 2, after_s: after_s) - value(rate_hz: 20, after_s: after_s)) < 1.5)
        }
    }

    @Test("After a long silence the new readings count, not the old ones", arguments: FilterKind.allCases)
    func longSilenceFreesTheFilter(kind: FilterKind) {
        var readings = (0..<100).map { Reading(-40, at_s: 0.1 * Double($0)) }
        readings.append(Reading(-90, at_s: 3_600))
        #expect(SignalFilter(kind, 5).value(after: readings) < -89.5)
    }

    @Test("The two filters of a transmitter take 96 bytes, and the transmitter with them 344")
    func size() {
        #expect(2 * MemoryLayout<SmoothedLevel>.stride <= 96)
        #expect(MemoryLayout<Transmitter>.stride <= 344)
    }
}
