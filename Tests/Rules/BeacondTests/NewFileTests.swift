import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("An outbox that had to begin a new file")
struct NewFileTests {
    private func open(_ folder: String) throws -> Outbox {
        try Outbox(
            directory: folder, limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch)
    }

    @Test("Every region's last record and the key of the pseudonyms are stored again")
    func storedAgain() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outbox = try open(folder)
        let stored = StoredState(outbox, .epoch, bootID: "boot")
        let composer = MessageComposer(
            Settings.defaults.identity.topics, Settings.defaults.privacy, Settings.defaults.gateway,
            pseudonymKey: stored.pseudonymKey)
        let dispatcher = Dispatcher(composer, outbox: outbox, stored: stored, bootID: "boot")
        let instance = RegionInstanceID(region: "carts")
        func record(since: Instant) -> RegionRecord {
            .inside(instance, entered: since, heard: since, rssi_dbm: nil)
        }
        _ = try dispatcher.dispatch([.stays([record(since: .origin)])], .epoch)
        _ = try dispatcher.dispatch([.stays([record(since: .origin + .seconds(5))])], .epoch)

        // The outbox of a damaged or missing file continues without its content, and reports that.
        try outbox.commit { _ in OutboxTransaction(removedRecords: ["carts"]) }
        outbox.setValue([], forKey: StoredState.pseudonymKeyName)
        outbox.fileGeneration += 1
        try dispatcher.tidy(clearedTopics: [])
        outbox.close()

        let next = StoredState(try open(folder), .epoch, bootID: "boot")
        #expect(next.regions.map(\.record) == [record(since: .origin + .seconds(5))])
        #expect(next.pseudonymKey == stored.pseudonymKey)
    }

    @Test("In a new epoch every unchanged state is published again, with that epoch and without an event")
    func statesOfNewEpoch() throws {
        let outbox = try Outbox.inMemory()
        let dispatcher = Dispatcher(outbox)
        var uneventful = transition("c")
        uneventful.event = nil
        _ = try dispatcher.dispatch([entry("a"), entry("b"), .transition(uneventful, record: nil)], .epoch)
        #expect(dispatcher.statesOfNewEpoch(.epoch).isEmpty)

        outbox.beginEpoch()
        _ = try dispatcher.dispatch([entry("b")], .epoch)
        let states = dispatcher.statesOfNewEpoch(.epoch)
        #expect(states.map(\.topic) == ["a", "c"].map { "beacons/store/gate/region/\($0)/state" })
        for state in states {
            let payload = String(decoding: state.payload, as: UTF8.self)
            #expect(payload.contains("\"event_seq\":0"))
            #expect(payload.contains("\"epoch\":\"\(outbox.numbering.epoch)\""))
        }
        #expect(dispatcher.statesOfNewEpoch(.epoch).isEmpty)
    }

    @Test("A stored number of an earlier epoch does not count in the next one")
    func storedNumberOfEarlierEpoch() throws {
        let outbox = try Outbox.inMemory()
        _ = try Dispatcher(outbox).dispatch([entry("a")], .epoch)
        outbox.beginEpoch()

        var stillInside = transition("a")
        stillInside.event = nil
        let said = try Dispatcher(outbox).dispatch([.transition(stillInside, record: nil)], .epoch)
        let state = try #require(said.messages.first)
        #expect(String(decoding: state.payload, as: UTF8.self).contains("\"event_seq\":0"))
    }

    private func transition(_ region: String) -> RegionTransition {
        RegionTransition(
            instance: RegionInstanceID(region: region), state: .inside, since: .origin, at: .origin,
            event: RegionEvent(.enter))
    }

    private func entry(_ region: String) -> GatewayOutput {
        .transition(transition(region), record: .inside(RegionInstanceID(region: region)))
    }
}
