import Foundation
import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("An outbox that had to begin a new file")
struct NewFileTests {
    private func open(_ folder: String) throws -> Outbox {
        try Outbox(
            directory: folder, limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch,
            generator: SystemRandomNumberGenerator())
    }

    private let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

    @Test("Every region's last record and the key of the pseudonyms are stored again")
    func storedAgain() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outbox = try open(folder)
        let stored = StoredState(outbox, timebase, bootID: "boot")
        let composer = MessageComposer(
            Settings.defaults.identity.topics, Settings.defaults.privacy, Settings.defaults.gateway,
            pseudonymKey: stored.pseudonymKey)
        let dispatcher = Dispatcher(composer, outbox: outbox, stored: stored, bootID: "boot")
        let instance = RegionInstanceID(region: "carts")
        func record(since: Instant) -> RegionRecord {
            RegionRecord(
                instance: instance, .beacon(of: nil),
                .inside(
                    RegionRecord.OpenStay(
                        enteredAt: since, lastHeardAt: since,
                        keeper: BeaconKeeper(major: 1, minor: 2, rssi_dbm: nil))))
        }
        _ = try dispatcher.dispatch([.stays([record(since: .origin)])], timebase)
        _ = try dispatcher.dispatch([.stays([record(since: .origin + .seconds(5))])], timebase)

        // The outbox of a damaged or missing file continues without its content, and reports that.
        try outbox.commit { _ in OutboxTransaction(removedRecords: ["carts"]) }
        outbox.setValue([], forKey: StoredState.pseudonymKeyName)
        outbox.fileGeneration += 1
        try dispatcher.tidy(clearedTopics: [])
        outbox.close()

        let next = StoredState(try open(folder), timebase, bootID: "boot")
        #expect(next.regions.map(\.record) == [record(since: .origin + .seconds(5))])
        #expect(next.pseudonymKey == stored.pseudonymKey)
    }

    @Test("In a new epoch every unchanged state is published again, with that epoch and without an event")
    func statesOfNewEpoch() throws {
        let outbox = Outbox(limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch)
        let stored = StoredState(outbox, timebase, bootID: "boot")
        let composer = MessageComposer(
            Settings.defaults.identity.topics, Settings.defaults.privacy, Settings.defaults.gateway,
            pseudonymKey: stored.pseudonymKey)
        let dispatcher = Dispatcher(composer, outbox: outbox, stored: stored, bootID: "boot")
        var uneventful = transition("c")
        uneventful.event = nil
        _ = try dispatcher.dispatch([entry("a"), entry("b"), .transition(uneventful, record: nil)], timebase)
        #expect(dispatcher.statesOfNewEpoch(timebase).isEmpty)

        outbox.beginEpoch()
        _ = try dispatcher.dispatch([entry("b")], timebase)
        let states = dispatcher.statesOfNewEpoch(timebase)
        #expect(states.map(\.topic) == ["a", "c"].map { "beacons/store/gateway/region/\($0)/state" })
        for state in states {
            let payload = String(decoding: state.payload, as: UTF8.self)
            #expect(payload.contains("\"event_seq\":0"))
            #expect(payload.contains("\"epoch\":\"\(outbox.numbering.epoch)\""))
        }
        #expect(dispatcher.statesOfNewEpoch(timebase).isEmpty)
    }

    @Test("A stored number of an earlier epoch does not count in the next one")
    func storedNumberOfEarlierEpoch() throws {
        let outbox = Outbox(limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch)
        let composer = MessageComposer(
            Settings.defaults.identity.topics, Settings.defaults.privacy, Settings.defaults.gateway, pseudonymKey: [1])
        let dispatcher = Dispatcher(
            composer, outbox: outbox, stored: StoredState(outbox, timebase, bootID: "boot"), bootID: "boot")
        _ = try dispatcher.dispatch([entry("a")], timebase)
        outbox.beginEpoch()

        let next = Dispatcher(
            composer, outbox: outbox, stored: StoredState(outbox, timebase, bootID: "boot"), bootID: "boot")
        var stillInside = transition("a")
        stillInside.event = nil
        let said = try next.dispatch([.transition(stillInside, record: nil)], timebase)
        guard case .message(let state) = try #require(said.first).content else {
            Issue.record("a state was expected")
            return
        }
        #expect(String(decoding: state.payload, as: UTF8.self).contains("\"event_seq\":0"))
    }

    private func transition(_ region: String) -> RegionTransition {
        let observation = BeaconObservation(accuracy_m: 1, accuracyError_m: 0.5, proximity: .near, rssi_dbm: -60)
        let event = RegionEvent(
            .enter,
            by: .beacon(BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 2), observation))
        return RegionTransition(
            instance: RegionInstanceID(region: region), state: .inside, since: .origin, at: .origin, event: event)
    }

    private func entry(_ region: String) -> GatewayOutput {
        let record = RegionRecord(
            instance: RegionInstanceID(region: region), .beacon(of: nil),
            .inside(
                RegionRecord.OpenStay(
                    enteredAt: .origin, lastHeardAt: .origin,
                    keeper: BeaconKeeper(major: 1, minor: 2, rssi_dbm: -60))))
        return .transition(transition(region), record: record)
    }
}
