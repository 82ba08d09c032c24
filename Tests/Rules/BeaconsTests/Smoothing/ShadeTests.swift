import TestAir
import Testing

@testable import Core

@Suite("A quarter of a level's fall counts as shade, up to the loss by a body")
struct ShadeTests {
    /// Returns four readings a second of each level for a time, one level after the other.
    private func rested(_ spans: [(dbm: Double, for_s: Int)], _ settings: FilterSettings? = nil) -> Level {
        var level = settings.map { Level($0) } ?? Level()
        var at_s = 0.0
        for (dbm, for_s) in spans {
            for _ in 0..<4 * for_s {
                level.add(dbm, at_s: at_s)
                at_s += 0.25
            }
        }
        return level
    }

    @Test(
        "A person in the way, 6 dB: the level falls by little more than three quarters of it in a minute or two")
    func shaded() {
        let level = rested([(-60, 600), (-66, 120)]).distanceLevel_dbm
        #expect(level > -65.1 && level < -64.4)
    }

    @Test("Shade is forgotten: after an hour the weaker level is the level")
    func forgotten() {
        #expect(abs(rested([(-60, 600), (-66, 3_600)]).distanceLevel_dbm + 66) < 0.1)
    }

    @Test("The best level is believed no longer than the rest lasts")
    func young() {
        let long = rested([(-60, 600), (-66, 60)]).distanceLevel_dbm
        let short = rested([(-60, 20), (-66, 60)]).distanceLevel_dbm
        #expect(short < long - 0.5)
    }

    @Test("A fall beyond a body's loss has the shade of a body, whether it comes at once or bit by bit")
    func goneAway() {
        #expect(abs(rested([(-60, 600), (-80, 30)]).distanceLevel_dbm + 77.5) < 0.5)
        let steps = stride(from: -61.0, through: -77, by: -1).map { (dbm: $0, for_s: 20) }
        #expect(abs(rested([(-60, 600)] + steps + [(-78, 60)]).distanceLevel_dbm + 75.5) < 0.5)
        #expect(abs(rested([(-60, 600), (-80, 3_600)]).distanceLevel_dbm + 80) < 0.1)
    }

    @Test("A step that a body may have caused is followed at once, and shaded")
    func stepOfABody() {
        let level = rested([(-60, 600), (-72, 10)]).distanceLevel_dbm
        #expect(level > -70 && level < -69)
    }

    @Test("The level returns when the body moves away")
    func back() {
        #expect(abs(rested([(-60, 600), (-66, 60), (-60, 600)]).distanceLevel_dbm + 60) < 0.1)
    }

    @Test("A constant level has no shade")
    func steady() {
        #expect(abs(rested([(-71, 300)]).distanceLevel_dbm + 71) < 1e-6)
    }

    @Test("Shade continues under a new address")
    func takenOver() {
        let former = rested([(-60, 600), (-66, 60)])
        var own = Level()
        for count in 0..<8 { own.add(-66, at_s: 661 + 0.25 * Double(count)) }
        own.takeOver(former)
        #expect(abs(own.distanceLevel_dbm - former.distanceLevel_dbm) < 0.2)
        #expect(own.distanceLevel_dbm > -65.5)
    }

    @Test("No published level exceeds the strongest reading", arguments: 0..<50)
    func withinTheReadings(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var level = Level()
        var (at_s, strongest) = (0.0, -127.0)
        for _ in 0..<400 {
            let reading = Double(Int.random(in: -100 ... -40, using: &generator))
            strongest = max(strongest, reading)
            level.add(reading, at_s: at_s)
            at_s += Double.random(in: -1..<30, using: &generator)
            #expect(level.distanceLevel_dbm <= strongest + 1e-4)
        }
    }

    @Test("The other filters have no shade")
    func exponential() {
        let level = rested([(-60, 600), (-66, 300)], FilterSettings(kind: .ewma, timeConstant_s: 10))
        #expect(abs(level.distanceLevel_dbm + 66) < 0.01)
    }
}
