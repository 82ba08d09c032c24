import TestAir
import Testing

@testable import Core

@Suite("State outlives the process")
struct RestartTests {
    private let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(10) }

    /// The door, inside since an hour before the start, last heard half a minute before it.
    private func record(
        _ discriminator: RegionInstanceID.Discriminator = .whole, of constraint: BeaconIdentityConstraint? = nil,
        enteredAt: Instant = Story.start - .seconds(3600), lastHeardAt: Instant = Story.start - .seconds(30),
        patience: TimeSpan = .zero
    ) -> RegionRecord {
        .inside(
            RegionInstanceID(region: "door", discriminator), of: constraint, entered: enteredAt, heard: lastHeardAt,
            minor: 1, patience: patience, rssi_dbm: -70)
    }

    private func outside(
        _ discriminator: RegionInstanceID.Discriminator = .whole, since: Instant = Story.start - .seconds(3600)
    ) -> RegionRecord {
        .outside(RegionInstanceID(region: "door", discriminator), since: since)
    }

    private func air(_ start_s: Double?, end_s: Double = 30) -> Air {
        var air = Air(othersUntil_s: 120)
        if let start_s { air.beacon(.beacon(), from: .fixed(1), start_s: start_s, end_s: end_s) }
        return air
    }

    @Test("Still inside is no event, and the stay continues from its entry")
    func stillInside() throws {
        let story = Story(settings, air(3), restoring: [record()])
        #expect(story.states == ["inside door 0.0", "outside door 50.0"])
        #expect(story.transitions[0].transition.since == Story.start - .seconds(3600))
        #expect(story.events == ["exit door 50.0"])
        let stay = try #require(story.stay())
        #expect(stay.enteredAt == Story.start - .seconds(3600))
        #expect(stay.dwell == .seconds(3630))
        #expect(stay.ending == .observed && stay.beginning == .observed)
    }

    @Test("Gone is an inferred exit, exit_after_s after monitoring resumes, with the time last heard")
    func gone() throws {
        let story = Story(settings, air(nil), restoring: [record()])
        #expect(story.events == ["exit door 20.0"])
        let stay = try #require(story.stay())
        #expect(stay.ending == .inferred)
        #expect(stay.lastHeardAt == Story.start - .seconds(30))
        #expect(stay.dwell == .seconds(3570))
        let beacon = BeaconIdentity(uuid: Air.uuid, major: 1, minor: 1)
        #expect(
            story.transitions.last?.transition.event?.cause == .beacon(beacon, .undetermined(rssi_dbm: -70)))
    }

    @Test("A stay stored in the future, by a clock set back since, moves as a whole: it keeps its length")
    func storedInTheFuture() throws {
        let ahead = record(
            enteredAt: Story.start + .seconds(82_800), lastHeardAt: Story.start + .seconds(86_370))
        let story = Story(settings, air(nil), restoring: [ahead])
        #expect(story.events == ["exit door 20.0"])
        let stay = try #require(story.stay())
        #expect(stay.lastHeardAt == Story.start)
        #expect(stay.dwell == .seconds(3570))
        let inside = try #require(story.transitions.first?.transition)
        #expect(inside.since == Story.start - .seconds(3570) && inside.since <= inside.at)
    }

    @Test("A region stored as outside since a future time is outside since now")
    func outsideInTheFuture() throws {
        let ahead = outside(since: Story.start + .seconds(5))
        let outside = try #require(Story(settings, air(nil), restoring: [ahead]).transitions.first?.transition)
        #expect(outside.state == .outside && outside.since == Story.start)
    }

    @Test("A record may have any time", arguments: [Int64.min, -1, 0, .max])
    func anyTime(microseconds: Int64) {
        for (since, heard) in [
            (microseconds, Int64.max), (microseconds, .min), (.max, microseconds), (.min, microseconds),
        ] {
            let odd = record(
                enteredAt: Instant(microseconds: since), lastHeardAt: Instant(microseconds: heard))
            let story = Story(settings, air(nil), restoring: [odd])
            #expect(story.transitions.holdForAll { $0.transition.since <= $0.transition.at })
        }
    }

    @Test("New is an entry, even before the region has settled: it is known to have been outside")
    func new() {
        let story = Story(settings, air(3), restoring: [outside()])
        #expect(story.events == ["enter door 3.0", "exit door 50.0"])
    }

    @Test("A slow beacon gets its 4 intervals to be heard again")
    func slow() {
        let slow = record(patience: .seconds(40))
        #expect(Story(settings, air(35, end_s: 60), restoring: [slow]).events == ["exit door 80.0"])
        #expect(Story(settings, air(nil), restoring: [slow]).events == ["exit door 40.0"])
    }

    @Test("A slow beacon is known as slow after a restart, until its interval is learned again")
    func slowUntilLearnedAnew() {
        let slow = record(patience: .seconds(40))
        var air = air(nil)
        air.beacon(.beacon(), from: .fixed(1), at: 5)
        air.beacon(.beacon(), from: .fixed(1), at: 35)
        #expect(Story(settings, air, restoring: [slow]).events == ["exit door 75.0"])
    }

    @Test("Instances of an expanded region are restored, and published once")
    func expanded() {
        let settings = GatewaySettings.door { _, region in
            region.rules.settle = .seconds(10)
            region.expansion = .major
        }
        let story = Story(settings, air(nil), restoring: [record(.major(1))])
        #expect(story.states == ["inside door/1 0.0", "outside door/1 20.0"])
    }

    @Test("A later process restores the stored stay; its time last heard is at most a minute old")
    func storedStay() throws {
        let settings = GatewaySettings.door { _, region in
            region.rules.settle = .seconds(10)
            region.rules.exitAfter = .seconds(500)
        }
        var air = air(1, end_s: 50)
        air.beacon(.beacon(), from: .fixed(2), start_s: 50, end_s: 58)
        let record = try #require(Story(settings, air).stored[RegionInstanceID(region: "door")])
        let stay = try #require(record.stay)
        #expect(stay.beginning == .partial)
        #expect(stay.enteredAt == Story.start + .seconds(1))
        #expect(stay.lastHeardAt == Story.start + .seconds(58))
    }

    @Test("A region that was left is stored as outside")
    func storedExit() throws {
        #expect(try #require(Story(settings, air(1)).stored[RegionInstanceID(region: "door")]).isInside == false)
    }

    @Test("A region that has not settled has no record")
    func unsettled() {
        #expect(Story(settings, Air(othersUntil_s: 5)).stored.isEmpty)
    }

    @Test("The time without the agent does not make a restored region leave: a blind start waits")
    func blindStart() {
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(
            settings, restoring: [record()], radioSees: false, at: Story.start, outputs: &outputs)
        engine.advance(through: Story.start + .seconds(50), outputs: &outputs)
        engine.liveness(.live, at: Story.start + .seconds(50), outputs: &outputs)
        engine.advance(through: Story.start + .seconds(69.9), outputs: &outputs)
        #expect(outputs.transitions.compactMap(\.event).isEmpty)
        engine.advance(through: Story.start + .seconds(70), outputs: &outputs)
        #expect(outputs.transitions.compactMap(\.event).count == 1)
    }

    /// Returns the states of an engine that starts on a blind radio and hears nothing.
    private func statesOfBlindStart(_ record: RegionRecord) -> [RegionState] {
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(settings, restoring: [record], radioSees: false, at: Story.start, outputs: &outputs)
        engine.liveness(.blind(since: Story.start), at: Story.start + .seconds(1), outputs: &outputs)
        engine.advance(through: Story.start + .seconds(59.9), outputs: &outputs)
        #expect(outputs.transitions.count == 1)
        engine.advance(through: Story.start + .seconds(60), outputs: &outputs)
        return outputs.transitions.map(\.state)
    }

    @Test("On a radio that stays blind a restored state becomes unknown like any other")
    func blindForLong() {
        #expect(statesOfBlindStart(record()) == [.inside, .unknown])
        #expect(statesOfBlindStart(outside()) == [.outside, .unknown])
    }

    @Test("The time since which it is outside is stored, not the time of becoming unknown")
    func outsideSince() throws {
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(
            settings, restoring: [outside()], radioSees: false, at: Story.start, outputs: &outputs)
        engine.advance(through: Story.start + .seconds(60), outputs: &outputs)
        guard case .transition(let transition, let stored) = outputs.last else {
            Issue.record("no transition")
            return
        }
        #expect(transition.state == .unknown)
        #expect(try #require(stored).occupancy == .outside(since: Story.start - .seconds(3600)))
    }

    @Test("A new instance after a restart enters: monitoring of its region began long before")
    func newInstance() {
        let settings = GatewaySettings.door { _, region in
            region.rules.settle = .seconds(10)
            region.expansion = .minor
        }
        let known = outside(.minor(major: 1, minor: 1))
        var air = Air(othersUntil_s: 30)
        air.beacon(.beacon(1, 2), from: .fixed(2), start_s: 3, end_s: 5)
        #expect(Story(settings, air, restoring: [known]).events == ["enter door/1/2 3.0", "exit door/1/2 25.0"])
    }

    @Test("With other beacons under one id it is another region, without a stored state")
    func redefined() {
        var constraint = settings.regions.beacons[0].constraint
        #expect(Story(settings, air(3), restoring: [record(of: constraint)]).states.first == "inside door 0.0")
        let states = ["unknown door 0.0", "inside door 3.0", "outside door 50.0"]
        constraint.major = 7
        #expect(Story(settings, air(3), restoring: [record(of: constraint)]).states == states)
        constraint = BeaconIdentityConstraint(uuid: ProximityUUID(high: 1, low: 2), major: nil, minor: nil)
        #expect(Story(settings, air(3), restoring: [record(of: constraint)]).states == states)
    }

    @Test("Instances beyond a lowered limit are refused, and reported once for their region")
    func lowerLimit() {
        let settings = GatewaySettings.door { settings, region in
            region.expansion = .minor
            settings.regions.limits.maxInstances = 1
        }
        let records = (1...3).map { record(.minor(major: 1, minor: $0)) }
        let story = Story(settings, air(nil), restoring: records)
        #expect(story.states.first == "inside door/1/1 0.0")
        #expect(story.failures.count == 1)
    }
}
