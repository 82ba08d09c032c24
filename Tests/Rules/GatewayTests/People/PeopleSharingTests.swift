import TestAir
import Testing

@testable import Core

@Suite("The reports of people to the store")
struct PeopleSharingTests {
    private static let secret = [UInt8](repeating: 3, count: 32)
    private let store = "beacons/store/site/people"

    private func settings(_ privacy: String = "[privacy]\nsite_key_file = \"/etc/beacond/site.key\"") throws -> Settings
    {
        var settings = try Settings.visitors("[gateway]\nid = \"door\"\n" + privacy)
        if settings.privacy.siteKeyFile != nil { settings.privacy.siteKey = Self.secret }
        return settings
    }

    /// Returns three visitors of 100 s. The quarter ends at 400 s of a story.
    private var air: Air {
        var air = Air(othersUntil_s: 1_400)
        air.threeVisitors()
        return air
    }

    private func announcement(of opener: PeopleOpener, age_s: UInt32 = 0) throws -> [UInt8] {
        try #require(opener.announcement(age_s: age_s, at: Story.startTime))
    }

    private func opener(_ seed: UInt8 = 1) throws -> PeopleOpener {
        try #require(PeopleOpener([UInt8](repeating: seed, count: 32), siteKey: Self.secret, store: store))
    }

    private func messages(_ outputs: [GatewayOutput]) -> [PeopleMessage] {
        outputs.compactMap { $0.content(PeopleMessage.self) }
    }

    @Test("The store reads who is inside every two seconds, with the level, and no identity leaves")
    func reports() throws {
        let (settings, opener) = (try settings(), try opener())
        var outputs = air.played(settings.gateway).1
        var sharing = try #require(PeopleSharing(settings, isRecorded: true))
        _ = sharing.receive(store, try announcement(of: opener), at: .origin, .ofRecordings)
        sharing.pass(&outputs)
        let reports = try messages(outputs).map { message in
            #expect(message.topic == "beacons/store/door/people")
            return try PeopleReport(decoding: try #require(opener.open(message.payload, on: message.topic)).content)
        }
        #expect(reports.count > 600)
        #expect(reports.map(\.people.count).max() == 3)
        let person = try #require(reports.flatMap(\.people).first)
        #expect(person.region == "visitors" && !person.wasThere && (person.rssi_dbm ?? 0) < 0)
        #expect(Set(reports.flatMap(\.people).map(\.name)).count == 3)
        #expect(reports.last?.people.isEmpty == true)
        for secret in [Air.uuid.description, "major: 7", "minor: 2"] { #expect(!"\(outputs)".contains(secret)) }
    }

    @Test(
        "A report is not complete where a limit held a person back since the last one",
        arguments: [nil, "regions.max_instances", "regions.max_newcomers_per_minute", "radio.max_transmitters"])
    func reportsLimits(key: String?) throws {
        var settings = try settings().gateway
        switch key {
        case "regions.max_instances": settings.regions.limits.maxInstances = 2
        case "regions.max_newcomers_per_minute": settings.regions.limits.maxNewcomersPerMinute = 2
        case "radio.max_transmitters": settings.tracker.maxTransmitters = 2
        default: break
        }
        let reports = air.played(settings).1.compactMap { $0.content(PeopleReport.self) }
        #expect(reports.contains { !$0.isComplete } == (key != nil))
        #expect(reports.last?.isComplete == true)
        #expect(reports.allSatisfy { $0.regions == ["visitors"] })
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.counting_ms < $1.counting_ms })
    }

    @Test("Without the store's announcement nothing leaves but the gateway's own counts")
    func staysAlone() throws {
        let settings = try settings()
        var outputs = air.played(settings.gateway).1
        var sharing = try #require(PeopleSharing(settings))
        var forged = try announcement(of: try opener())
        forged[40] ^= 1
        let payloads: [(String, [UInt8]?)] = [("beacons/store/door/request/state", []), (store, forged), (store, nil)]
        let taken = payloads.map { sharing.receive($0.0, $0.1, at: .origin, .ofRecordings) }
        #expect(taken == [.no, .refused, .refused])
        sharing.pass(&outputs)
        #expect(messages(outputs).isEmpty && outputs.allSatisfy { $0.content(PeopleReport.self) == nil })
        #expect(outputs.compactMap { $0.content(VisitCount.self)?.left }.reduce(0, +) == 3)
    }

    @Test("Without a secret of the store, or without people, there is nothing to share")
    func needsSecret() throws {
        let alone = try settings("")
        #expect(PeopleSharing(alone) == nil)
        #expect(air.played(alone.gateway).1.allSatisfy { $0.content(PeopleReport.self) == nil })
        #expect(try Settings.parse("[privacy]\nsite_key_file = \"/key\"").gateway.sharesPeople == false)
    }

    @Test("An announcement a minute off is an old one, where both clocks are synchronised")
    func refusesOld() throws {
        let wall = WallTime(microseconds: 1_764_547_200_000_000)
        func taken(
            at offset_s: Double?, isSynced: Bool = true, isRecorded: Bool = false
        ) throws -> PeopleSharing.Taken {
            var sharing = try #require(PeopleSharing(try settings(), isRecorded: isRecorded))
            let payload = try opener().announcement(age_s: 7, at: offset_s.map { wall + .seconds($0) })
            return sharing.receive(store, payload, at: .origin, Timebase(at: .origin, wall: wall, isSynced: isSynced))
        }
        let announced = PeopleSharing.Taken.announced(until: .origin + .seconds(60))
        for offset_s in [-60.0, 0, 60] { #expect(try taken(at: offset_s) == announced) }
        for offset_s in [-86_400.0, -61, 61] { #expect(try taken(at: offset_s) == .refused) }
        #expect(try taken(at: nil) == .refused, "made while the store's clock was not synchronised, today or long ago")
        #expect(try taken(at: -86_400, isSynced: false) == announced)
        #expect(try taken(at: nil, isSynced: false) == .refused, "such a store counts no people, at no gateway")
        #expect(try taken(at: -86_400, isRecorded: true) == .announced(until: .distantFuture))
    }

    @Test("An announcement that comes again does not make the store count for longer")
    func refusesAgain() throws {
        var sharing = try #require(PeopleSharing(try settings()))
        let opener = try opener()
        let ages: [(age_s: UInt32, t_s: Double)] = [(7, 0), (7, 20), (17, 30)]
        let taken: [PeopleSharing.Taken] = try ages.map { announced in
            sharing.receive(
                store, try announcement(of: opener, age_s: announced.age_s), at: .origin + .seconds(announced.t_s),
                unsynced)
        }
        let expected: [PeopleSharing.Taken] = [
            .announced(until: .origin + .seconds(60)), .refused, .announced(until: .origin + .seconds(90)),
        ]
        #expect(taken == expected)
    }

    @Test("Of two keys the one announced later counts, and a recording of the former one does not displace it")
    func takesTheLater() throws {
        let wall = WallTime(microseconds: 1_764_547_200_000_000)
        let timebase = Timebase(at: .origin, wall: wall, isSynced: true)
        var sharing = try #require(PeopleSharing(try settings()))
        func taken(_ seed: UInt8, age_s: UInt32, made_s: Double, at t_s: Double) throws -> Bool {
            let payload = try opener(seed).announcement(age_s: age_s, at: wall + .seconds(made_s))
            return sharing.receive(store, payload, at: .origin + .seconds(t_s), timebase) != .refused
        }
        let story: [(UInt8, UInt32, Double, Double, Bool)] = [
            (1, 41, -19, 0, true), (2, 0, 0, 0, true), (1, 41, -19, 1, false), (1, 51, -9, 5, false),
            (2, 10, 10, 10, true), (3, 0, 12, 12, true),
            // The store's clock is set back by half a minute. Of one key the age decides; another key needs a later time than any before.
            (3, 10, -8, 22, true), (2, 10, 10, 23, false), (3, 20, 2, 32, true), (3, 20, 2, 33, false),
        ]
        for (seed, age_s, made_s, t_s, isTaken) in story {
            #expect(
                try taken(seed, age_s: age_s, made_s: made_s, at: t_s) == isTaken,
                "\(seed) made at \(made_s) s, at \(t_s) s")
        }
    }

    private let unsynced = Timebase(wallAtOrigin: .unixEpoch, isSynced: false)
}

@Suite("A gateway's counts beside those of its store")
struct CountsBesideStoreTests {
    private static let start = WallTime(microseconds: 1_764_547_200_000_000)
    private let timebase = Timebase(at: .origin, wall: Self.start, isSynced: true)

    private func counts() throws -> PeopleCounts {
        var region = BeaconRegion(id: "visitors", uuid: Air.uuid, isOfPeople: true, rules: BeaconRules.defaults)
        region.rules.countMinimum = 2
        return try #require(PeopleCounts([region], isDeaf: false, at: .origin, timebase, .utc))
    }

    private func minute(_ minute: Double) -> Instant { .origin + .seconds(minute * 60) }

    private func visit(_ from: Double, _ to: Double) -> RegionEvent.Kind {
        .exit(RegionStay(enteredAt: minute(from), lastHeardAt: minute(to), beginning: .observed))
    }

    /// The counts in minutes: `0-20: 2 in 2 left`.
    private func lines(_ counts: [VisitCount]) -> [String] {
        counts.map { count in
            let (from, to) = ((count.from - Self.start).seconds / 60, (count.to - Self.start).seconds / 60)
            return "\(Int(from))-\(Int(to)): \(count.entered ?? 0) in \(count.left ?? 0) left"
        }
    }

    @Test("The count at hand ends as the store begins to count, and the next begins as it counts no more")
    func takesTurns() throws {
        var counts = try counts()
        for _ in 0..<3 { counts.take(.enter, of: "visitors") }
        for _ in 0..<2 { counts.take(visit(1, 5), of: "visitors") }
        #expect(lines(counts.advance(to: minute(15))) == [])
        #expect(lines(counts.storeCounts(until: minute(41), at: minute(20))) == ["0-20: 2 in 2 left"])
        for _ in 0..<4 { counts.take(.enter, of: "visitors") }
        for _ in 0..<3 { counts.take(visit(21, 25), of: "visitors") }
        #expect(lines(counts.advance(to: minute(30))) == [] && counts.due == minute(41))
        #expect(lines(counts.storeCounts(until: minute(42), at: minute(31))) == [], "it counts on")
        #expect(lines(counts.advance(to: minute(41))) == [] && counts.due == minute(42))
        #expect(lines(counts.advance(to: minute(42))) == [] && counts.due == minute(45))
        for _ in 0..<2 { counts.take(.enter, of: "visitors") }
        // Visits that began before the count are in none.
        for from in [3.0, 41.9, 42, 43] { counts.take(visit(from, 44), of: "visitors") }
        #expect(lines(counts.stop(at: minute(50))) == ["42-45: 2 in 2 left"])
    }

    @Test("A count that is too small as the store begins is not published")
    func leavesOutSmall() throws {
        var counts = try counts()
        counts.take(.enter, of: "visitors")
        counts.take(visit(1, 5), of: "visitors")
        #expect(counts.storeCounts(until: minute(41), at: minute(10)).isEmpty)
    }

    @Test("A clock that is set back ends the count at once, and no visit is lost, also at a stop")
    func clockSetBack() throws {
        for isStopped in [false, true] {
            var counts = try counts()
            for _ in 0..<2 {
                counts.take(.enter, of: "visitors")
                counts.take(visit(1, 5), of: "visitors")
            }
            #expect(counts.advance(to: minute(15)).isEmpty)
            counts.follow(Timebase(at: .origin, wall: Self.start - .seconds(3_600), isSynced: true), at: minute(20))
            #expect(counts.due == minute(20))
            let published = isStopped ? counts.stop(at: minute(20)) : counts.advance(to: minute(20))
            #expect(published.compactMap(\.left) == [2] && published.allSatisfy { $0.from < $0.to })
        }
    }

    @Test("A stop after a clock that was set back shows no single person", arguments: [0, 1])
    func stopsAfterSettingBack(people: Int) throws {
        var counts = try counts()
        for _ in 0..<people {
            counts.take(.enter, of: "visitors")
            counts.take(visit(1, 2), of: "visitors")
        }
        counts.follow(Timebase(at: .origin, wall: Self.start - .seconds(300), isSynced: true), at: minute(3))
        #expect(counts.stop(at: minute(3)).isEmpty)
    }

    @Test("A gateway that stops while its store counts publishes no count")
    func stopsBeside() throws {
        var counts = try counts()
        _ = counts.storeCounts(until: minute(20), at: minute(1))
        for _ in 0..<2 {
            counts.take(.enter, of: "visitors")
            counts.take(visit(2, 5), of: "visitors")
        }
        #expect(counts.stop(at: minute(10)).isEmpty)
    }

    @Test("The engine passes the store's time on, and the counts that end with it come at once")
    func reachesEngine() throws {
        var air = Air(othersUntil_s: 1_400)
        air.threeVisitors()
        let settings = try Settings.visitors().gateway
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(settings, restoring: [], at: Story.startTime, outputs: &outputs)
        for transmission in air.inOrder {
            player.receive(
                transmission.event.span, at: Story.startTime + .seconds(transmission.t_s), outputs: &outputs)
            if transmission.t_s == 200 { player.storeCounts(&outputs) }
        }
        player.stop(&outputs)
        let counts = outputs.compactMap { $0.content(VisitCount.self) }
        #expect(counts.map(\.left) == [3] && counts.map { ($0.to - Story.startTime).seconds } == [200])
    }
}
