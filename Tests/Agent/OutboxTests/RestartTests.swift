import CSQLite
import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import TestDisk

@Suite("The outbox across restarts")
struct RestartTests {
    private let folder = TemporaryFolder()
    private let disk = SimulatedDisk()

    @Test("After a restart the epoch, the numbers, the events, the records and the values go on")
    func goesOn() throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 5)
        outbox?.setValue([7], forKey: "key")
        let epoch = outbox?.numbering.epoch
        outbox = nil
        let next = try Outbox.open(folder, seed: 2)
        #expect(next.numbering == Numbering(epoch: epoch ?? "", next: [.events: 6]))
        #expect(next.lastRecord == 5)
        #expect(next.value(forKey: "key") == [7])
        try next.commitEvents(1)
        let events = next.drain()
        #expect(events.map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(events.holdForAll { $0.isWhole })
        #expect(next.takeGaps().isEmpty && next.takeReports().isEmpty)
    }

    @Test("An event that the broker refused is offered again after a restart")
    func parked() throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 3)
        let events = outbox?.drain() ?? []
        try #require(events.count == 3)
        outbox?.park(events[0])
        outbox?.acknowledge([events[1].position])
        outbox = nil
        let next = try Outbox.open(folder, seed: 2)
        #expect(next.health.parkedEvents == 0)
        #expect(next.drain().first?.seq == 1)
    }

    @Test("An acknowledgement costs no transaction of its own; the next one carries it, and the event stays away")
    func lazyDeletion() throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 5)
        let before = outbox?.health.transactions
        outbox?.acknowledge(outbox?.next(limit: 3).map(\.position) ?? [])
        #expect(outbox?.health.transactions == before)
        try outbox?.commitEvents(1)
        outbox = nil
        let again = try Outbox.open(folder)
        #expect(again.drain().map(\.seq) == [4, 5, 6])
    }

    @Test("After a crash before an acknowledgement is stored, the event only comes twice, under the same number")
    func lostAcknowledgement() throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 2)
        outbox?.acknowledge(outbox?.drain().map(\.position) ?? [])
        outbox = nil
        let again = try Outbox.open(folder)
        #expect(again.drain().map(\.seq) == [1, 2])
    }

    @Test("After a minute, after 1000 of them, and at the end, acknowledged events leave the file")
    func deletion() throws {
        let outbox = try Outbox.open(folder, events: 2_003)
        outbox.acknowledge(outbox.next(limit: 1).map(\.position))
        outbox.tick(59)
        #expect(outbox.bookkeeping.storedEvents == 2_003)
        outbox.tick(60)
        #expect(outbox.bookkeeping.storedEvents == 2_002)
        outbox.acknowledge(outbox.next(limit: 1_000).map(\.position))
        #expect(outbox.bookkeeping.storedEvents == 1_002)
        outbox.acknowledge(outbox.next(limit: 2).map(\.position))
        outbox.close()
        let again = try Outbox.open(folder)
        #expect(again.health.queuedEvents == 1_000)
    }

    @Test("A gap is repeated until subscribers received it, across restarts, and then no more")
    func gapsPersist() throws {
        let limits = OutboxLimits(maxEvents: 2, maxMiB: 16)
        var outbox: Outbox? = try Outbox.open(folder, limits: limits, events: 5)
        let gaps = outbox?.takeGaps() ?? []
        #expect(gaps.map(\.toSeq) == [3])
        outbox = nil
        outbox = try Outbox.open(folder, limits: limits)
        #expect(outbox?.takeGaps() == gaps)
        for gap in gaps { outbox?.confirm(gap) }
        outbox?.close()
        let again = try Outbox.open(folder, limits: limits)
        #expect(again.takeGaps().isEmpty)
    }

    @Test("Only the owner can read the file, since it holds keys")
    func privateFile() throws {
        let outbox = try Outbox.open(folder)
        try outbox.commitEvents(1)
        for name in ["outbox.sqlite", "outbox.sqlite-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("A second agent on the same folder is refused with the remedy, and the first goes on")
    func secondAgent() throws {
        let first = try Outbox.open(folder)
        #expect(throws: OutboxError.inUse(directory: folder.path)) { try Outbox.open(folder) }
        #expect(OutboxError.inUse(directory: "/x").description.contains("state_dir"))
        try first.commitEvents(1)
        #expect(first.isDurable)
    }

    @Test(
        "A file of an earlier or a later format stays as it is; the outbox works in memory and reports that",
        arguments: [1, Schema.version - 1, Schema.version + 1])
    func otherFormat(format: Int64) throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 3)
        outbox?.close()
        outbox = nil
        try Database(path: folder.database).execute("PRAGMA user_version = \(format)")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let refused = try Outbox.open(folder)
        #expect(
            refused.takeReports() == [
                "outbox: \(folder.database) has format \(format), and this beacond reads format \(Schema.version); going on in memory; "
                    + "run the beacond that made the file, or move it away; it is left as it is"
            ])
        try refused.commitEvents(2)
        refused.tick(1_000)
        #expect(refused.takeReports().isEmpty)
        #expect(refused.drain().map(\.seq) == [1, 2])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    @Test(
        "A hundred events in one commit cost one sync; the counters match the disk's, and count at least its bytes"
    )
    func wear() throws {
        let limits = OutboxLimits(maxEvents: 100_000, maxMiB: 2)
        let outbox = try Outbox.open(folder, vfs: disk.name, limits: limits, events: 100)
        disk.resetCounts()
        let before = outbox.health
        try outbox.commitEvents(100)
        #expect(disk.syncs == 1)
        for _ in 0..<200 { try outbox.commitEvents(20, payloadBytes: 100) }
        let after = outbox.health
        #expect(after.transactions - before.transactions == 201)
        #expect(abs(Int(after.syncs - before.syncs) - disk.syncs) <= 1)
        let counted = Int(after.bytesWritten - before.bytesWritten)
        #expect(counted >= disk.bytesWritten && counted <= 2 * disk.bytesWritten)
    }

    @Test("A thousand events that are committed one by one cost the disk a thousand syncs and less than 4 MiB")
    func wearOfSingleEvents() throws {
        let outbox = try Outbox.open(folder, vfs: disk.name)
        for index in 0..<100 { try commitLikeABeacon(outbox, index) }
        disk.resetCounts()
        let before = outbox.health.bytesWritten
        for index in 0..<1_000 {
            try commitLikeABeacon(outbox, index)
            outbox.acknowledge(outbox.drain().map(\.position))
            outbox.tick(Int64(index) * 3)
        }
        #expect(disk.syncs <= 1_000 + 3)
        // This disk counts more: SQLite fills up sectors unless a disk reports that it needs no such care.
        #expect(outbox.health.bytesWritten - before < 4 << 20, "\(outbox.health.bytesWritten - before)")
    }

    /// Commits an event and its region's record, both of the usual length.
    private func commitLikeABeacon(_ outbox: Outbox, _ index: Int) throws {
        try outbox.commit { numbering in
            let words = "\(numbering.epoch) \(numbering[.events]) minor=\(index % 100) at=\(index * 7_919)"
            return OutboxTransaction(
                messages: [
                    NumberedMessage(
                        numbering.number(), topic: "beacons/store/gateway/region/carts/1/\(index % 100)/event",
                        payload: Array((words + String(repeating: " what every event says", count: 18)).utf8))
                ],
                records: [
                    OutboxRecord(
                        key: "carts/1/\(index % 100)",
                        value: Array((words + String(repeating: " what records say", count: 10)).utf8))
                ])
        }
    }

    @Test("Forgetting acknowledged events needs no sync")
    func deletionWithoutSync() throws {
        let outbox = try Outbox.open(folder, vfs: disk.name, events: 4_000)
        disk.resetCounts()
        for _ in 0..<3 { outbox.acknowledge(outbox.next(limit: 1_000).map(\.position)) }
        #expect(outbox.bookkeeping.storedEvents == 1_000)
        #expect(disk.syncs == 0)
    }
}
