import Foundation
import Logging
import Testing

@testable import Agent
@testable import Core

@Suite("The list of beacons is published page by page")
struct BeaconPageTests {
    private static let timebase = Timebase(
        wallAtOrigin: WallTime(microseconds: 1_700_000_000_000_000), isSynced: true)
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    private func start(
        table: String = "[beacons]", id: String = "door", uuid: String = "00000000-0000-0001-0000-000000000002",
        at now: Instant = .origin
    ) throws -> AgentStart {
        let settings = try Settings.parse(
            """
            [gateway]
            site = "north"
            id = "\(id)"
            [[region]]
            id = "carts"
            uuid = "\(uuid)"
            \(table)
            """)
        let outbox = try Outbox(
            directory: folder, owner: GatewayIdentity(settings.identity.topics),
            limits: OutboxLimits(maxEvents: 100, maxMiB: 4), at: .origin, wallTime: .unixEpoch)
        return AgentStart(
            settings, outbox, at: now, Self.timebase, bootID: "boot", newKey: [UInt8](repeating: 9, count: 32),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func tell(_ count: Int, _ parts: AgentStart, _ timebase: Timebase = Self.timebase) throws -> [Message] {
        let beacons = (0..<count).map { number in
            HeardBeacon(
                identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: UInt16(number)),
                firstHeard: .at(.origin), lastHeard: .at(.origin + .seconds(9)), interval_ms: 1_000, rssi_dbm: -70)
        }
        return try parts.dispatcher.dispatch([.message(BeaconList(beacons), at: .origin + .seconds(10))], timebase)
            .compactMap { if case .message(let message) = $0.content { message } else { nil } }
    }

    private func topic(_ page: Int) -> String { "beacons/north/door/beacons/\(page)" }

    @Test("A page has at most 200 beacons; an empty list has one page")
    func pages() throws {
        let parts = try start()
        for (count, sizes) in [(0, [0]), (1, [1]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])] {
            let published = try tell(count, parts).filter { !$0.payload.isEmpty }
            #expect(published.map(\.topic) == sizes.indices.map(topic))
            let read = try published.map { try BeaconsPayload(decoding: $0.payload) }
            #expect(read.map(\.beacons.count) == sizes)
            #expect(read.map(\.page) == Array(sizes.indices) && read.allSatisfy { $0.pages == sizes.count })
            #expect(published.allSatisfy { $0.isRetained && $0.qos == .atLeastOnce })
        }
    }

    @Test("Pages that a shorter list does not need are cleared")
    func shorter() throws {
        let parts = try start()
        _ = try tell(450, parts)
        let published = try tell(10, parts)
        #expect(published.filter(\.clearsTopic).map(\.topic) == [topic(1), topic(2)])
        try parts.dispatcher.tidy(clearedTopics: [topic(1), topic(2)])
        #expect(try tell(10, parts).filter(\.clearsTopic).isEmpty)
    }

    @Test("A restart keeps the pages, and its first shorter list clears the others")
    func restarted() throws {
        let before = try start()
        _ = try tell(450, before)
        before.dispatcher.outbox.close()
        let after = try start()
        #expect(after.dispatcher.clearances.isEmpty)
        #expect(try tell(10, after).filter(\.clearsTopic).map(\.topic) == [topic(1), topic(2)])
    }

    @Test("A restart goes on with the beacons that were published")
    func restored() throws {
        let before = try start()
        _ = try tell(201, before)
        before.dispatcher.outbox.close()
        var (engine, outputs) = (try start().engine, [GatewayOutput]())
        engine.stop(&outputs)
        guard let beacons = outputs.last?.content(BeaconList.self)?.beacons else {
            Issue.record("a list was expected")
            return
        }
        #expect(beacons.count == 201)
        #expect(beacons.last?.lastHeard == .wall(Self.timebase.wallAtOrigin + .seconds(9)))
    }

    @Test("A page that is cleared gives no beacon to a later process, also while the broker is away")
    func cleared() throws {
        let before = try start()
        _ = try tell(450, before)
        _ = try tell(10, before)
        before.dispatcher.outbox.close()
        #expect(try start().engine.figures.beaconLists?.listed == 10)
    }

    @Test("A process whose clock is not synced leaves the stored list as it is")
    func unsyncedProcess() throws {
        let before = try start()
        _ = try tell(20, before)
        var timebase = Self.timebase
        timebase.isSynced = false
        let published = try tell(3, before, timebase)
        #expect(try BeaconsPayload(decoding: try #require(published.first).payload).beacons.count == 3)
        before.dispatcher.outbox.close()
        #expect(try start().engine.figures.beaconLists?.listed == 20)
    }

    @Test(
        "A restart forgets beacons that have been silent for ten report intervals, and those of a region that is gone")
    func forgotten() throws {
        let before = try start()
        _ = try tell(20, before)
        before.dispatcher.outbox.close()
        #expect(try start(at: .origin + .seconds(36_009)).engine.figures.beaconLists?.listed == 20)
        #expect(try start(at: .origin + .seconds(36_010)).engine.figures.beaconLists?.listed == 0)
        let other = try start(uuid: "39ED98FF-2900-441A-802F-9C398FC199D2")
        #expect(other.engine.figures.beaconLists?.listed == 0)
    }

    @Test("Without the table, all pages are cleared at the next start")
    func removed() throws {
        let before = try start()
        _ = try tell(450, before)
        before.dispatcher.outbox.close()
        let after = try start(table: "")
        #expect(after.dispatcher.clearances.map(\.topic) == [topic(0), topic(1), topic(2)])
        #expect(after.dispatcher.clearances.allSatisfy { $0.clearsTopic })
        #expect(after.engine.figures.beaconLists == nil)
    }

    @Test("The pages of this machine's previous id are cleared, and its beacons are not continued")
    func moved() throws {
        let before = try start()
        _ = try tell(201, before)
        before.dispatcher.outbox.close()
        let after = try start(id: "exit")
        #expect(Set(after.dispatcher.formerClearances.map(\.topic)).isSuperset(of: [topic(0), topic(1)]))
        #expect(after.engine.figures.beaconLists?.listed == 0)
    }

    @Test("A list of a clock that was not synced is not continued")
    func unsynced() throws {
        var timebase = Self.timebase
        timebase.isSynced = false
        let composer = MessageComposer(
            topics: TopicTree(prefix: "beacons", site: "north", gateway: "door"), version: "1",
            pseudonym: DevicePseudonym(form: .omit, key: [1], deviceNames: []), rangingExpiry_s: 1)
        let beacon = HeardBeacon(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 1),
            firstHeard: .at(.origin), lastHeard: .at(.origin))
        let page = BeaconList([beacon]).pages(by: composer, at: .origin, timebase)
        #expect(BeaconsPayload.beacons(ofStored: page.map(\.payload)).isEmpty)
        #expect(BeaconsPayload.beacons(ofStored: [[], Array("{".utf8)]).isEmpty)
    }
}
