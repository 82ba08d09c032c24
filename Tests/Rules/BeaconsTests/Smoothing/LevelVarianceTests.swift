import Testing

@testable import Core

@Suite("The uncertainty of a level")
struct LevelVarianceTests {
    /// Readings about −60 dBm, four a second: two above and two below alternate, so that half of the neighbours differ.
    private func level(_ count: Int, depth_db: Double) -> Level {
        var level = Level()
        for index in 0..<count {
            level.add(-60 + (index % 4 < 2 ? 1 : -1) * depth_db, at_s: 0.25 * Double(index))
        }
        return level
    }

    @Test("One reading has the general uncertainty of readings: 4 dB")
    func oneReading() {
        #expect(level(1, depth_db: 0).variance == 16)
    }

    @Test("More readings lower the uncertainty, and more scatter raises it")
    func readingsAndScatter() {
        #expect(level(100, depth_db: 4).variance < level(5, depth_db: 4).variance)
        #expect(level(100, depth_db: 6).variance > level(100, depth_db: 2).variance)
    }

    @Test("The scatter is that of the readings", arguments: [1.0, 3, 6])
    func scatter(depth_db: Double) {
        let level = level(400, depth_db: depth_db)
        // The filter settles at a weight of an eightieth for each reading.
        #expect(abs((level.variance * 80).squareRoot() / depth_db - 1) < 0.25)
    }

    @Test("Just after a step the level is uncertain again")
    func afterStep() {
        var level = level(400, depth_db: 1)
        let before = level.variance
        for index in 0..<8 { level.add(-80, at_s: 100 + 0.25 * Double(index)) }
        #expect(level.variance > 4 * before)
    }

    @Test("After a change of address the uncertainty stays")
    func takeOver() {
        var heir = Level()
        heir.add(-60, at_s: 101)
        heir.takeOver(level(400, depth_db: 3))
        #expect(heir.variance < 2 * level(400, depth_db: 3).variance)
    }
}
