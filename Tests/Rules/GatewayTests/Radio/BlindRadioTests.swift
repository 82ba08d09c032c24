import TestAir
import Testing

@testable import Core

@Suite("A blind radio proves nothing")
struct BlindRadioTests {
    @Test("Exit timers stand still while no device is heard")
    func timersStandStill() {
        var air = Air(othersUntil_s: 30)
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 30)
        // Silence from 30 to 80; then the beacon is gone: it gets its 20 s of listening.
        air.otherDevices(start_s: 80, end_s: 120)
        #expect(Story(.door(), air).events == ["enter door 2.0", "exit door 100.0"])
    }

    @Test("Heard again and inside before: no event")
    func heardAgain() {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 30)
        air.beacon(.beacon(), from: .fixed(1), start_s: 300, end_s: 310)
        let story = Story(.door(), air)
        #expect(story.events == ["enter door 2.0"])
        #expect(
            story.states == [
                "outside door 0.0", "inside door 2.0", "unknown door 90.0", "inside door 300.0",
            ])
    }

    @Test("Heard after it and outside before: an entry")
    func entersAfterBlindness() {
        var air = Air(othersUntil_s: 30)
        air.beacon(.beacon(), from: .fixed(1), start_s: 200, end_s: 210)
        let story = Story(.door(), air)
        #expect(story.states == ["outside door 0.0", "unknown door 90.0", "inside door 200.0"])
        #expect(story.events == ["enter door 200.0"])
    }

    @Test("A region that was outside is outside again once the radio has listened")
    func outsideAgain() {
        var air = Air(othersUntil_s: 30)
        air.otherDevices(start_s: 200, end_s: 230)
        let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(10) }
        let story = Story(settings, air)
        #expect(
            story.states == ["unknown door 0.0", "outside door 10.0", "unknown door 90.0", "outside door 210.0"])
        #expect(story.events == [])
    }
}
