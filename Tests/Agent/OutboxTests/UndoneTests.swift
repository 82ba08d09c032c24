import CSQLite
import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import TestDisk

/// A file system that fails may report a sync as done, and undo it when it is repaired.
@Suite("The outbox after its disk has undone what it had synced")
struct UndoneTests {
    private let folder = TemporaryFolder()
    private let disk = SimulatedDisk()

    /// An outbox with two events on the disk, and a third that the disk is going to undo.
    private func outbox(_ events: Int = 2, payloadBytes: Int = 0) throws -> Outbox {
        let outbox = try Outbox.open(folder, vfs: disk.name)
        for _ in 0..<events { try outbox.commitEvents(1, payloadBytes: payloadBytes) }
        disk.ignoresSyncs = true
        try outbox.commitEvents(1, payloadBytes: payloadBytes)
        disk.refuse(SQLITE_IOERR)
        return outbox
    }

    private func repair(_ outbox: Outbox) {
        disk.undo()
        disk.ignoresSyncs = false
        disk.repair()
        outbox.tick(300)
        #expect(outbox.isDurable && outbox.checkInvariants().isEmpty)
    }

    @Test("An event that was not handed out yet is delivered from memory, and stored again with its record")
    func waiting() throws {
        let outbox = try outbox()
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        #expect(outbox.fileGeneration == 1 && outbox.takeGaps().isEmpty)
        #expect(outbox.drain().map(\.seq) == [1, 2, 3])
        outbox.close()
        let next = try Outbox.open(folder, vfs: disk.name, seed: 2)
        #expect(next.drain().map(\.seq) == [1, 2, 3] && next.numbering == outbox.numbering)
    }

    @Test("An event that was delivered is no gap")
    func delivered() throws {
        let outbox = try outbox()
        outbox.acknowledge(outbox.drain().map(\.position))
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        #expect(outbox.takeGaps().isEmpty && outbox.health.queuedEvents == 0)
    }

    @Test("An event that is under way is a gap: the process may end first. Its acknowledgement holds up nothing")
    func underWay() throws {
        let outbox = try outbox()
        let events = outbox.drain()
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        #expect(outbox.takeGaps().map(\.numbers) == [NumberRun(3)])
        outbox.acknowledge(events.map(\.position))
        #expect(outbox.health.queuedEvents == 0 && outbox.checkInvariants().isEmpty)
        try outbox.commitEvents(1)
        #expect(outbox.drain().map(\.seq) == [4])
    }

    @Test("An event of a backlog, which is not in memory, is reported as a gap; those before it are delivered")
    func backlog() throws {
        let octets = Int(FreshMessages.largest_bytes) / 4
        let outbox = try outbox(8, payloadBytes: octets)
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        let gaps = outbox.takeGaps()
        #expect(gaps.map(\.numbers) == [NumberRun(9)] && gaps.map(\.cause) == [.disk])
        #expect(outbox.fileGeneration == 1)
        #expect(outbox.drain().map(\.seq) == Array(1...8))
        #expect(try outbox.commitEvents(1).messages.map(\.number.seq) == [10])
    }

    @Test("An event that the broker had refused is a gap, and is set aside no more")
    func parked() throws {
        let outbox = try outbox()
        let events = outbox.drain()
        outbox.acknowledge(events.dropLast().map(\.position))
        outbox.park(try #require(events.last))
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        #expect(outbox.takeGaps().map(\.numbers) == [NumberRun(3)])
        #expect(outbox.health.parkedEvents == 0 && outbox.health.queuedEvents == 0)
    }

    @Test("Records, gaps and the owner's name that are undone are written again")
    func others() throws {
        let outbox = try Outbox.open(folder, vfs: disk.name)
        try outbox.commitEvents(1)
        outbox.acknowledge(outbox.drain().map(\.position))
        disk.ignoresSyncs = true
        try outbox.commit { _ in OutboxTransaction(lostEvents: 2) }
        disk.refuse(SQLITE_IOERR)
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        #expect(outbox.fileGeneration == 1)
        outbox.close()
        let next = try Outbox.open(folder, vfs: disk.name, seed: 2)
        #expect(next.takeGaps().map(\.numbers) == [NumberRun(2, through: 3)])
        #expect(next.numbering[.events] == 4)
    }

    @Test("Numbers of an earlier epoch that reached the file late are a gap of that epoch where the file vanishes")
    func lateNumbers() throws {
        let octets = Int(FreshMessages.largest_bytes) / 2
        let outbox = try Outbox.open(folder, vfs: disk.name)
        try outbox.commitEvents(1)
        let former = outbox.numbering.epoch
        disk.refuse(SQLITE_IOERR)
        try outbox.commitEvents(3, payloadBytes: octets)
        outbox.beginEpoch()
        disk.repair()
        outbox.tick(100)
        #expect(outbox.isDurable)
        disk.refuse(SQLITE_IOERR)
        outbox.setValue([1], forKey: "key")
        disk.replace()
        repair(outbox)
        let gaps = outbox.takeGaps().filter { $0.epoch == former }
        let found = Set(outbox.drain().filter { $0.epoch == former }.map(\.seq))
        for seq in 1...4 as ClosedRange<Int64> {
            #expect(found.contains(seq) || gaps.contains { $0.numbers.contains(seq) }, "\(seq)")
        }
    }

    @Test("A whole epoch that is undone is a gap of that epoch")
    func epoch() throws {
        let first = try Outbox.open(folder, vfs: disk.name)
        try first.commitEvents(2)
        first.close()
        let outbox = try Outbox.open(folder, vfs: disk.name, seed: 2)
        let former = outbox.numbering.epoch
        outbox.beginEpoch()
        let epoch = outbox.numbering.epoch
        disk.ignoresSyncs = true
        try outbox.commitEvents(3)
        disk.refuse(SQLITE_IOERR)
        outbox.setValue([1], forKey: "key")
        repair(outbox)
        let gaps = outbox.takeGaps()
        #expect(gaps.map(\.epoch) == [epoch] && gaps.map(\.numbers) == [NumberRun(1, through: 3)])
        #expect(outbox.drain().map(\.epoch) == [former, former])
        outbox.acknowledge(outbox.drain().map(\.position))
        #expect(outbox.numbering == Numbering(epoch: epoch, next: [.events: 4]))
    }
}
