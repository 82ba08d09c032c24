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

    private func sealer(_ opener: PeopleOpener, secret: [UInt8] = secret) -> PeopleSealer? {
        PeopleSealer(opener.announcement, siteKey: secret, store: Self.store)
    }

    private func seal(_ text: String, by sealer: PeopleSealer?, seed: UInt8 = 9) throws -> [UInt8] {
        try #require(sealer?.seal(Array(text.utf8), on: Self.door, random: [UInt8](repeating: seed, count: 32)))
    }

    @Test("The store opens what its gateway sealed, and each report has other octets")
    func opens() throws {
        let opener = try opener()
        let report = try seal("who is there", by: sealer(opener))
        #expect(opener.open(report, on: Self.door) == Array("who is there".utf8))
        let again = try seal("who is there", by: sealer(opener), seed: 10)
        #expect(
            again.dropFirst(1).prefix(32) != report.dropFirst(1).prefix(32) && again.suffix(12) != report.suffix(12))
        let words = Array("who is there".utf8)
        #expect(report.indices.holdForAll { !report[$0...].starts(with: words) })
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
        for length in [0, 1, 32, 33, 48] { #expect(opener.open(Array(report.prefix(length)), on: Self.door) == nil) }
    }

    @Test("A gateway believes only an announcement with the store's secret, on the store's topic")
    func believes() throws {
        let opener = try opener()
        #expect(sealer(opener) != nil)
        #expect(sealer(opener, secret: [UInt8](repeating: 7, count: 32)) == nil)
        #expect(PeopleSealer(opener.announcement, siteKey: Self.secret, store: "beacons/other/site/people") == nil)
        for length in [0, 1, 33, 64] {
            let short = Array(opener.announcement.prefix(length))
            #expect(PeopleSealer(short, siteKey: Self.secret, store: Self.store) == nil)
        }
        var changed = opener.announcement
        changed[5] ^= 1
        #expect(PeopleSealer(changed, siteKey: Self.secret, store: Self.store) == nil)
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

    @Test("A report is read as it was written, and no other name than a pseudonym")
    func reads() throws {
        var report = PeopleReport(people: [
            PeopleReport.Person(
                region: "visitors", name: "0011223344556677", entered_ms: 61_000, heard_ms: 12, rssi_dbm: -61.5,
                wasThere: true),
            PeopleReport.Person(
                region: "visitors", name: "8899aabbccddeeff", entered_ms: 0, heard_ms: 0, rssi_dbm: nil, wasThere: false
            ),
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
