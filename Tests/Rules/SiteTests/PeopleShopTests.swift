import TestAir
import Testing

@testable import Core

/// A simulated shop of three rooms that counts its people: each gateway has its own engine and air, and seals its reports for the store.
private struct PeopleShop {
    private static let names = ["door", "oven", "till"]
    private static let secret = [UInt8](repeating: 3, count: 32)
    private static let timebase = Timebase(
        at: .origin, wall: WallTime(microseconds: 1_764_547_200_000_000), isSynced: true)

    /// A gateway with the packets of its air.
    private struct Gateway {
        let settings: Settings
        var simulation: StoreSimulation
        var packet: StoreSimulation.Packet?
        var engine: GatewayEngine
        var sharing: PeopleSharing?
        var outputs: [GatewayOutput] = []

        init(_ settings: Settings, room: Int, duration_s: Double) {
            self.settings = settings
            simulation = StoreSimulation(
                scenario: .rooms(seed: 5, duration: .seconds(duration_s), gateways: 3, listening: room), seed: 5)
            packet = simulation.next()
            engine = GatewayEngine(
                settings.gateway, restoring: [], radioSees: true, at: .origin, PeopleShop.timebase, outputs: &outputs)
            sharing = PeopleSharing(settings)
        }

        /// Begins as a new process that knows nothing.
        mutating func restart(at second: Double) {
            engine = GatewayEngine(
                settings.gateway, restoring: [], radioSees: true, at: .origin + .seconds(second), PeopleShop.timebase,
                outputs: &outputs)
            sharing = PeopleSharing(settings)
        }

        mutating func hear(until second: Double) {
            while let packet, packet.at < .origin + .seconds(second) {
                let event = AdvertisingReportEncoder.event([(packet.report, packet.data)])
                engine.receive(event.span, from: 0, at: packet.at, outputs: &outputs)
                self.packet = simulation.next()
            }
            engine.advance(through: .origin + .seconds(second), outputs: &outputs)
            sharing?.pass(&outputs)
        }

        mutating func take(_ announcement: PeopleMessage, at now: Instant) {
            if case .announced(let until)? = sharing?.receive(
                announcement.topic, announcement.payload, at: now, PeopleShop.timebase)
            {
                engine.storeCounts(until: until, at: now, outputs: &outputs)
            }
        }

        mutating func take() -> [GatewayOutput] {
            defer { outputs = [] }
            return outputs
        }
    }

    private var gateways: [Gateway] = []
    private let settings: Settings
    /// `nil` while the store's process is down.
    private var people: StorePeople?
    private var published: [GatewayOutput] = []
    private(set) var second = 0.0
    /// The counts that the gateways published themselves.
    private(set) var ownCounts: [VisitCount] = []
    let truth: StoreTruth

    init(duration_s: Double) throws {
        let parsed = try Self.names.map { name in
            var settings = try Settings.parse(
                """
                [gateway]
                id = "\(name)"
                [[region]]
                id = "visitors"
                uuid = "\(StoreScenario.storeUUID)"
                people = true
                [privacy]
                site_key_file = "/etc/beacond/site.key"
                [site]
                """
                    + Self.names.map { Store.gateway($0, zone: $0) }.joined())
            settings.privacy.siteKey = Self.secret
            return settings
        }
        for (room, settings) in parsed.enumerated() {
            gateways.append(Gateway(settings, room: room, duration_s: duration_s))
        }
        settings = parsed[0]
        truth = StoreScenario.rooms(seed: 5, duration: .seconds(duration_s), gateways: 3, listening: 0).truth
        try begin()
    }

    var start: WallTime { Self.timebase.wall(.origin) }

    /// The store's process begins.
    mutating func begin() throws {
        let site = try #require(settings.site)
        people = StorePeople(site, settings, settings.topics(of: site), at: .origin + .seconds(second), Self.timebase)
    }

    /// The store's process is killed.
    mutating func fail() throws {
        #expect(people != nil)
        people = nil
    }

    var counts: [VisitCount] { published.compactMap { $0.content(VisitCount.self) } }

    /// Lets seconds pass. The broker delivers within each of them.
    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            second += 1
            let now = Instant.origin + .seconds(second)
            let before = published.count
            people?.advance(to: now, Self.timebase, outputs: &published)
            let announcements = published.dropFirst(before).compactMap { $0.content(PeopleMessage.self) }
            for index in gateways.indices {
                gateways[index].hear(until: second)
                for output in gateways[index].take() {
                    if let report = output.content(PeopleMessage.self) {
                        _ = people?.receive(report.topic, report.payload, at: now)
                    } else if let count = output.content(VisitCount.self) {
                        ownCounts.append(count)
                    }
                }
                for announcement in announcements { gateways[index].take(announcement, at: now) }
            }
        }
    }

    mutating func restart(_ index: Int) {
        gateways[index].restart(at: second)
        let topic = "beacons/store/\(Self.names[index])/status"
        _ = people?.receive(topic, [], at: .origin + .seconds(second))
    }

    mutating func stop() { people?.stop(at: .origin + .seconds(second), outputs: &published) }
}

@Suite("A simulated shop that counts its people")
struct PeopleShopTests {
    @Test("Three gateways together count each visit once, with its dwell and its ways")
    func counts() throws {
        var shop = try PeopleShop(duration_s: 900)
        shop.pass(960)
        shop.stop()
        // The first person comes while the gateways start: nothing shows that the person was not there before.
        let visits = shop.truth.beacons.dropFirst().map { ($0.leftAt - $0.enteredAt).seconds }.filter { $0 > 5 }
        #expect(visits.count > 25)
        #expect(shop.counts.compactMap(\.entered).reduce(0, +) == Int64(visits.count))
        #expect(shop.counts.compactMap(\.left).reduce(0, +) == Int64(visits.count))
        #expect(shop.counts.flatMap(\.dwell).map(\.visits).reduce(0, +) == Int64(visits.count))
        for (from_s, to_s) in [(300, 600), (600, 1_200)] {
            let counted = shop.counts.flatMap(\.dwell).filter { $0.from_s == from_s }.map(\.visits).reduce(0, +)
            let stayed = visits.filter { Double(from_s) <= $0 && $0 < Double(to_s) }.count
            // A cell of fewer than five counts in the next one.
            #expect(abs(counted - Int64(stayed)) <= 4, "\(from_s) s")
        }
        let ways = try #require(shop.counts.compactMap(\.ways).first).cells.map(\.way)
        #expect(ways.contains(VisitCount.Way(from: "door", to: "oven")) && ways.contains { $0.to == "till" })
        #expect(shop.ownCounts.isEmpty, "the gateways leave the counting to the store")
    }

    @Test("Where the store fails the gateways count, and no time is in the counts of both")
    func takesTurns() throws {
        var shop = try PeopleShop(duration_s: 1_400)
        shop.pass(200)
        try shop.fail()
        shop.pass(560)
        #expect(shop.ownCounts.isEmpty)
        try shop.begin()
        shop.pass(50)
        shop.restart(0)
        shop.pass(590)
        shop.stop()
        let joint = try #require(shop.counts.first)
        #expect(shop.counts.count == 1 && (joint.left ?? 0) >= 5)
        #expect(shop.ownCounts.count == 3 && shop.ownCounts.allSatisfy { $0.left ?? 0 >= 5 })
        for own in shop.ownCounts {
            let (from_s, to_s) = ((own.from - shop.start).seconds, (own.to - shop.start).seconds)
            // The last announcement came 191 to 200 s after the start.
            #expect((250...261).contains(from_s) && (760...762).contains(to_s), "\(from_s) to \(to_s) s")
            #expect(own.to <= joint.from + .seconds(2))
        }
    }
}
