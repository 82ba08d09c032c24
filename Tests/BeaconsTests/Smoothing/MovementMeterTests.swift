import Beacons
import HCI
import Testing

@Suite("Whether a beacon moves, by its RSSI")
struct MovementMeterTests {
    private func meter(_ readings: some Sequence<Reading>) -> Meter {
        var meter = Meter(timeConstant_s: 60)
        for reading in readings { meter.add(reading.rssi_dbm, at: reading.at) }
        return meter
    }

    private func movement(_ readings: [Reading]) -> Double { meter(readings).movement }

    /// The meter of a beacon's new address, which it has had since the reading `change`, as it takes over from the former
    /// one after `ownCount` readings.
    private func heir(of readings: [Reading], changesAt change: Int, ownCount: Int) -> Meter {
        var heir = meter(readings[change..<change + ownCount])
        heir.takeOver(meter(readings.prefix(change)))
        return heir
    }

    /// Readings twice a second, each from its time in seconds.
    private func readings(_ level: (Double) -> Double) -> [Reading] {
        (0..<240).map { Reading(level(0.5 * Double($0)), at_s: 0.5 * Double($0)) }
    }

    @Test("At rest: a level that stays, to the last digit")
    func constantLevel() {
        #expect(movement([]) == 0)
        #expect(movement([Reading(-60, at_s: 0)]) == 0)
        #expect(movement(readings { _ in -71 }) == 0)
    }

    @Test("At rest: a receiver that flickers between two levels, however far apart", arguments: [1.0, 6, 20])
    func flicker(depth_db: Double) {
        #expect(movement(readings { $0.truncatingRemainder(dividingBy: 1) == 0 ? -60 : -60 - depth_db }) == 0)
    }

    @Test("At rest: one step, from one steady level to another")
    func oneStep() {
        #expect(movement(readings { $0 < 110 ? -60 : -75 }) < 0.5)
    }

    @Test("Walking: neighbouring readings scatter and the level drifts as well")
    func walk() {
        var generator = SeededGenerator(seed: 4)
        let walked = readings { time_s in
            -70 + 5 * (time_s / 15).remainder(dividingBy: 2) + .random(in: -8...8, using: &generator)
        }
        #expect(movement(walked) > 0.8)
    }

    @Test("At rest: a noisy receiver that is seldom heard, whose readings differ by chance")
    func noise() {
        // 4 dB about one level, a reading every four seconds, as of the iPhone in the recordings.
        var sum = 0.0
        for seed in 0..<20 {
            var generator = SeededGenerator(seed: seed)
            var meter = Meter(timeConstant_s: 60)
            for count in 0..<600 {
                let noise_db = (0..<12).reduce(-6) { total, _ in total + Double.random(in: 0..<1, using: &generator) }
                meter.add(-70 + 4 * noise_db, at: .origin + .seconds(4 * Double(count)))
                if count >= 200 { sum += meter.movement }
            }
        }
        #expect(sum / 8_000 < 0.1)
    }

    @Test("A newcomer whose level is unsteady counts as walking, until its readings say otherwise")
    func newcomer() {
        let unsteady = readings { $0.truncatingRemainder(dividingBy: 1) == 0 ? -60 : -66 }
        #expect(movement(Array(unsteady.prefix(6))) == 1)
        #expect(movement(Array(unsteady.prefix(60))) == 0)
        #expect(movement(Array(readings { _ in -60 }.prefix(6))) == 0)
    }

    @Test("One that goes on under a new address is no newcomer")
    func newAddressIsNoNewcomer() {
        let unsteady = readings { $0.truncatingRemainder(dividingBy: 1) == 0 ? -60 : -66 }
        for ownCount in [0, 1, 2, 6] {
            #expect(heir(of: unsteady, changesAt: 200, ownCount: ownCount).movement == 0, "\(ownCount)")
        }
    }

    @Test("It is between 0 and 1, and is not moved by silence: only readings count")
    func range() {
        for seed in 0..<20 {
            let heard = irregularReadings(200, seed: seed)
            for count in [1, 2, 3, 50, 200] { #expect((0...1).contains(movement(Array(heard.prefix(count))))) }
        }
    }

    @Test("Readings of one instant may come in any order")
    func equalTimesCommute() {
        let before = irregularReadings(30, seed: 2)
        let together = [-50.0, -71, -64, -90].map { Reading($0, at_s: 400) }
        let after = [Reading(-70, at_s: 401)]
        let forward = movement(before + together + after)
        let backward = movement(before + together.reversed() + after)
        #expect(abs(forward - backward) < 1e-9)
    }

    @Test("What is not a number is ignored, and times that jump lead nowhere")
    func extremes() {
        var meter = Meter(timeConstant_s: .nan)
        for at in [Instant.origin, .distantFuture, Instant(microseconds: .min), .origin, .distantFuture] {
            meter.add(.nan, at: at)
            meter.add(-60, at: at)
            meter.add(-90, at: at + .seconds(3))
            #expect((0...1).contains(meter.movement))
        }
    }

    @Test("After a change of address it goes on: the walk is still a walk")
    func takesOver() {
        var generator = SeededGenerator(seed: 9)
        let walked = readings { time_s in
            -70 + 5 * (time_s / 15).remainder(dividingBy: 2) + .random(in: -8...8, using: &generator)
        }
        for ownCount in [0, 1, 2, 6] {
            var newcomer = heir(of: walked, changesAt: 200, ownCount: ownCount)
            for reading in walked[(200 + ownCount)...] { newcomer.add(reading.rssi_dbm, at: reading.at) }
            #expect(abs(newcomer.movement - movement(walked)) < 0.15, "\(ownCount)")
        }
    }
}
