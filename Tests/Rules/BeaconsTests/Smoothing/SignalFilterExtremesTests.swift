import TestAir
import Testing

@testable import Core

@Suite("An RSSI filter with invalid readings and times")
struct SignalFilterExtremesTests {
    @Test("NaN is ignored", arguments: FilterKind.allCases)
    func notANumber(kind: FilterKind) {
        var filter = SignalFilter(kind, 5)
        filter.add(.nan, at: .origin)
        #expect(filter.value_dbm == nil)
        filter.add(-60, at: .origin)
        filter.add(.nan, at: .origin + .seconds(1))
        #expect(filter.value_dbm == -60)
    }

    @Test("A reading beyond the range of the HCI is clamped", arguments: FilterKind.allCases)
    func outOfRange(kind: FilterKind) {
        for scale in scales {
            var filter = SignalFilter(kind, 5, scale: scale)
            filter.add(-.infinity, at: .origin)
            #expect(filter.value_dbm == -127)
            filter = SignalFilter(kind, 5, scale: scale)
            filter.add(1_000, at: .origin)
            #expect(filter.value_dbm == 20)
        }
    }

    @Test("Absurd time constants and jumping times neither trap nor leave the range of the readings")
    func absurdTimes() {
        let jumps: [Instant] = [
            .origin, .distantFuture, Instant(microseconds: .min), Instant(microseconds: 1),
            Instant(microseconds: .min + 1), Instant(microseconds: .max / 2), Instant(microseconds: -5_000_000),
            .distantFuture, Instant(microseconds: .min),
        ]
        for kind in FilterKind.allCases {
            for timeConstant_s in [0, -1, .nan, .infinity, 1e-9, 2.5, 1e300] {
                for scale in scales {
                    var filter = SignalFilter(kind, timeConstant_s, scale: scale)
                    var newcomer = filter
                    var generator = SeededGenerator(seed: 7)
                    for at in jumps + jumps.shuffled(using: &generator) {
                        filter.add(.random(in: -90 ... -50, using: &generator), at: at)
                        newcomer.add(.random(in: -90 ... -50, using: &generator), at: at + .seconds(3))
                        var successor = newcomer
                        successor.takeOver(filter)
                        for value in [filter.value_dbm, successor.value_dbm] {
                            #expect((-90.001 ... -49.999).contains(value ?? .nan), "\(kind) \(timeConstant_s) s")
                        }
                    }
                }
            }
        }
    }

    @Test("When the clock is set back, the filter keeps its level and continues", arguments: averagingKinds)
    func clockSetBack(kind: FilterKind) {
        var filter = SignalFilter(kind, 5)
        filter.add((0..<200).map { Reading(-80, at_s: 10_000 + 0.1 * Double($0)) })
        filter.add(-60, at: .origin)
        #expect((filter.value_dbm ?? .nan) < -69)
        filter.add((1..<400).map { Reading(-60, at_s: 0.1 * Double($0)) })
        #expect((filter.value_dbm ?? .nan) > -61)
    }

    @Test("A slightly late reading weighs no more than one in time", arguments: averagingKinds)
    func lateReading(kind: FilterKind) {
        var readings = (0..<100).map { Reading(-70, at_s: 0.2 * Double($0)) }
        readings.append(Reading(-50, at_s: 19))
        let value = SignalFilter(kind, 5).value(after: readings)
        #expect(value >= -70 && value < -68)
    }
}
