import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("The list of beacons is published page by page")
struct BeaconPageTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    private func start(
        table: String = "[beacons]", id: String = "door", uuid: String = "00000000-0000-0001-0000-000000000002",
        at now: Instant = .origin, after former: AgentStart? = nil
    ) throws -> AgentStart {
        former?.dispatcher.outbox.close()
        return try AgentStart(
            """
            [gateway]
            site = "north"
            id = "\(id)"
            [[region]]
            id = "carts"
            uuid = "\(uuid)"
            \(table)
            """, in: folder, at: now, .november)
    }

    private func tell(_ count: Int, _ parts: AgentStart, _ timebase: Timebase = .november) throws -> [Message] {
        let beacons = (0..<count).map { number in
            HeardBeacon(
                identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: UInt16(number)),
                firstHeard: .at(.origin), lastHeard: .at(.origin + .seconds(9)), interval_ms: 1_000, rssi_dbm: -70)
        }
        return try parts.dispatcher.dispatch([.message(BeaconList(beacons), at: .origin + .seconds(10))], timebase)
            .messages
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
        let after = try start(after: before)
        #expect(after.dispatcher.clearances.isEmpty)
        #expect(try tell(10, after).filter(\.clearsTopic).map(\.topic) == [topic(1), topic(2)])
    }

    @Test("A restart goes on with the beacons that were published")
    func restored() throws {
        let before = try start()
        _ = try tell(201, before)
        var (engine, outputs) = (try start(after: before).engine, [GatewayOutput]())
        engine.stop(&outputs)
        let beacons = try #require(outputs.last?.content(BeaconList.self)?.beacons)
        #expect(beacons.count == 201)
        #expect(beacons.last?.lastHeard == .wall(Timebase.november.wallAtOrigin + .seconds(9)))
    }

    @Test("A page that is cleared gives no beacon to a later process, also while the broker is away")
    func cleared() throws {
        let before = try start()
        _ = try tell(450, before)
        _ = try tell(10, before)
        #expect(try start(after: before).engine.figures.beaconLists?.listed == 10)
    }

    @Test("A process whose clock is not synced leaves the stored list as it is")
    func unsyncedProcess() throws {
        let before = try start()
        _ = try tell(20, before)
        var timebase = Timebase.november
        timebase.isSynced = false
        let published = try tell(3, before, timebase)
        #expect(try BeaconsPayload(decoding: try #require(published.first).payload).beacons.count == 3)
        #expect(try start(after: before).engine.figures.beaconLists?.listed == 20)
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
        let after = try start(table: "", after: before)
        #expect(after.dispatcher.clearances.map(\.topic) == [topic(0), topic(1), topic(2)])
        #expect(after.dispatcher.clearances.allSatisfy { $0.clearsTopic })
        #expect(after.engine.figures.beaconLists == nil)
    }

    @Test("The pages of this machine's previous id are cleared, and its beacons are not continued")
    func moved() throws {
        let before = try start()
        _ = try tell(201, before)
        let after = try start(id: "exit", after: before)
        #expect(Set(after.dispatcher.formerClearances.map(\.topic)).isSuperset(of: [topic(0), topic(1)]))
        #expect(after.engine.figures.beaconLists?.listed == 0)
    }

    @Test("A list of a clock that was not synced is not continued")
    func unsynced() throws {
        var timebase = Timebase.november
        timebase.isSynced = false
        let beacon = HeardBeacon(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 1),
            firstHeard: .at(.origin), lastHeard: .at(.origin))
        let page = BeaconList([beacon]).pages(by: .of(), at: .origin, timebase)
        #expect(BeaconsPayload.beacons(ofStored: page.map(\.payload)).isEmpty)
        #expect(BeaconsPayload.beacons(ofStored: [[], Array("{".utf8)]).isEmpty)
    }
}
