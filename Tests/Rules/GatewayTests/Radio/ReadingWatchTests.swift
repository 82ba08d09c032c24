import TestAir
import Testing

@testable import Core

@Suite("Readings that are no signal are detected")
struct ReadingWatchTests {
    /// Returns the verdict on a minute of readings: `count` readings of five beacons in turn. `rssi_dbm` gives each
    /// level by beacon and reading.
    private func verdict(
        _ count: Int = 600, beacons: Int = 5, _ rssi_dbm: (_ beacon: Int, _ reading: Int) -> Double
    ) -> SuspectReadings.Kind? {
        var watch = ReadingWatch()
        for reading in 0..<count {
            let beacon = reading % beacons
            watch.heard(Int8(rssi_dbm(beacon, reading).rounded()), of: sighting(beacon))
        }
        watch.endWindow()
        return watch.suspicion
    }

    private func sighting(_ beacon: Int, minor: UInt16 = 1) -> Sighting {
        Sighting(
            identity: .beacon(1, minor), address: .fixed(UInt64(beacon)), measuredPower_dbm: -59, rssi_dbm: nil)
    }

    /// The scatter of a receiver, by the number of the reading.
    private func scatter(_ reading: Int, _ sigma_db: Double) -> Double {
        var generator = SplitMix64(state: UInt64(reading))
        return sigma_db * (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
    }

    @Test("Five beacons at rest, at any noise, are in order", arguments: [0, 0.4, 2, 4, 7])
    func inOrder(sigma_db: Double) {
        #expect(verdict { beacon, reading in -55 - 6 * Double(beacon) + scatter(reading, sigma_db) } == nil)
    }

    @Test("Adjacent beacons of equal strength are in order", arguments: [0.4, 3])
    func sideBySide(sigma_db: Double) {
        #expect(verdict { _, reading in -60 + scatter(reading, sigma_db) } == nil)
    }

    @Test("One value from three transmitters and more is stuck; from one or two it may be real")
    func stuck() {
        #expect(verdict { _, _ in -61 } == .stuck)
        #expect(verdict(beacons: 2) { _, _ in -61 } == nil)
    }

    @Test("The strength of the report before is repeated")
    func repeated() {
        func said(_ beacon: Int, _ reading: Int) -> Double {
            // Every second report has the strength of the one before it.
            let whose = reading.isMultiple(of: 2) ? reading : reading - 1
            return -50 - 7 * Double(whose % 5) + scatter(whose, 2)
        }
        #expect(verdict(600, beacons: 5, said) == .repeated)
    }

    @Test("One channel in three 15 dB below the others makes two levels", arguments: [0, 1, 3])
    func twoLevels(sigma_db: Double) {
        func said(_ beacon: Int, _ reading: Int) -> Double {
            var generator = SplitMix64(state: UInt64(reading) &+ 99)
            let channel = Int.random(in: 0..<3, using: &generator)
            return -50 - 4 * Double(beacon) + scatter(reading, sigma_db) - (channel == 0 ? 15 : 0)
        }
        #expect(verdict(600, beacons: 5, said) == .twoLevels)
    }

    @Test(
        "A beacon that sends two frames under one address, one of them 15 dB weaker, is in order; so are two of them alone"
    )
    func severalFrames() {
        var watch = ReadingWatch()
        for reading in 0..<900 {
            let isWeak = SplitMix64.draw(reading) % 3 == 0
            let level = -50 - (isWeak ? 15 : 0) - 4 * (reading % 4) + Int(scatter(reading, 1))
            watch.heard(Int8(level), of: sighting(reading % 4, minor: isWeak ? 2 : 1))
        }
        watch.endWindow()
        #expect(watch.suspicion == nil)
        // A defect of two beacons alone may be theirs.
        #expect(verdict(beacons: 2) { _, reading in SplitMix64.draw(reading) % 3 == 0 ? -70 : -55 } == nil)
    }

    @Test(
        "One beacon with two powers, among two in order, is no two levels; a dozen equal pairs are no repetition"
    )
    func oneOfThree() {
        #expect(
            verdict(900, beacons: 3) { beacon, reading in
                beacon == 0 && SplitMix64.draw(reading) % 2 == 0 ? -75 : -60 + scatter(reading, 1)
            } == nil)
        var watch = ReadingWatch()
        for reading in 0..<600 {
            let beacon = reading % 100 < 98 ? 0 : 1 + reading % 2
            watch.heard(Int8(beacon == 0 ? -60 + reading / 2 % 2 : -60), of: sighting(beacon))
        }
        watch.endWindow()
        #expect(watch.suspicion == nil)
    }

    @Test("Few readings give no verdict, and a minute in order ends a suspicion")
    func windows() {
        #expect(verdict(199) { _, _ in -61 } == nil)
        var watch = ReadingWatch()
        for reading in 0..<600 { watch.heard(-61, of: sighting(reading % 5)) }
        watch.endWindow()
        #expect(watch.suspicion == .stuck)
        watch.endWindow()
        #expect(watch.suspicion == nil)
    }
}

extension SplitMix64 {
    /// Returns a number for that number.
    fileprivate static func draw(_ number: Int) -> UInt64 {
        var generator = SplitMix64(state: UInt64(number) &+ 7)
        return generator.next()
    }
}
