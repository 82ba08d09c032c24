import TestAir
import Testing

@testable import Core

@Suite("Only crossings make events")
struct CrossingTests {
    @Test("Silence of exit_after_s exits, with the stay that it ends")
    func silenceExits() throws {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 20)
        let story = Story(.door(), air)
        #expect(story.events == ["enter door 2.0", "exit door 40.0"])
        let stay = try #require(story.stay())
        #expect(stay.dwell == .seconds(18))
        #expect(stay.beginning == .observed && stay.ending == .observed)
    }

    @Test("A beacon heard again just in time has not left")
    func heardInTime() {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 20)
        air.beacon(.beacon(), from: .fixed(1), start_s: 40, end_s: 60)
        #expect(Story(.door(), air).events == ["enter door 2.0"])
    }

    @Test("A second beacon in the region crosses nothing")
    func secondBeaconIsNoEvent() {
        var air = Air(othersUntil_s: 90)
        air.beacon(.beacon(1, 1), from: .fixed(1), start_s: 2, end_s: 30)
        air.beacon(.beacon(1, 2), from: .fixed(2), start_s: 10, end_s: 50)
        #expect(Story(.door(), air).events == ["enter door 2.0", "exit door 70.0"])
    }

    @Test(
        "An event that is switched off is not made, and the state changes",
        arguments: [(false, true, "exit door 40.0"), (true, false, "enter door 2.0")])
    func notifyFlags(onEntry: Bool, onExit: Bool, event: String) {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 20)
        let story = Story(.door { ($1.notifyOnEntry, $1.notifyOnExit) = (onEntry, onExit) }, air)
        #expect(story.events == [event])
        #expect(story.states == ["outside door 0.0", "inside door 2.0", "outside door 40.0"])
    }
}

@Suite("Settling: a beacon present when monitoring begins has not entered")
struct SettlingTests {
    private let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(10) }

    @Test("A beacon heard within settle_s makes the state inside without an event")
    func thereFromTheStart() throws {
        var air = Air(othersUntil_s: 80)
        air.beacon(.beacon(), from: .fixed(1), start_s: 9.9, end_s: 30)
        let story = Story(settings, air)
        #expect(story.states == ["unknown door 0.0", "inside door 9.9", "outside door 50.0"])
        #expect(story.events == ["exit door 50.0"])
        #expect(try #require(story.stay()).beginning == .partial)
    }

    @Test("A beacon first heard after settle_s enters")
    func arrivesLater() {
        var air = Air(othersUntil_s: 20)
        air.beacon(.beacon(), from: .fixed(1), start_s: 10.1, end_s: 20)
        let story = Story(settings, air)
        #expect(story.states == ["unknown door 0.0", "outside door 10.0", "inside door 10.1"])
        #expect(story.events == ["enter door 10.1"])
    }

    @Test("A beacon whose entry debounce ends after settle_s was also there before")
    func debounceAcrossSettling() {
        var air = Air(othersUntil_s: 30)
        air.beacon(.beacon(), from: .fixed(1), start_s: 1, end_s: 30)
        let settings = GatewaySettings.door { _, region in
            region.rules.settle = .seconds(10)
            region.rules.entryAfter = .seconds(15)
        }
        #expect(Story(settings, air).states == ["unknown door 0.0", "inside door 16.0"])
        #expect(Story(settings, air).events == [])
    }
}
