import TestAir
import Testing

@testable import Core

@Suite("The reports of people to the store")
struct PeopleSharingTests {
    private static let secret = [UInt8](repeating: 3, count: 32)
    private let store = "beacons/store/site/people"

    private func settings(_ privacy: String = "[privacy]\nsite_key_file = \"/etc/beacond/site.key\"") throws -> Settings
    {
        var settings = try Settings.parse(
            """
            [gateway]
            id = "door"
            [regions]
            settle_s = 0
            count_minimum = 2
            [[region]]
            id = "visitors"
            uuid = "\(Air.uuid)"
            people = true
            \(privacy)
            """)
        if settings.privacy.siteKeyFile != nil { settings.privacy.siteKey = Self.secret }
        return settings
    }

    /// Returns three visitors of 100 s. The quarter ends at 400 s of a story.
    private var air: Air {
        var air = Air()
        air.otherDevices(end_s: 1_400)
        air.threeVisitors()
        return air
    }

    private func announcement(of opener: PeopleOpener, age_s: UInt32 = 0) throws -> [UInt8] {
        try #require(opener.announcement(age_s: age_s))
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

    @Test("Without the store's announcement nothing leaves but the gateway's own counts")
    func staysAlone() throws {
        let settings = try settings()
        var outputs = air.played(settings.gateway).1
        var sharing = try #require(PeopleSharing(settings))
        var forged = try announcement(of: try opener())
        forged[40] ^= 1
        let payloads: [(String, [UInt8]?)] = [("beacons/store/door/request/state", []), (store, forged), (store, nil)]
        let taken = payloads.map { sharing.receive($0.0, $0.1, at: .origin, .ofRecordings) }
        #expect(taken == [false, true, true])
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

    @Test("No count of a gateway's own overlaps the time in which the store counts")
    func leavesOut() throws {
        func wall(_ t_s: Int64) -> WallTime {
            WallTime(microseconds: 1_764_547_200_000_000) + .milliseconds(t_s * 1_000)
        }
        func count(_ from_s: Int64, _ to_s: Int64) -> GatewayOutput {
            let count = VisitCount(
                region: "visitors", from: wall(from_s), to: wall(to_s), minimum: 5, entered: 5, left: 5, present: 0,
                isPartial: false)
            return .message(count, at: .origin)
        }
        let timebase = Timebase(at: .origin, wall: wall(0), isSynced: true)
        var sharing = try #require(PeopleSharing(try settings()))
        let opener = try opener()
        for t_s in stride(from: Int64(1_800), through: 3_600, by: 10) {
            let announcement = try announcement(of: opener, age_s: UInt32(t_s))
            _ = sharing.receive(store, announcement, at: .origin + .milliseconds(t_s * 1_000), timebase)
        }
        // The broker may send an old announcement again.
        _ = sharing.receive(
            store, try announcement(of: opener, age_s: 3_600), at: .origin + .milliseconds(4_000_000), timebase)
        var outputs = [
            count(0, 900), count(0, 1_800), count(900, 2_700), count(2_000, 2_700), count(3_600, 4_500),
            count(3_660, 4_500),
        ]
        let kept = [outputs[0], outputs[1], outputs[5]]
        sharing.pass(&outputs)
        #expect(outputs == kept)
    }
}
