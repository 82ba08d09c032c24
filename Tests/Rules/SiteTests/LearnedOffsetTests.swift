import Testing

@testable import Core

@Suite("Zones use the offsets that a store has learned")
struct LearnedOffsetTests {
    private static let toml = """
        [site]
        learn = true
        regions = ["carts"]
        """

    /// A gateway's record with an offset.
    private func record(_ id: String, offset_db: Double, plusMinus_db: Double = 1) -> StoredLearning {
        var record = StoredLearning(id: id, since: Store.start)
        record.offset = StoredLearning.Offset(offset_db: offset_db, plusMinus_db: plusMinus_db, links: 4)
        return record
    }

    /// The zone of a cart that `a` hears 4 dB better than `b`.
    private func zone(_ toml: String, _ records: [StoredLearning]) throws -> String? {
        var store = try Store(toml, learned: records)
        store.enter("a", at: 1)
        store.enter("b", at: 1)
        store.list(["a": -60, "b": -64], from: 2, to: 20)
        return store.zoneEvents.first
    }

    @Test("A sure offset decides the zone at once after a start")
    func used() throws {
        #expect(try zone(Self.toml, [])?.contains("zone/a") == true)
        #expect(try zone(Self.toml, [record("b", offset_db: 12)])?.contains("zone/b") == true)
    }

    @Test("An unsure offset changes nothing, and a named one counts instead")
    func unused() throws {
        #expect(try zone(Self.toml, [record("b", offset_db: 12, plusMinus_db: 3.5)])?.contains("zone/a") == true)
        let named = Self.toml + Store.gateway("a") + Store.gateway("b") + "\nrssi_offset_db = 0"
        #expect(try zone(named, [record("b", offset_db: 12)])?.contains("zone/a") == true)
    }

    @Test("Without learn nothing is learned, published or read")
    func off() throws {
        var store = try Store("[site]", learned: [record("b", offset_db: 12)])
        store.advance(to: 90_000)
        #expect(store.learned == nil)
        #expect(store.engine.figures(at: store.engine.now).store?.suspects == nil)
        store.say("a", "beacons/0", "{}", at: 90_001)
        #expect(store.refusals == [.notJoined])
    }

    /// A store that four gateways have listed each other to for 30 hours. Gateway c hears 6 dB less than the others.
    ///
    /// - Parameter age_s: of each list at its arrival.
    private func listed(isSynced: Bool = true, age_s: Double = 0) throws -> Store {
        let gateways = [("a", 0), ("b", 8), ("c", 16), ("d", 24)].map { id, x in
            Store.gateway(id, at: (Double(x), Double(x % 16)))
        }
        var store = try Store(Self.toml + gateways.joined())
        let ids = ["a", "b", "c", "d"]
        for (number, id) in ids.enumerated() { store.advertise(id, minor: number, at: 1) }
        for hour in 0..<30 {
            for (number, id) in ids.enumerated() {
                let heard = ids.indices.filter { $0 != number }.map { other in
                    (other, -60 - 6 * abs(other - number) - (id == "c" ? 6 : 0))
                }
                let told_s = Double(hour * 3_600 + 10 + number)
                store.beacons(id, heard, isSynced: isSynced, told_s: told_s, at: told_s + age_s)
            }
        }
        return store
    }

    @Test("Gateways' lists become offsets and a report after a night, with the retain flag as the broker delivers them")
    func learned() throws {
        let store = try listed()
        let report = try #require(store.learned)
        #expect(report.gateways.map(\.id) == ["a", "b", "c", "d"])
        let offset_db = report.gateways.map(\.rssiOffset_db)
        #expect((3...7).contains(offset_db[2] - (offset_db[0] + offset_db[1] + offset_db[3]) / 3))
        #expect(report.suspects.isEmpty)
        #expect(store.engine.figures(at: store.engine.now).store?.suspects == 0)
    }

    @Test("A list that is older than a minute, or without a synced clock, shows nothing of the present levels")
    func old() throws {
        #expect(try listed(age_s: 59).learned != nil)
        #expect(try listed(age_s: 61).learned == nil)
        #expect(try listed(isSynced: false).learned == nil)
    }
}
