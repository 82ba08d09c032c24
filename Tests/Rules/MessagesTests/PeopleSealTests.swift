import TestAir
import Testing

@testable import Core

@Suite("The seal of reports of people")
struct PeopleSealTests {
    private static let secret = Array("a secret of the store, of 32 octets".utf8)
    private static let store = "beacons/store/site/people"
    private static let door = "beacons/store/door/people"

    private func opener(_ seed: UInt8 = 1, secret: [UInt8] = secret) throws -> PeopleOpener {
        try #require(PeopleOpener([UInt8](repeating: seed, count: 32), siteKey: secret, store: Self.store))
    }

    private func sealer(_ opener: PeopleOpener, secret: [UInt8] = secret, age_s: UInt32 = 0) -> PeopleSealer? {
        opener.announcement(age_s: age_s).flatMap { PeopleSealer($0, siteKey: secret, store: Self.store) }
    }

    private func seal(_ text: String, by sealer: PeopleSealer?, seed: UInt8 = 9) throws -> [UInt8] {
        var sealer = try #require(sealer)
        let report = sealer.seal(Array(text.utf8), on: Self.door, random: [UInt8](repeating: seed, count: 32))
        return try #require(report)
    }

    @Test("The store opens what its gateway sealed, and each report has other octets")
    func opens() throws {
        let opener = try opener()
        let report = try seal("who is there", by: sealer(opener))
        #expect(opener.open(report, on: Self.door)?.content == Array("who is there".utf8))
        let again = try seal("who is there", by: sealer(opener), seed: 10)
        #expect(
            again.dropFirst(1).prefix(32) != report.dropFirst(1).prefix(32) && again.suffix(12) != report.suffix(12))
        let words = Array("who is there".utf8)
        #expect(report.indices.holdForAll { !report[$0...].starts(with: words) })
    }

    @Test("The order of a gateway's reports grows with each report, and with each announcement")
    func orders() throws {
        let opener = try opener()
        var orders: [UInt64] = []
        for age_s: UInt32 in [0, 7, 300, 70_000] {
            var announced = try #require(sealer(opener, age_s: age_s))
            for seed: UInt8 in 1...3 {
                let report = announced.seal([], on: Self.door, random: [UInt8](repeating: seed, count: 32))
                let opened = try #require(report.flatMap { opener.open($0, on: Self.door) })
                #expect(opened.age_s == age_s)
                orders.append(opened.order)
            }
        }
        #expect(zip(orders, orders.dropFirst()).allSatisfy(<))
    }

    @Test("An announcement that comes again, or late, is no newer one")
    func isNewer() throws {
        let opener = try opener()
        let (first, second) = (try #require(sealer(opener, age_s: 10)), try #require(sealer(opener, age_s: 256)))
        #expect(second.isNewer(than: first) && !first.isNewer(than: second) && !first.isNewer(than: first))
        #expect(try #require(sealer(try self.opener(2))).isNewer(than: second))
    }

    @Test("Nothing else opens: another topic, key or secret, a changed octet, a short report")
    func refuses() throws {
        let opener = try opener()
        let report = try seal("who is there", by: sealer(opener))
        #expect(opener.open(report, on: "beacons/store/oven/people") == nil)
        #expect(try self.opener(2).open(report, on: Self.door) == nil, "the key of another day")
        let other = [UInt8](repeating: 7, count: 32)
        #expect(try self.opener(secret: other).open(report, on: Self.door) == nil)
        for index in report.indices {
            var changed = report
            changed[index] ^= 1
            #expect(opener.open(changed, on: Self.door) == nil)
        }
        for length in [0, 1, 32, 33, 41, 48] {
            #expect(opener.open(Array(report.prefix(length)), on: Self.door) == nil)
        }
    }

    @Test("A gateway believes only an announcement with the store's secret, on the store's topic")
    func believes() throws {
        let opener = try opener()
        let announcement = try #require(opener.announcement(age_s: 70_000))
        #expect(sealer(opener) != nil)
        #expect(sealer(opener, secret: [UInt8](repeating: 7, count: 32)) == nil)
        #expect(PeopleSealer(announcement, siteKey: Self.secret, store: "beacons/other/site/people") == nil)
        for length in [0, 1, 33, 36, 37, 40, 41, 72] {
            let short = Array(announcement.prefix(length))
            #expect(PeopleSealer(short, siteKey: Self.secret, store: Self.store) == nil)
        }
        for index in announcement.indices {
            var changed = announcement
            changed[index] ^= 1
            #expect(PeopleSealer(changed, siteKey: Self.secret, store: Self.store) == nil)
        }
    }

    @Test("An announcement has the store's time, or none where its clock is not synchronised")
    func dates() throws {
        let opener = try opener()
        let at = WallTime(microseconds: 1_764_547_200_999_999)
        let dated = try #require(opener.announcement(age_s: 70_000, at: at))
        #expect(dated[33..<41].elementsEqual([0x69, 0x2C, 0xDA, 0x80, 0, 1, 0x11, 0x70]))
        let sealer = PeopleSealer(dated, siteKey: Self.secret, store: Self.store)
        #expect(sealer?.announcedAt == WallTime(microseconds: 1_764_547_200_000_000))
        #expect(try #require(self.sealer(opener)).announcedAt == nil)
    }

    @Test("All gateways name a person alike on one day, and otherwise on the next")
    func names() throws {
        let (today, tomorrow) = (try #require(sealer(try opener())), try #require(sealer(try opener(2))))
        let again = try #require(sealer(try opener()))
        #expect(today.name("person 1") == again.name("person 1"))
        #expect(today.name("person 1") != today.name("person 2"))
        #expect(today.name("person 1") != tomorrow.name("person 1"))
        // Computed from the definitions of X25519, HKDF and HMAC, as the suite Privacy computes its names.
        #expect(today.name("person 1") == "d27d6880079d82fe")
    }

    @Test("A sealed report has one length for up to forty people, and another step for each forty more")
    func pads() throws {
        let lengths = [0, 1, 5, 30, 100].map { count in
            let person = PeopleReport.Person(
                region: "visitors", name: "0123456789abcdef", entered_ms: 3_600_000, heard_ms: 12_000, rssi_dbm: -60.5,
                wasThere: false)
            return PeopleReport(
                regions: ["visitors"], counting_ms: 60_000,
                people: [PeopleReport.Person](repeating: person, count: count)
            ).encoded.count
        }
        #expect(lengths == [4_096, 4_096, 4_096, 4_096, 12_288])
    }

    @Test("One person changes no length, however many regions there are", arguments: [1, 20, 131, 134, 270])
    func padsRegions(count: Int) {
        let person = PeopleReport.Person(
            region: "visitors", name: "0123456789abcdef", entered_ms: 3_600_000, heard_ms: 12_000, rssi_dbm: -60.5,
            wasThere: false)
        let regions = (0..<count).map { "region-of-people-\(100 + $0)" }
        let lengths = [[], [person]].map { people in
            PeopleReport(regions: regions, counting_ms: 60_000, people: people).encoded.count
        }
        #expect(lengths[0] == lengths[1])
    }

    @Test("A report is read as it was written, and no other name than a pseudonym")
    func reads() throws {
        var report = PeopleReport(
            regions: ["visitors", "guests"], counting_ms: 61_500,
            people: [
                PeopleReport.Person(
                    region: "visitors", name: "0011223344556677", entered_ms: 61_000, heard_ms: 12, rssi_dbm: -61.5,
                    wasThere: true),
                PeopleReport.Person(
                    region: "visitors", name: "8899aabbccddeeff", entered_ms: 0, heard_ms: 0, rssi_dbm: nil,
                    wasThere: false),
            ])
        #expect(try PeopleReport(decoding: report.encoded) == report)
        report.isComplete = false
        #expect(try PeopleReport(decoding: report.encoded) == report)
        report.people[0].name = "39ED98FF-2900-441A-802F-9C398FC199D2/visitors/7/1"
        #expect(throws: PayloadError.self) { try PeopleReport(decoding: report.encoded) }
        report.people = Array(repeating: report.people[1], count: PeopleReport.most + 1)
        #expect(throws: PayloadError.self) { try PeopleReport(decoding: report.encoded) }
        #expect(throws: PayloadError.self) { try PeopleReport(decoding: Array("{}".utf8)) }
    }
}
