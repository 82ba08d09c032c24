import TestAir
import Testing

@testable import Core

/// A store that counts people, and gateways that report to it: what they hear is given by seconds.
private struct PeopleStore {
    private static let secret = [UInt8](repeating: 3, count: 32)
    static let start = WallTime(microseconds: 1_764_547_200_000_000)

    private(set) var people: StorePeople
    private(set) var outputs: [GatewayOutput] = []
    private let timebase = Timebase(at: .origin, wall: PeopleStore.start, isSynced: true)
    /// The entries and the levels at each gateway, by person.
    private var heard: [String: [String: (entered_s: Double, rssi_dbm: Double)]] = [:]
    private var second = 0.0
    /// The sealer of each gateway, with the announcement that it is made of.
    private var sealers: [String: (announcement: [UInt8], sealer: PeopleSealer)] = [:]
    /// The sealed reports, the first one first.
    private(set) var sent: [(topic: String, payload: [UInt8])] = []
    /// The second at which the process of a gateway started, where that is not the beginning.
    private var startedAt: [String: Double] = [:]
    /// The region in the gateways' reports.
    var region = "visitors"
    /// The gateways that did not see who of their people came in.
    var sawNoEntry: Set<String> = []
    /// The time between two reports of a gateway.
    var reportInterval_s = 2
    /// The gateways whose reports the broker keeps back.
    var keptBack: Set<String> = []

    /// - Parameter gateways: the gateways that report from the start.
    init(_ own: String = "", minimum: Int = 2, regions: String = "", gateways: [String] = []) throws {
        var settings = try Settings.parse(
            """
            [regions]
            count_minimum = \(minimum)
            \(regions)
            [[region]]
            id = "visitors"
            uuid = "\(Store.uuid)"
            people = true
            [privacy]
            site_key_file = "/etc/beacond/site.key"
            [site]
            \(own)
            [[site.gateway]]
            id = "door"
            zone = "entrance"
            [[site.gateway]]
            id = "oven"
            zone = "bakery"
            """)
        settings.privacy.siteKey = Self.secret
        let site = try #require(settings.site)
        people = try #require(
            StorePeople(
                site, settings, settings.topics(of: site), at: .origin, timebase))
        for gateway in gateways { begin(gateway) }
    }

    private var now: Instant { .origin + .seconds(second) }

    var counts: [VisitCount] { outputs.compactMap { $0.content(VisitCount.self) } }

    var announcements: [[UInt8]] { outputs.compactMap { $0.content(PeopleMessage.self)?.payload } }

    mutating func hear(
        _ person: String, at gateway: String, rssi_dbm: Double = -60, since entered_s: Double? = nil
    ) {
        let entered_s = entered_s ?? heard[gateway]?[person]?.entered_s ?? second
        heard[gateway, default: [:]][person] = (entered_s, rssi_dbm)
    }

    mutating func begin(_ gateway: String) { if heard[gateway] == nil { heard[gateway] = [:] } }

    mutating func lose(_ person: String, at gateway: String) { heard[gateway]?[person] = nil }

    /// People come to a gateway, stay for some seconds and leave; then some seconds pass.
    mutating func visit(_ people: [String], at gateway: String, for stay: Int, then after: Int) {
        for person in people { hear(person, at: gateway) }
        pass(stay)
        for person in people { lose(person, at: gateway) }
        pass(after)
    }

    /// Ends the process; returns its last count.
    mutating func lastCount() throws -> VisitCount {
        stop()
        return try #require(counts.last)
    }

    /// The gateway says nothing any more.
    mutating func silence(_ gateway: String) { heard[gateway] = nil }

    /// The process of the gateway starts again, and the store hears of it.
    mutating func restart(_ gateway: String) {
        sealers[gateway] = nil
        heard[gateway] = nil
        startedAt[gateway] = second
        _ = receive("beacons/store/\(gateway)/status", [])
        pass(1)
        heard[gateway] = [:]
    }

    mutating func receive(_ topic: String, _ payload: [UInt8]) -> Bool { people.receive(topic, payload, at: now) }

    /// Lets seconds pass, in which the gateways report.
    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            second += 1
            people.advance(to: now, timebase, outputs: &outputs)
            guard Int(second).isMultiple(of: reportInterval_s) else { continue }
            for (gateway, people) in heard { report(gateway, people) }
        }
    }

    /// Lets hours pass at once.
    mutating func elapse(hours: Double) {
        second += hours * 3_600 + (Int(second).isMultiple(of: 2) ? 1 : 0)
        people.advance(to: now, timebase, outputs: &outputs)
    }

    private mutating func report(_ gateway: String, _ people: [String: (entered_s: Double, rssi_dbm: Double)]) {
        guard
            let announcement = outputs.reversed().lazy.compactMap({ $0.content(PeopleMessage.self)?.payload }).first
        else { return }
        if sealers[gateway]?.announcement != announcement {
            sealers[gateway] = PeopleSealer(announcement, siteKey: Self.secret, store: "beacons/store/site/people")
                .map { (announcement, $0) }
        }
        guard let sealer = sealers[gateway]?.sealer else { return }
        let report = PeopleReport(
            regions: [region], counting_ms: Int64((second - startedAt[gateway, default: 0]) * 1_000),
            people: people.sorted { $0.key < $1.key }.compactMap { name, heard in
                sealer.name(name).map {
                    PeopleReport.Person(
                        region: region, name: $0, entered_ms: Int64((second - heard.entered_s) * 1_000),
                        heard_ms: 0,
                        rssi_dbm: heard.rssi_dbm, wasThere: sawNoEntry.contains(gateway))
                }
            })
        let topic = "beacons/store/\(gateway)/people"
        let sealed = sealers[gateway]?.sealer.seal(report.encoded, on: topic, random: PseudonymKey.random()) ?? []
        sent.append((topic, sealed))
        if keptBack.contains(gateway) { return }
        let isTaken = self.people.receive(topic, sealed, at: now)
        #expect(isTaken)
    }

    mutating func stop() { people.stop(at: now, outputs: &outputs) }
}

@Suite("The joint count of a store")
struct StorePeopleTests {
    @Test("A visit that two gateways heard counts once, with the dwell of both")
    func joins() throws {
        var store = try PeopleStore(gateways: ["door", "oven"])
        store.pass(10)
        for person in ["a", "b", "c"] { store.hear(person, at: "door") }
        store.pass(40)
        for person in ["a", "b"] { store.hear(person, at: "oven") }
        store.pass(20)
        for person in ["a", "b", "c"] { store.lose(person, at: "door") }
        store.pass(30)
        #expect(store.people.visitCount == 2)
        for person in ["a", "b"] { store.lose(person, at: "oven") }
        store.pass(20)
        #expect(store.people.visitCount == 0)
        store.stop()
        let count = try #require(store.counts.first)
        #expect(store.counts.count == 1 && count.entered == 3 && count.left == 3 && count.present == 0)
        // One of 60 s and two of 90 s.
        #expect(count.dwell == [VisitCount.Dwell(from_s: 60, visits: 3)])
    }

    @Test("A way counts once in a visit, and one with too few visits is left out")
    func ways() throws {
        var store = try PeopleStore(gateways: ["door", "oven"])
        store.pass(10)
        func go(_ person: String, to near: String, from far: String) {
            store.hear(person, at: near, rssi_dbm: -50)
            store.hear(person, at: far, rssi_dbm: -85)
        }
        for person in ["a", "b", "c"] { go(person, to: "door", from: "oven") }
        store.pass(30)
        for _ in 0..<3 {
            for person in ["a", "b"] { go(person, to: "oven", from: "door") }
            store.pass(30)
            go("a", to: "door", from: "oven")
            store.pass(30)
        }
        for gateway in ["door", "oven"] { for person in ["a", "b", "c"] { store.lose(person, at: gateway) } }
        store.pass(20)
        store.stop()
        let ways = try #require(store.counts.last?.ways)
        #expect(
            ways.cells == [
                VisitCount.Ways.Cell(way: VisitCount.Way(from: "entrance", to: "bakery"), visits: 2)
            ], "one person went back, several times")
    }

    @Test(
        "A person is forgotten within half a minute after the gateway falls silent, or after the last one has lost the person"
    )
    func forgets() throws {
        var store = try PeopleStore(gateways: ["door"])
        store.pass(10)
        store.hear("a", at: "door")
        store.pass(10)
        #expect(store.people.visitCount == 1)
        store.silence("door")
        store.pass(30)
        #expect(store.people.visitCount == 0)
        store.stop()
        let arePartial = store.counts.map(\.isPartial)
        #expect(arePartial == arePartial.map { _ in true })
    }

    @Test("Whoever was there at the store's start is in no count, and a restart forgets")
    func restarts() throws {
        var store = try PeopleStore()
        store.visit(["a", "b", "c"], at: "door", for: 20, then: 20)
        store.stop()
        #expect(store.counts.compactMap(\.entered).reduce(0, +) == 0)
        #expect(store.people.visitCount == 0)
    }

    @Test("The key is announced every ten seconds and to a new gateway, and each day has another one")
    func changesKey() throws {
        var store = try PeopleStore()
        func keys() -> Int { Set(store.announcements.map { $0[1..<33] }).count }
        store.begin("door")
        store.pass(60)
        #expect((6...7).contains(store.announcements.count) && keys() == 1)
        _ = store.receive("beacons/store/oven/status", [])
        store.pass(1)
        let announced = store.announcements.count
        _ = store.receive("beacons/store/oven/status", [])
        store.pass(1)
        #expect(store.announcements.count == announced + 1)
        store.elapse(hours: 23.9)
        #expect(keys() == 1)
        store.elapse(hours: 0.1)
        #expect(keys() == 2)
        store.elapse(hours: 24)
        #expect(keys() == 3)
    }

    @Test("A visit over midnight ends with the day and its key, and counts once")
    func endsWithTheKey() throws {
        var store = try PeopleStore(gateways: ["door"])
        store.pass(10)
        store.elapse(hours: 23.99)
        store.pass(4)
        for person in ["a", "b", "c"] { store.hear(person, at: "door") }
        store.pass(50)
        #expect(store.people.visitCount == 3, "they are inside under other names")
        let day = try #require(store.counts.last)
        #expect(day.entered == 3 && day.left == 3 && day.present == 0)
        #expect(day.to == PeopleStore.start + .seconds(86_400))
        for person in ["a", "b", "c"] { store.lose(person, at: "door") }
        store.pass(20)
        store.visit(["d", "e"], at: "door", for: 10, then: 20)
        store.stop()
        #expect(store.people.visitCount == 0 && store.counts.compactMap(\.left) == [3, 2])
    }

    @Test("A report that comes again, after a later one or too late makes no visit, and is counted as refused")
    func refusesReplays() throws {
        var store = try PeopleStore(gateways: ["door"])
        store.pass(10)
        store.visit(["a", "b", "c"], at: "door", for: 20, then: 20)
        #expect(store.people.visitCount == 0 && store.people.refused == 0)
        for report in store.sent + store.sent.reversed() { _ = store.receive(report.topic, report.payload) }
        #expect(store.people.visitCount == 0 && store.people.refused == 2 * UInt64(store.sent.count))

        store.restart("door")
        store.hear("a", at: "door")
        store.pass(4)
        #expect(store.people.visitCount == 1, "the reports of a restarted gateway are new")

        store.begin("oven")
        store.keptBack = ["oven"]
        store.hear("b", at: "oven")
        store.pass(4)
        let first = try #require(store.sent.last { $0.topic.contains("oven") })
        store.silence("oven")
        store.pass(40)
        _ = store.receive(first.topic, first.payload)
        #expect(store.people.visitCount == 1, "one that comes 40 s late is no news")
    }

    @Test("A store that restarts opens no report that was sent before")
    func restartsBesideReplays() throws {
        var (before, store) = (try PeopleStore(), try PeopleStore())
        before.hear("a", at: "door")
        before.pass(10)
        store.pass(10)
        for report in before.sent { _ = store.receive(report.topic, report.payload) }
        #expect(!before.sent.isEmpty && store.people.visitCount == 0)
    }

    @Test("While a gateway of the day is silent, each count is partial")
    func missesGateway() throws {
        var store = try PeopleStore(gateways: ["door", "oven"])
        store.reportInterval_s = 10
        for quarter in 0..<6 {
            let people = ["a", "b", "c"].map { "\($0) \(quarter)" }
            if quarter == 1 { store.silence("oven") }
            if quarter == 3 { store.begin("oven") }
            store.visit(people, at: "door", for: 60, then: 840)
        }
        store.stop()
        let lines = store.counts.map { count in
            "\((count.from - PeopleStore.start).seconds / 900) \(count.left ?? 0) \(count.isPartial)"
        }
        // The first count waits for people whose entry the store saw, the last one ends with the process.
        #expect(lines == ["0.0 3 true", "2.0 3 true", "3.0 3 true", "4.0 3 false", "5.0 3 true"])
    }

    @Test("A gateway enters no more people in a minute than its own limit allows")
    func limitsEntries() throws {
        var store = try PeopleStore(regions: "max_newcomers_per_minute = 3", gateways: ["door", "oven"])
        store.pass(10)
        for number in 0..<9 { store.hear("\(number)", at: "door") }
        store.pass(10)
        #expect(store.people.visitCount == 3)
        for number in 10..<12 { store.hear("\(number)", at: "oven") }
        store.pass(10)
        #expect(store.people.visitCount == 5, "another gateway has its own limit")
        store.pass(60)
        #expect(store.people.visitCount == 8)
        store.stop()
        #expect(store.counts.first?.isPartial == true)
    }

    @Test("A visit that began before the gateway's first report is in no count", arguments: [-86_400.0, 1, 20])
    func countsSinceFirstReport(entered_s: Double) throws {
        var store = try PeopleStore(gateways: ["door"])
        store.pass(100)
        for person in ["a", "b"] { store.hear(person, at: "door", since: entered_s) }
        store.pass(10)
        for person in ["a", "b"] { store.lose(person, at: "door") }
        store.pass(20)
        store.stop()
        #expect(store.counts.flatMap(\.dwell) == (entered_s == 20 ? [VisitCount.Dwell(from_s: 60, visits: 2)] : []))
    }

    @Test(
        "A region that the site's file does not have is refused with each report, whoever is inside, and makes counts partial"
    )
    func refusesUnknownRegion() throws {
        var store = try PeopleStore(gateways: ["oven"])
        store.pass(1_000)
        store.region = "guests"
        for isInside in [false, true] {
            let refused = store.people.refused
            if isInside { store.hear("a", at: "oven") }
            store.pass(10)
            #expect(store.people.refused == refused + 5 && store.people.visitCount == 0)
        }
        store.region = "visitors"
        store.silence("oven")
        store.elapse(hours: 24)
        #expect(store.counts.last?.isPartial == true)
    }

    /// The counts with their minutes since the start, their entries, and whether they are partial: `15-20 2 false`.
    private func lines(_ store: PeopleStore) -> [String] {
        store.counts.map { count in
            let minutes = [count.from, count.to].map { Int(($0 - PeopleStore.start).seconds / 60) }
            return "\(minutes[0])-\(minutes[1]) \(count.entered.map { "\($0)" } ?? "none") \(count.isPartial)"
        }
    }

    @Test(
        "A gateway that begins or starts again makes the count partial, whether a person is inside or none",
        arguments: [0, 1])
    func marksBeginning(people: Int) throws {
        for isRestart in [false, true] {
            var store = try PeopleStore(gateways: ["door"])
            store.reportInterval_s = 10
            if isRestart { store.begin("oven") }
            store.pass(960)
            if isRestart { store.restart("oven") }
            for number in 0..<people { store.hear("\(number)", at: "oven", since: 0) }
            store.begin("oven")
            store.pass(900)
            #expect(store.counts.isEmpty)
            store.stop()
            let beforeStop = lines(store)
            #expect(beforeStop == ["0-31 none true"])
        }
    }

    @Test(
        "Who was there as a gateway began enters where another gateway sees the entry, so that none keeps people out of the count"
    )
    func entersElsewhere() throws {
        var store = try PeopleStore(gateways: ["door"])
        store.pass(960)
        store.sawNoEntry = ["oven"]
        for person in ["a", "b", "c"] { store.hear(person, at: "oven", since: 0) }
        store.pass(60)
        for person in ["a", "b"] { store.hear(person, at: "door") }
        store.pass(90)
        for person in ["a", "b", "c"] {
            store.lose(person, at: "door")
            store.lose(person, at: "oven")
        }
        store.pass(60)
        let count = try store.lastCount()
        #expect(count.entered == 2 && count.left == 2 && count.dwell == [VisitCount.Dwell(from_s: 60, visits: 2)])
    }

    @Test("People who stay over midnight are in no count of the day, at most as many as were inside")
    func staysOverMidnight() throws {
        var store = try PeopleStore(gateways: ["door", "oven"])
        store.pass(10)
        store.elapse(hours: 23.99)
        store.pass(4)
        for person in ["a", "b"] { store.hear(person, at: "oven") }
        store.pass(50)
        // After midnight `oven` has two more people who, it says, came the day before.
        for person in ["c", "d"] { store.hear(person, at: "oven", since: 60) }
        store.pass(60)
        let before = store.counts.count
        for person in ["a", "b", "c", "d"] { store.hear(person, at: "door") }
        store.pass(60)
        for person in ["a", "b", "c", "d"] { for gateway in ["door", "oven"] { store.lose(person, at: gateway) } }
        store.pass(20)
        store.stop()
        #expect(store.counts.dropFirst(before).compactMap(\.entered) == [2])
    }

    @Test("People whom a gateway had inside as it fell silent are not counted again, at no gateway, for four minutes")
    func countsNotAgain() throws {
        for (pause_s, entered) in [(60, 2), (300, 4)] {
            var store = try PeopleStore(gateways: ["door", "oven"])
            store.pass(910)
            for person in ["a", "b"] { store.hear(person, at: "door") }
            store.pass(30)
            store.silence("door")
            store.pass(pause_s)
            store.sawNoEntry = ["door"]
            for person in ["a", "b"] { store.hear(person, at: "door", since: 910) }
            store.pass(30)
            for person in ["a", "b"] { store.hear(person, at: "oven") }
            store.pass(60)
            for person in ["a", "b"] { for gateway in ["door", "oven"] { store.lose(person, at: gateway) } }
            store.pass(60)
            store.stop()
            #expect(store.counts.compactMap(\.entered).reduce(0, +) == entered, "\(pause_s) s")
        }
    }

    @Test("A full limit makes the count partial by itself, whoever comes next", arguments: [0, 1])
    func marksLimit(people: Int) throws {
        var store = try PeopleStore(regions: "max_instances = 20\nmax_newcomers_per_minute = 0", gateways: ["door"])
        store.pass(200)
        store.visit(["early 0", "early 1"], at: "door", for: 10, then: 800)
        for number in 0..<20 { store.hear("\(number)", at: "door") }
        store.pass(4)
        for number in 0..<people { store.hear("late \(number)", at: "door") }
        store.pass(4)
        for number in 0..<20 { store.lose("\(number)", at: "door") }
        for number in 0..<people { store.lose("late \(number)", at: "door") }
        store.pass(900)
        store.visit(["later 0", "later 1"], at: "door", for: 10, then: 900)
        store.stop()
        #expect(lines(store).contains("15-30 20 true"), "\(lines(store))")
    }

    @Test("A gateway that starts again keeps its people for 20 s, so that each visit counts once")
    func keepsOverRestart() throws {
        var store = try PeopleStore(gateways: ["door"])
        store.pass(10)
        for person in ["a", "b", "c"] { store.hear(person, at: "door") }
        store.pass(60)
        store.restart("door")
        store.pass(6)
        store.sawNoEntry = ["door"]
        for person in ["a", "b"] { store.hear(person, at: "door") }
        store.pass(60)
        #expect(store.people.visitCount == 2)
        for person in ["a", "b"] { store.lose(person, at: "door") }
        store.pass(30)
        let count = try store.lastCount()
        #expect(count.entered == 3 && count.left == 3 && count.isPartial)
    }

    @Test("A gateway begins no more visits in a minute than its limit, also of people who were there")
    func limitsThoseWhoWereThere() throws {
        var store = try PeopleStore(regions: "max_newcomers_per_minute = 3", gateways: ["door"])
        store.pass(61)
        store.sawNoEntry = ["oven"]
        for number in 0..<9 { store.hear("\(number)", at: "oven") }
        store.pass(10)
        #expect(store.people.visitCount == 3)
        store.pass(60)
        #expect(store.people.visitCount == 6)
    }

    @Test("A gateway that is silent at midnight is missed on the next day too, and is taken to be gone after it")
    func missesOverMidnight() throws {
        var store = try PeopleStore()
        store.reportInterval_s = 10
        func passQuarters(_ count: Int) {
            for _ in 0..<count {
                store.visit(["a", "b"], at: "door", for: 60, then: 840)
            }
        }
        store.elapse(hours: 23)
        store.begin("door")
        store.begin("oven")
        store.pass(10)
        store.elapse(hours: 0)
        passQuarters(3)
        store.silence("oven")
        passQuarters(4)
        store.elapse(hours: 23)
        passQuarters(5)
        // Midnights are after 1,440 and 2,880 minutes. The first count after a pause of hours is partial anyway.
        #expect(
            lines(store).filter { !$0.contains("none") } == [
                "1380-1395 2 true", "1395-1410 2 false", "1410-1425 2 false", "1425-1440 2 true", "1440-1455 2 true",
                "1455-1470 2 true", "1470-1500 2 true", "2880-2895 2 false", "2895-2910 2 false", "2910-2925 2 false",
            ])
    }

    @Test("What is not sealed for the store changes nothing, and a gateway that invents people stays within the limits")
    func hostile() throws {
        var store = try PeopleStore("", minimum: 2)
        store.pass(2)
        let topics = [
            "store/door/people", "store/site/people", "store/door/status", "other/door/people", "store//people",
        ]
        let taken = topics.map { store.receive("beacons/" + $0, [UInt8](repeating: 1, count: 500)) }
        #expect(taken == [true, true, false, false, false], "the store's own announcement comes back")
        _ = store.receive("beacons/store/door/people", [])
        #expect(store.people.refused == 2 && store.people.visitCount == 0)
    }
}
