import TestAir
import Testing

@testable import Core

@Suite("A store uses the zone map of a walk")
struct ZoneMapTests {
    private static let toml = "[site]" + Store.gateway("a") + Store.gateway("b")

    private func zone(_ name: String, _ levels: [String: Double]) -> ZoneMap.Zone {
        ZoneMap.Zone(
            name: name, seconds: 30,
            levels: levels.sorted { $0.key < $1.key }.map {
                ZoneMap.Level(id: $0.key, level_dbm: $0.value, spread_db: 3, seconds: 30)
            })
    }

    private var map: ZoneMap {
        ZoneMap(zones: [zone("a", ["a": -50, "b": -75]), zone("middle", ["a": -62, "b": -64])])
    }

    @Test("With ±8 dB and five gateways for nine zones, the map makes zones right that levels do not", arguments: 1...3)
    func fewGateways(seed: Int) throws {
        let store = WalkedStore(seed: UInt64(seed), rooms: 9, gatewaysIn: [0, 2, 4, 6, 8], offsets_db: 8)
        let (without, with) = (try store.share(nil), try store.share(WalkedMap(store.walk()).map))
        print("nine zones, five gateways, seed \(seed): \(without) right without the map, \(with) with it")
        #expect(with > without + 0.2)
    }

    @Test("With a gateway in each zone and ±8 dB, the map is better than levels alone", arguments: 1...3)
    func offsets(seed: Int) throws {
        let store = WalkedStore(seed: UInt64(seed), rooms: 6, gatewaysIn: Array(0..<6), offsets_db: 8)
        let (without, with) = (try store.share(nil), try store.share(WalkedMap(store.walk()).map))
        print("six zones, six gateways, seed \(seed): \(without) right without the map, \(with) with it")
        #expect(with > without + 0.02)
    }

    @Test("A walked zone without a gateway has visits, whatever power the beacon has", arguments: [-8.0, 0, 8])
    func withoutGateway(power_db: Double) throws {
        var store = try Store(Self.toml)
        store.use(map, at: 0.5)
        store.enter("a", at: 1)
        store.list(["a": -62 + power_db, "b": -64 + power_db], from: 2, to: 20)
        store.list(["a": -50 + power_db, "b": -75 + power_db], from: 21, to: 40)
        #expect(
            store.zoneWords == [
                "enter carts/zone/middle", "exit carts/zone/middle", "enter carts/zone/a",
            ])
        // Any gateway that heard the walk shows that the beacon is still there.
        let last = try #require(store.zoneStays(in: "middle").first?.lastHeardAt)
        #expect((19...24).contains((last - .origin).seconds))
    }

    @Test("A zone that was not walked keeps the rule of its gateway")
    func notWalked() throws {
        var store = try Store(Self.toml)
        store.use(map, at: 0.5)
        store.enter("b", at: 1)
        store.list(["a": -80, "b": -45], from: 2, to: 20)
        #expect(store.listed?.beacons.first?.place?.zone == "b")
    }

    @Test("A map that is forgotten leaves its zones, and levels decide again")
    func forgotten() throws {
        var store = try Store(Self.toml)
        store.use(map, at: 0.5)
        store.enter("a", at: 1)
        store.list(["a": -62, "b": -64], from: 2, to: 20)
        store.use(nil, at: 20.5)
        store.list(["a": -55, "b": -75], from: 21, to: 40)
        #expect(store.zoneEvents.last?.hasPrefix("enter carts/zone/a") == true)
    }

    @Test("A forgotten zone without a gateway takes no share of a beacon")
    func forgottenShare() throws {
        var stores = [try Store(Self.toml), try Store(Self.toml)]
        stores[0].use(map, at: 0.5)
        for index in stores.indices {
            stores[index].enter("a", at: 1)
            stores[index].list(["a": -62, "b": -64], from: 2, to: 20)
        }
        stores[0].use(nil, at: 20.5)
        for index in stores.indices { stores[index].list(["a": -60, "b": -66], from: 21, to: 80) }
        let places = stores.map { $0.listed?.beacons.first?.place }
        let (forgotten, never) = (try #require(places[0]), try #require(places[1]))
        #expect(forgotten.zone == never.zone && !forgotten.others.contains { $0.zone == "middle" })
        #expect((forgotten.confidence - never.confidence).magnitude < 0.01)
    }

    @Test("Where only one gateway of the map hears, its gateways' rule counts")
    func oneHears() throws {
        var store = try Store(Self.toml)
        store.use(map, at: 0.5)
        store.status("b", online: false, at: 0.6)
        store.enter("a", at: 1)
        store.list(["a": -62], from: 2, to: 20)
        #expect(store.listed?.beacons.first?.place?.zone == "a")
    }

    @Test("Gateways that are not listed, and zones beyond the limit, are named")
    func named() throws {
        var store = try Store(Self.toml)
        let other = ZoneMap(zones: [zone("a", ["a": -50, "z": -60])])
        #expect(store.use(other, at: 1)?.contains("gateways that are not listed: z") == true)
        #expect(store.use(map, at: 2) == nil)
        let many = ZoneMap(zones: (1...64).map { zone("zone-\($0)", ["a": -50, "b": -60]) })
        #expect(store.use(many, at: 3)?.contains("zones for which there is no room: zone-64") == true)
    }

    @Test("A payload is refused with more than it may have, or with other names than a topic takes")
    func refused() throws {
        let payload = ZonesPayload(map, at: .origin, Timebase(wallAtOrigin: Store.start, isSynced: true))
        #expect(try ZonesPayload.map(payload.encoded) == map)
        #expect(try ZonesPayload.map([]) == nil)
        for wrong in [
            ZoneMap(zones: (0...64).map { zone("zone-\($0)", ["a": -50]) }), ZoneMap(zones: [zone("a/b", ["a": -50])]),
            ZoneMap(zones: [zone("a", ["a": -500])]), ZoneMap(zones: [zone("a", [:])]),
            ZoneMap(zones: [zone("a", ["a": -50]), zone("a", ["a": -50])]),
            ZoneMap(zones: (0..<64).map { zone("zone-\($0)", ["a-\($0)": -50, "b-\($0)": -50]) }),
        ] {
            let octets = ZonesPayload(wrong, at: .origin, Timebase(wallAtOrigin: Store.start, isSynced: true)).encoded
            #expect(throws: PayloadError.self) { try ZonesPayload.map(octets) }
        }
    }

    @Test("The names of walked zones outlive the process, so that their visits go on")
    func names() throws {
        let names = ["cheese", "Käse & Wurst"]
        var composer = MessageComposer.of("site")
        let context = PublicationContext(
            at: .origin, Timebase(wallAtOrigin: Store.start, isSynced: true),
            number: { _ in fatalError("it has no number") }, eventSeq: { _ in 0 })
        let stored = WalkedZones(names).publication(by: &composer, context)
        let record = try #require(stored.records.first)
        #expect(WalkedZones(record.value, key: record.key)?.names == names)
        #expect(WalkedZones([]).publication(by: &composer, context).removedKeys == [record.key])
        let settings = try #require(try Settings.parse(Self.toml).site)
        let visit = RegionInstanceID(region: "carts", .whole, zone: "cheese")
        #expect(SiteEngine.Scope(settings, walked: Set(names)).holds(visit))
        #expect(!SiteEngine.Scope(settings).holds(visit))
    }
}
