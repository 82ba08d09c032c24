import TestAir
import Testing

@testable import Core

@Suite("An instance of an expanded region exists once its beacon has satisfied the entry rule")
struct AdmissionTests {
    /// Returns a region with one instance for each cart, and a limit of instances.
    private static func carts(
        entry_dbm: Double = -80, instances: Int, _ change: (inout RegionLimits) -> Void = { _ in }
    ) -> GatewaySettings {
        .door { settings, region in
            region.id = "carts"
            region.expansion = .minor
            region.rules.entryRSSI_dbm = entry_dbm
            region.rules.exitRSSI_dbm = min(entry_dbm, -90)
            settings.regions.limits.maxInstances = instances
            change(&settings.regions.limits)
        }
    }

    @Test("Made-up identities that are too weak for an entry take no slot: a cart two hours later enters")
    func weakFlood() {
        var air = Air(othersUntil_s: 7_300)
        for minor in 0..<200 {
            air.beacon(
                .beacon(1, UInt16(minor)), from: .fixed(UInt64(minor)), rssi_dbm: -95, start_s: 1 + Double(minor) / 100,
                end_s: 4)
        }
        air.beacon(.beacon(2, 1), from: .fixed(9_999), start_s: 7_200, end_s: 7_230)
        let story = Story(Self.carts(instances: 100), air)
        #expect(story.events == ["enter carts/2/1 7200.0", "exit carts/2/1 7250.0"])
        #expect(story.states == ["inside carts/2/1 7200.0", "outside carts/2/1 7250.0"])
        #expect(story.figures.instances == 1)
    }

    @Test("A beacon that is heard and has not entered has no state and no record")
    func notBeforeEntry() {
        var air = Air()
        air.beacon(.beacon(1, 1), from: .fixed(1), rssi_dbm: -85, start_s: 1, end_s: 60)
        let story = Story(Self.carts(instances: 100), air)
        #expect(story.states == [] && story.stored == [:])
        #expect(story.figures.instances == 0 && story.figures.listedTracks == 1)
    }

    @Test(
        "A beacon heard without a pause since before its region settled was inside before, whenever it enters")
    func wasThere() {
        let settings = GatewaySettings.door { _, region in
            region.expansion = .minor
            region.rules.settle = .seconds(10)
            region.rules.entryAfter = .seconds(5)
        }
        var air = Air(othersUntil_s: 30)
        air.beacon(.beacon(1, 1), from: .fixed(1), start_s: 8, end_s: 30)
        air.beacon(.beacon(1, 2), from: .fixed(2), start_s: 11, end_s: 30)
        let story = Story(settings, air)
        #expect(story.states == ["inside door/1/1 13.0", "inside door/1/2 16.0"])
        #expect(story.events == ["enter door/1/2 16.0"])
    }

    @Test("At max_instances the instance outside for longest gives way, before the new one is published")
    func makesRoom() throws {
        var air = Air(othersUntil_s: 300)
        for minor in 1...2 { air.beacon(.beacon(1, UInt16(minor)), from: .fixed(UInt64(minor)), start_s: 1, end_s: 5) }
        air.beacon(.beacon(1, 1), from: .fixed(1), start_s: 100, end_s: 105)
        air.beacon(.beacon(1, 3), from: .fixed(3), start_s: 200, end_s: 205)
        let story = Story(Self.carts(instances: 2), air)
        #expect(story.forgotten.map(\.instances) == [[RegionInstanceID(region: "carts", .minor(major: 1, minor: 2))]])
        #expect(story.events.contains("enter carts/1/3 200.0"))
        #expect(story.figures.instances == 2 && story.figures.refusedEntries == RefusedEntries())
    }

    @Test("An instance that gave way is entered again, with an event, when its beacon comes back")
    func comesBack() {
        var air = Air(othersUntil_s: 300)
        for (minor, start_s) in [(1, 1.0), (2, 50.0), (1, 100.0)] {
            air.beacon(.beacon(1, UInt16(minor)), from: .fixed(UInt64(minor)), start_s: start_s, end_s: start_s + 5)
        }
        let story = Story(Self.carts(instances: 1), air)
        #expect(
            story.events.filter { $0.hasPrefix("enter") } == [
                "enter carts/1/1 1.0", "enter carts/1/2 50.0", "enter carts/1/1 100.0",
            ])
    }

    @Test("An inside instance does not give way: at max_instances the entry is refused, and counted each minute")
    func insideStays() {
        var air = Air()
        for minor in 1...2 {
            air.beacon(.beacon(1, UInt16(minor)), from: .fixed(UInt64(minor)), start_s: Double(minor), end_s: 300)
        }
        let story = Story(Self.carts(instances: 1), air)
        #expect(story.events == ["enter carts/1/1 1.0"])
        #expect(story.figures.refusedEntries.maxInstances >= 5)
        #expect(story.failures == [RegionMonitoringFailure(region: "carts", cause: .tooManyInstances(limit: 1))])
    }

    @Test("An instance outside for forget_after_days is deleted, and one that is inside stays")
    func forgets() throws {
        let settings = Self.carts(instances: 10) { $0.forgetAfter = .seconds(3_600) }
        var air = Air(othersUntil_s: 4_000)
        air.beacon(.beacon(1, 1), from: .fixed(1), start_s: 1, end_s: 5)
        air.beacon(.beacon(1, 2), from: .fixed(2), start_s: 1, end_s: 4_000)
        let story = Story(settings, air)
        let gone = try #require(story.forgotten.first)
        #expect(gone.instances == [RegionInstanceID(region: "carts", .minor(major: 1, minor: 1))])
        // It was left at 25 s.
        #expect(gone.t_s == 3_625 && story.forgotten.count == 1 && story.figures.instances == 1)
    }

    @Test("An instance stored as outside long ago is deleted at once")
    func forgetsStored() {
        let settings = Self.carts(instances: 10) { $0.forgetAfter = .seconds(3_600) }
        let id = RegionInstanceID(region: "carts", .minor(major: 1, minor: 1))
        let constraint = BeaconIdentityConstraint(uuid: Air.uuid, major: nil, minor: nil)
        let record = RegionRecord.outside(id, of: constraint, since: Story.start - .seconds(3_590))
        let story = Story(settings, Air(), restoring: [record], until_s: 60)
        #expect(story.forgotten.map(\.t_s) == [10] && story.forgotten.first?.instances == [id])
    }

    @Test("Where more records exist than instances may, stays come first, then the instances left last")
    func restoresInOrder() {
        func cart(_ minor: UInt16) -> RegionInstanceID {
            RegionInstanceID(region: "carts", .minor(major: 1, minor: minor))
        }
        let records: [RegionRecord] = [
            .outside(cart(1), since: Story.start - .seconds(20)), .outside(cart(2), since: Story.start - .seconds(10)),
            .outside(cart(3), since: Story.start - .seconds(40)),
            .inside(cart(4), entered: Story.start - .seconds(50), heard: Story.start - .seconds(5), minor: 4),
        ]
        let story = Story(Self.carts(instances: 2), Air(), restoring: records, until_s: 0)
        #expect(story.states.sorted() == ["inside carts/1/4 0.0", "outside carts/1/2 0.0"])
    }
}

@Suite("Newcomers beyond max_newcomers_per_minute are held back, and reported")
struct EntryBudgetTests {
    private static func carts(perMinute: Int) -> GatewaySettings {
        .door { settings, region in
            region.id = "carts"
            region.expansion = .minor
            region.isRanged = false
            settings.regions.limits.maxNewcomersPerMinute = perMinute
        }
    }

    /// Returns beacons from a time on, each heard for ten seconds.
    private static func flood(_ count: Int, at start_s: Double, major: UInt16, in air: inout Air) {
        for minor in 0..<count {
            air.beacon(
                .beacon(major, UInt16(minor)), from: .fixed(UInt64(major) << 16 | UInt64(minor)), every_s: 1,
                start_s: start_s + Double(minor) / 100, end_s: start_s + 10)
        }
    }

    /// Every story starts 20 s into a minute.
    @Test("Above the limit an identity gets no instance, no state and no event")
    func holdsBack() throws {
        var air = Air()
        Self.flood(10, at: 1, major: 1, in: &air)
        let story = Story(Self.carts(perMinute: 4), air, until_s: 100)
        #expect(story.events.filter { $0.hasPrefix("enter") }.count == 4)
        #expect(story.figures.instances == 4 && story.figures.refusedEntries.maxNewcomersPerMinute == 6)
        let surge = try #require(story.surges.first)
        #expect(surge.t_s == 40 && story.surges.count == 1)
        #expect(surge.surge.region == "carts" && surge.surge.refused == 6 && surge.surge.identities == 6)
        #expect((surge.surge.from - Story.start).seconds == 1.04 && (surge.surge.to - Story.start).seconds == 1.09)
        #expect(story.failures == [RegionMonitoringFailure(region: "carts", cause: .tooManyNewcomers(limit: 4))])
    }

    @Test("An identity that was held back enters in the next minute, if it is heard then")
    func nextMinute() {
        var air = Air()
        Self.flood(4, at: 1, major: 1, in: &air)
        air.beacon(.beacon(2, 1), from: .fixed(999), start_s: 2, end_s: 60)
        let story = Story(Self.carts(perMinute: 4), air, until_s: 100)
        #expect(story.events.contains("enter carts/2/1 40.0"))
    }

    @Test("An identity that has an instance is never held back")
    func knownOnesEnter() {
        var air = Air(othersUntil_s: 400)
        air.beacon(.beacon(2, 1), from: .fixed(999), start_s: 1, end_s: 5)
        Self.flood(20, at: 300, major: 1, in: &air)
        air.beacon(.beacon(2, 1), from: .fixed(999), start_s: 305, end_s: 310)
        let story = Story(Self.carts(perMinute: 4), air)
        #expect(story.events.contains("enter carts/2/1 305.0"))
    }

    @Test("A full table makes room for a beacon that has an instance, not for new ones")
    func knownOnesAreTracked() {
        var settings = Self.carts(perMinute: 4)
        settings.tracker.maxTransmitters = 8
        var air = Air(othersUntil_s: 120)
        air.beacon(.beacon(2, 1), from: .fixed(999), start_s: 1, end_s: 5)
        Self.flood(20, at: 100, major: 1, in: &air)
        air.beacon(.beacon(2, 1), from: .fixed(999), start_s: 105, end_s: 108)
        let story = Story(settings, air)
        #expect(story.events.contains("enter carts/2/1 105.0"))
        #expect(story.player.engine.checkInvariants().isEmpty)
    }

    @Test("A plain region has its instance from the start: no entry is held back")
    func plainRegions() {
        var settings = Self.carts(perMinute: 1)
        settings.regions.beacons[0].expansion = .none
        var air = Air()
        Self.flood(10, at: 1, major: 1, in: &air)
        let story = Story(settings, air, until_s: 100)
        #expect(story.events.first == "enter carts 1.0" && story.surges.isEmpty)
    }

    @Test("0 is no limit")
    func noLimit() {
        var air = Air()
        Self.flood(800, at: 1, major: 1, in: &air)
        let story = Story(Self.carts(perMinute: 0), air, until_s: 30)
        #expect(story.figures.instances == 800 && story.surges.isEmpty)
    }

    @Test("A flood is reported each minute, and within three minutes of its end a real beacon enters")
    func afterTheFlood() throws {
        var air = Air(othersUntil_s: 500)
        for minute in 0..<5 { Self.flood(50, at: 20 + Double(minute) * 60, major: UInt16(10 + minute), in: &air) }
        air.beacon(.beacon(2, 1), from: .fixed(9_999), start_s: 45, end_s: 460)
        let story = Story(Self.carts(perMinute: 10), air)
        #expect(story.surges.map(\.t_s) == [40, 100, 160, 220, 280])
        #expect(story.surges.holdForAll { $0.surge.refused >= 40 && $0.surge.identities <= $0.surge.refused })
        let entry = try #require(story.transitions.first { $0.transition.instance.major == 2 })
        #expect(entry.t_s <= 340 + 180)
    }

    @Test("Entries held back in two regions are reported for each")
    func twoRegions() {
        var settings = Self.carts(perMinute: 2)
        var second = settings.regions.beacons[0]
        second.id = "baskets"
        second.major = 7
        settings.regions.beacons.append(second)
        var air = Air()
        Self.flood(4, at: 1, major: 7, in: &air)
        let story = Story(settings, air, until_s: 100)
        #expect(story.surges.map(\.surge.region) == ["baskets", "carts"])
        #expect(story.surges.map(\.surge.refused).reduce(0, +) == 6)
    }
}
