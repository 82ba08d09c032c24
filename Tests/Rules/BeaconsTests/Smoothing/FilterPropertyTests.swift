import TestAir
import Testing

@testable import Core

/// Each property holds for every kind of filter, on either scale, on random readings at random times.
@Suite("Properties of every RSSI filter")
struct FilterPropertyTests {
    private let seeds = 0..<30

    @Test("Silence never moves an estimate", arguments: FilterKind.allCases)
    func silence(kind: FilterKind) {
        for seed in seeds {
            for scale in scales {
                var filter = SignalFilter(kind, 5, scale: scale)
                filter.add(irregularReadings(40, seed: seed))
                let value = filter.value_dbm
                // A reading without an RSSI is presence, not a level.
                filter.add(.nan, at: .origin + .seconds(10_000))
                #expect(filter.value_dbm == value)
            }
        }
    }

    @Test("An estimate depends on the spans between readings, not on their times", arguments: FilterKind.allCases)
    func shiftInTime(kind: FilterKind) {
        for seed in seeds {
            let readings = irregularReadings(40, seed: seed)
            let later = readings.map { Reading($0.rssi_dbm, at_s: $0.at_s + 5_000) }
            let filter = SignalFilter(kind, 5)
            #expect(abs(filter.value(after: readings) - filter.value(after: later)) < 1e-6)
        }
    }

    @Test("Raising all readings by some dB raises the estimate by as much", arguments: FilterKind.allCases)
    func shiftInLevel(kind: FilterKind) {
        for seed in seeds {
            for scale in scales {
                let readings = irregularReadings(40, seed: seed)
                let louder = readings.map { reading in
                    var reading = reading
                    reading.rssi_dbm += 7
                    return reading
                }
                let filter = SignalFilter(kind, 5, scale: scale)
                #expect(abs(filter.value(after: readings) + 7 - filter.value(after: louder)) < 1e-5)
            }
        }
    }

    @Test(
        "Randomly lost packets don't change the estimate of a steady level in noise: seconds count",
        arguments: averagingKinds)
    func loss(kind: FilterKind) {
        var generator = SeededGenerator(seed: 11)
        let all = (0..<1_200).map { Reading(-70 + .random(in: -3...3, using: &generator), at_s: 0.1 * Double($0)) }
        let heard = all.filter { _ in Double.random(in: 0..<1, using: &generator) > 0.5 }
        let filter = SignalFilter(kind, 20)
        #expect(abs(filter.value(after: all) - filter.value(after: heard)) < 1)
    }
}
