import CSQLite
import Testing

@testable import Agent
@testable import Core
@testable import TestDisk

@Suite("The outbox on a disk that fails")
struct FaultSweepTests {
    /// Small enough that the log is copied into the database several times.
    private let small = OutboxLimits(maxEvents: 1_000, maxMiB: 1)

    /// A typical run: commits with records, deliveries, deletions, a checkpoint. Returns the last number whose commit
    /// had reached the disk, as the outbox reported it, and the numbers that the broker acknowledged.
    private func live(_ outbox: Outbox) throws -> (durable: Int64, acknowledged: Set<Int64>) {
        var durable: Int64 = 0
        var acknowledged: Set<Int64> = []
        for round in 1...12 {
            try outbox.commitEvents(round % 4 + 1, payloadBytes: 600)
            if outbox.isDurable { durable = outbox.numbering[.events] - 1 }
            if round % 5 == 0 {
                let delivered = outbox.next(limit: 2)
                acknowledged.formUnion(delivered.map(\.seq))
                outbox.acknowledge(delivered.map(\.position))
                outbox.tick(Int64(round) * 100)
            }
            #expect(outbox.checkInvariants().isEmpty)
        }
        return (durable, acknowledged)
    }

    /// Checks the rules for any reopened outbox: whole events, every gap of numbers reported, and a record that agrees
    /// with the events.
    private func check(_ outbox: Outbox, upTo durable: Int64, delivered: Set<Int64>, _ what: Comment) throws {
        let events = outbox.drain()
        #expect(outbox.checkInvariants().isEmpty, what)
        #expect(events.filter { !$0.isWhole }.isEmpty, what)
        let stated = outbox.takeGaps()
        let epochs = Dictionary(grouping: events, by: \.epoch)
        for (epoch, events) in epochs {
            for (earlier, later) in zip(events, events.dropFirst()) where later.seq != earlier.seq + 1 {
                // While the disk cannot be read, later events are delivered before earlier ones.
                let missing = (earlier.seq + 1...later.seq - 1).filter { number in
                    !delivered.contains(number)
                        && !stated.contains { $0.epoch == epoch && ($0.fromSeq...$0.toSeq).contains(number) }
                }
                #expect(missing.isEmpty, what)
            }
        }
        if let last = events.last(where: { $0.epoch == outbox.numbering.epoch }) {
            #expect(last.seq >= durable, what)
            #expect(outbox.lastRecord == last.seq, what)
            #expect(outbox.numbering[.events] > last.seq, what)
        } else {
            #expect(durable == 0, what)
        }
    }

    /// A failure for each write and each sync of that run.
    private func faults(_ code: Int32) throws -> [SimulatedDisk.Fault] {
        let disk = SimulatedDisk()
        let folder = TemporaryFolder()
        _ = try live(try Outbox.open(folder, vfs: disk.name, limits: small))
        return (1...disk.writes).map { SimulatedDisk.Fault(operation: .write, number: $0, code: code) }
            + (1...disk.syncs).map { SimulatedDisk.Fault(operation: .sync, number: $0, code: code) }
    }

    @Test(
        "After a failure at any write or sync the events go on, and when the disk works again all of them are committed in order",
        arguments: [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY])
    func everyOperationFailsOnce(code: Int32) throws {
        let faults = try faults(code)
        #expect(faults.count > 40)
        for fault in faults {
            let disk = SimulatedDisk()
            let folder = TemporaryFolder()
            disk.fault = fault
            let outbox = try Outbox.open(folder, vfs: disk.name, limits: small)
            let delivered = try live(outbox).acknowledged
            disk.repair()
            outbox.tick(100_000)
            let what = Comment(rawValue: "code \(code) at \(fault.operation) \(fault.number)")
            #expect(outbox.condition == nil, what)
            #expect(outbox.takeGaps().isEmpty, what)
            let committed = outbox.numbering[.events] - 1
            outbox.close()
            try check(
                try Outbox.open(folder, vfs: disk.name, limits: small, seed: 2), upTo: committed, delivered: delivered,
                what)
        }
    }

    @Test(
        "A power cut at any write or sync loses no returned commit, and leaves none half done",
        arguments: [1, 2] as [UInt64])
    func powerCutAnywhere(seed: UInt64) throws {
        for (index, fault) in try faults(SQLITE_IOERR).enumerated() {
            let disk = SimulatedDisk(seed: seed &* 1_000 &+ UInt64(index))
            let folder = TemporaryFolder()
            disk.fault = fault
            var outbox: Outbox? = try Outbox.open(folder, vfs: disk.name, limits: small)
            let (durable, delivered) = try outbox.map(live) ?? (0, [])
            let (epoch, wasStored) = outbox.map { ($0.numbering.epoch, $0.bookkeeping.isEpochStored) } ?? ("", false)
            outbox = nil
            disk.repair()
            disk.cutPower()
            let what = Comment(rawValue: "seed \(seed), \(fault.operation) \(fault.number)")
            let next = try Outbox.open(folder, vfs: disk.name, limits: small, seed: 2)
            #expect(next.condition == nil, what)
            #expect(!wasStored || next.numbering.epoch == epoch, what)
            try check(next, upTo: next.numbering.epoch == epoch ? durable : 0, delivered: delivered, what)
        }
    }
}
