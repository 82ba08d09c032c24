import Configuration
import Foundation
import Gateway
import HCI
import Messages
import Regions
import Testing

@testable import Outbox
@testable import Daemon
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
        let composer = MessageComposer(try Settings.parse(""), pseudonymKey: stored.pseudonymKey)
        let dispatcher = Dispatcher(composer, outbox: outbox, stored: stored, bootID: "boot")
        let instance = RegionInstanceID(region: "carts")
        func record(since: Instant) -> RegionRecord {
            RegionRecord(
                instance: instance, isInside: true, since: since, major: 1, minor: 2, lastHeardAt: since,
                patience: .zero, rssi_dbm: nil, isPartial: false)
        }
        _ = try dispatcher.dispatch([.stays([record(since: .origin)])], timebase)
        _ = try dispatcher.dispatch([.stays([record(since: .origin + .seconds(5))])], timebase)

        // What the outbox does when its file is damaged or gone: it goes on without what stood there, and says so.
        try outbox.commit { _ in OutboxTransaction(removedRecords: ["carts"]) }
        outbox.setValue([], forKey: StoredState.pseudonymKeyName)
        outbox.fileGeneration += 1
        try dispatcher.tidy(clearedTopics: [])
        outbox.close()

        let next = StoredState(try open(folder), timebase, bootID: "boot")
        #expect(next.regions.map(\.record) == [record(since: .origin + .seconds(5))])
        #expect(next.pseudonymKey == stored.pseudonymKey)
    }
}
