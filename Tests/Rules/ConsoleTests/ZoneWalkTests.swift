import Testing

@testable import Core

@Suite("A walk with a beacon teaches the zones")
struct ZoneWalkTests {
    private static let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)
    private let topics = TopicTree(prefix: "beacons", site: "store", gateway: "site")

    private func list(
        _ gateway: String, _ levels: [Int: Int], isDuplicate: Bool = false, at t_s: Double
    ) throws -> GatewayMessage {
        let extra = isDuplicate ? #","duplicate":true"# : ""
        let beacons = levels.map { minor, level in
            #"{"track":1,"uuid":"\#(Self.uuid)","major":1,"minor":\#(minor),"rssi_dbm":\#(level),"accuracy_m":2,"accuracy_error_m":1,"proximity":"near","measured_power_dbm":-59,"age_ms":0\#(extra)}"#
        }
        let payload =
            #"{"schema":1,"at":"2026-11-23T08:00:00.000Z","clock":"synced","region":"carts","count":1,"beacons":[\#(beacons.joined(separator: ","))]}"#
        return try GatewayMessage(
            topic: "beacons/store/\(gateway)/region/carts/ranging", payload: Array(payload.utf8), store: topics)
    }

    /// Walks a zone with constant levels; a second at a time.
    private func walk(
        _ walk: inout ZoneWalk, _ zone: String, _ levels: [String: Int], from t_s: Int, seconds: Int
    ) throws {
        walk.enter(zone, at: .origin + .seconds(Double(t_s)))
        for second in t_s..<t_s + seconds {
            let now = Instant.origin + .seconds(Double(second))
            for (gateway, level) in levels {
                walk.receive(try list(gateway, [1: level], at: Double(second)), at: now)
            }
            walk.advance(to: now)
        }
        walk.leave()
    }

    private var target: BeaconIdentityConstraint { BeaconIdentityConstraint(uuid: Self.uuid, major: nil, minor: nil) }

    @Test("Each second of a pass counts once it has settled, and the levels become the zone's vector")
    func vector() throws {
        var walk = ZoneWalk(target)
        try self.walk(&walk, "bakery", ["oven": -50, "door": -70], from: 10, seconds: 20)
        #expect(walk.seconds(in: "bakery") == 17)
        let zone = try #require(walk.map.zones.first)
        #expect(zone.name == "bakery" && zone.seconds == 17)
        #expect(zone.levels.map(\.id) == ["door", "oven"] && zone.levels.map(\.level_dbm) == [-70, -50])
    }

    @Test("A gateway that lists the beacon no more counts as one with the weakest level")
    func unheard() throws {
        var walk = ZoneWalk(target)
        try self.walk(&walk, "bakery", ["oven": -50, "door": -70], from: 0, seconds: 13)
        walk.receive(try list("door", [:], at: 13), at: .origin + .seconds(13))
        try self.walk(&walk, "bakery", ["oven": -50], from: 13, seconds: 13)
        let door = try #require(walk.map.zones.first?.levels.first)
        #expect(door.seconds == 10 && door.level_dbm == -82.5)
    }

    @Test("A zone that was walked for less than 10 s is not in the map, and the picture says so")
    func short() throws {
        var walk = ZoneWalk(target)
        try self.walk(&walk, "bakery", ["oven": -50], from: 0, seconds: 8)
        #expect(!walk.hasZones && walk.map.zones.isEmpty)
        #expect(walk.picture.first?.advice == .tooShort)
        try self.walk(&walk, "till", [:], from: 60, seconds: 15)
        #expect(walk.picture.last?.advice == .unheard)
    }

    @Test("Zones that sound different are told apart; equal ones get advice")
    func picture() throws {
        var walk = ZoneWalk(target)
        let loud = ["oven": -50, "door": -80, "till": -70]
        try self.walk(&walk, "bakery", loud, from: 0, seconds: 20)
        try self.walk(&walk, "till", ["oven": -75, "door": -60, "till": -50], from: 30, seconds: 20)
        #expect(walk.picture.map(\.right) == [1, 1] && walk.picture.allSatisfy { $0.advice == .good })
        // The former zones stay, and one that is walked again replaces the former one.
        var later = ZoneWalk(target)
        later.receive(walk.map)
        try self.walk(&later, "bread", loud, from: 0, seconds: 20)
        #expect(later.map.zones.map(\.name) == ["bakery", "bread", "till"])
        let bread = try #require(later.picture.first)
        #expect(bread.wrong?.zone == "bakery" && bread.advice == .walkAgain)
        #expect(WalkedZone.lines(later.picture).last?.contains("like bakery 100 %: walk it once more") == true)
        try self.walk(&later, "bread", loud, from: 40, seconds: 20)
        #expect(later.picture.first?.advice == .alike)
    }

    @Test("Where two gateways hear a zone that sounds like another, the advice is a gateway")
    func fewGateways() throws {
        var walk = ZoneWalk(target)
        try self.walk(&walk, "b", ["oven": -50, "door": -60], from: 0, seconds: 20)
        try self.walk(&walk, "a", ["oven": -50, "door": -60], from: 30, seconds: 20)
        #expect(walk.picture.contains { $0.advice == .fewGateways(2) })
    }

    @Test("Several beacons that match are named")
    func several() throws {
        var walk = ZoneWalk(target)
        walk.receive(try list("oven", [1: -50, 2: -60], at: 0), at: .origin)
        #expect(walk.severalBeacons.map(\.minor) == [1, 2])
    }

    @Test("A line is a number, a name, a word, or a new zone that is entered twice")
    func lines() {
        var dialog = WalkDialog(zones: ["fruit", "dairy", "fruit"])
        #expect(dialog.zones == ["fruit", "dairy"])
        #expect(dialog.read("2") == .enter(zone: "dairy"))
        #expect(dialog.read(" Fruit\r") == .enter(zone: "fruit"))
        #expect(dialog.read("") == .leave && dialog.read("done") == .done && dialog.read("quit") == .quit)
        guard case .print = dialog.read("cheese") else { return #expect(Bool(false), "a new name has to be confirmed") }
        #expect(dialog.read("cheese") == .enter(zone: "cheese") && dialog.read("3") == .enter(zone: "cheese"))
        guard case .print = dialog.read("a/b"), case .print = dialog.read("a/b") else {
            return #expect(Bool(false), "no name of a topic")
        }
        #expect(dialog.list { $0 == "dairy" ? 14 : 0 } == ["1   fruit", "2   dairy  14 s", "3   cheese"])
    }

    @Test("On the way it shows the strongest gateways, or why there are none")
    func line() throws {
        var walk = ZoneWalk(target)
        try self.walk(&walk, "bakery", [:], from: 0, seconds: 12)
        walk.enter("bakery", at: .origin + .seconds(20))
        #expect(walk.line(zoneOfStore: nil, at: .origin + .seconds(20)) == "bakery 0 s: no gateway lists the beacon")
        walk.receive(try list("oven", [1: -50], at: 20), at: .origin + .seconds(20))
        walk.receive(try list("door", [1: -71], at: 20), at: .origin + .seconds(20))
        #expect(
            walk.line(zoneOfStore: "bakery", at: .origin + .seconds(21))
                == "bakery 0 s: oven -50, door -71; the store says bakery")
        #expect(walk.line(zoneOfStore: "bakery", width: 25, at: .origin + .seconds(21)).count == 25)
    }

    @Test("Two beacons of the identity are named while a gateway hears both")
    func duplicates() throws {
        var walk = ZoneWalk(target)
        walk.enter("bakery", at: .origin)
        walk.receive(try list("oven", [1: -50], isDuplicate: true, at: 0), at: .origin)
        #expect(walk.line(zoneOfStore: nil, at: .origin + .seconds(1)).hasSuffix("switch all but one off"))
        walk.receive(try list("oven", [1: -50], at: 13), at: .origin + .seconds(13))
        #expect(walk.line(zoneOfStore: nil, at: .origin + .seconds(13)).hasSuffix("the store says no zone"))
    }
}
