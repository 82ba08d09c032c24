import CSQLite
import Testing

@testable import Outbox

@Suite("The outbox on a disk that fails")
struct FaultSweepTests {
    /// A day in the life: commits with records, deliveries, deletions, a checkpoint. Returns the last number whose commit
    /// had reached the disk, by the outbox's own word.
    private func live(_ outbox: Outbox) throws -> Int64 {
        var durable: Int64 = outbox.isDurable ? outbox.numbering.nextSequence - 1 : 0
        for round in 1...12 {
            try outbox.commitEvents(round % 4 + 1, payloadBytes: 600)
            if outbox.isDurable { durable = outbox.numbering.nextSequence - 1 }
            if round % 5 == 0 {
                outbox.acknowledge(outbox.next(limit: 2).map(\.position))
                outbox.tick(Int64(round) * 100)
            }
            if round == 8 { outbox.close() }
        }
        return durable
    }

    /// What must hold in any outbox that is opened after anything: whole events, numbers without a gap that is not
    /// stated, and a record that agrees with the events.
    private func check(_ outbox: Outbox, upTo durable: Int64, _ what: Comment) throws {
        let events = outbox.drain()
        #expect(events.allSatisfy(\.isWhole), what)
        let stated = outbox.takeGaps()
        let epochs = Dictionary(grouping: events, by: \.epoch)
        for (epoch, events) in epochs {
            for (earlier, later) in zip(events, events.dropFirst()) where later.seq != earlier.seq + 1 {
                #expect(
                    stated.contains { $0.epoch == epoch && $0.fromSeq <= earlier.seq + 1 && $0.toSeq >= later.seq - 1 },
                    what)
            }
        }
        if let last = events.last(where: { $0.epoch == outbox.numbering.epoch }) {
            #expect(last.seq >= durable, what)
            #expect(outbox.lastRecord == last.seq, what)
            #expect(outbox.numbering.nextSequence > last.seq, what)
        } else {
            #expect(durable == 0, what)
        }
    }

    private func operations() throws -> (writes: Int, syncs: Int) {
        let disk = FaultyDisk()
        let folder = TemporaryFolder()
        let outbox = try Outbox.open(folder, vfs: disk.name)
        _ = try live(outbox)
        return (disk.writes, disk.syncs)
    }

    @Test(
        "After a failure at any write or sync the events go on, and when the disk works again all of them are committed in order",
        arguments: [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY])
    func everyOperationFailsOnce(code: Int32) throws {
        let total = try operations()
        let faults =
            (1...total.writes).map { FaultyDisk.Fault(operation: .write, number: $0, code: code, lasts: true) }
            + (1...total.syncs).map { FaultyDisk.Fault(operation: .sync, number: $0, code: code, lasts: true) }
        #expect(faults.count > 40)
        for fault in faults {
            let disk = FaultyDisk()
            let folder = TemporaryFolder()
            disk.fault = fault
            let outbox = try Outbox.open(folder, vfs: disk.name)
            _ = try live(outbox)
            disk.repair()
            outbox.tick(100_000)
            let what = Comment(rawValue: "code \(code) at \(fault.operation) \(fault.number)")
            #expect(outbox.condition == nil, what)
            #expect(outbox.takeGaps().isEmpty, what)
            let committed = outbox.numbering.nextSequence - 1
            outbox.close()
            try check(try reopened(folder, disk, outbox), upTo: committed, what)
        }
    }

    @Test(
        "A power cut at any write or sync loses nothing whose commit returned, and nothing is half there",
        arguments: [1, 2, 3] as [UInt64])
    func powerCutAnywhere(seed: UInt64) throws {
        let total = try operations()
        let faults =
            (1...total.writes).map { FaultyDisk.Fault(operation: .write, number: $0, code: SQLITE_IOERR, lasts: true) }
            + (1...total.syncs).map { FaultyDisk.Fault(operation: .sync, number: $0, code: SQLITE_IOERR, lasts: true) }
        for (index, fault) in faults.enumerated() {
            var generator = SeededGenerator(seed: seed &* 1_000 &+ UInt64(index))
            let disk = FaultyDisk()
            let folder = TemporaryFolder()
            disk.fault = fault
            var outbox: Outbox? = try Outbox.open(folder, vfs: disk.name)
            let durable = try outbox.map(live) ?? 0
            let (epoch, wasStored) = outbox.map { ($0.numbering.epoch, $0.book.isEpochStored) } ?? ("", false)
            outbox = nil
            disk.cutPower(&generator)
            let what = Comment(rawValue: "seed \(seed), \(fault.operation) \(fault.number)")
            let next = try Outbox.open(folder, vfs: disk.name, seed: 2)
            #expect(next.condition == nil, what)
            if wasStored { #expect(next.numbering.epoch == epoch, what) }
            try check(next, upTo: next.numbering.epoch == epoch ? durable : 0, what)
        }
    }

    /// The lock goes with the outbox that holds it, so the old one has to be out of the way first.
    private func reopened(_ folder: TemporaryFolder, _ disk: FaultyDisk, _ old: Outbox) throws -> Outbox {
        old.folder?.release()
        return try Outbox.open(folder, vfs: disk.name, seed: 2)
    }
}
