import CSQLite
import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import TestDisk

@Suite("The outbox while its disk refuses")
struct DegradedTests {
    private let folder = TemporaryFolder()
    private let disk = SimulatedDisk()

    private func open(_ limits: OutboxLimits = generous, seed: UInt64 = 1) throws -> Outbox {
        try .open(folder, vfs: disk.name, limits: limits, seed: seed)
    }

    /// Commits events in a process that ends. Returns the events' epoch.
    private func leaveEvents(_ count: Int, in folder: TemporaryFolder, on disk: SimulatedDisk) throws -> String {
        let outbox = try Outbox.open(folder, vfs: disk.name, events: count)
        return outbox.numbering.epoch
    }

    /// An outbox that has committed so many events before its disk refuses everything.
    private func refused(after events: Int, _ code: Int32, _ limits: OutboxLimits = generous) throws -> Outbox {
        let outbox = try open(limits)
        try outbox.commitEvents(events)
        disk.refuse(code)
        return outbox
    }

    @Test(
        "It reports the fault once, in one line with a remedy, and goes on delivering from memory",
        arguments: [
            (SQLITE_FULL, OutboxCondition.Cause.diskFull), (SQLITE_READONLY, .readOnly), (SQLITE_IOERR, .inputOutput),
        ])
    func says(code: Int32, cause: OutboxCondition.Cause) throws {
        let outbox = try refused(after: 2, code)
        let epoch = outbox.numbering.epoch
        try outbox.commitEvents(2)
        try outbox.commitEvents(1)
        for second in 1..<40 as Range<Int64> { outbox.tick(second) }
        #expect(outbox.condition?.cause == cause)
        let reports = outbox.takeReports()
        #expect(reports.count == 1)
        #expect(reports.first?.hasPrefix("outbox: \(cause.rawValue)") == true)
        #expect(reports.first?.contains("\n") == false)
        #expect(!(outbox.condition?.remedy.isEmpty ?? true))
        #expect(outbox.numbering == Numbering(epoch: epoch, next: [.events: 6]))
        // Also where the file can't be read: its events are in memory still.
        #expect(outbox.drain().map(\.seq) == [1, 2, 3, 4, 5])
        #expect(outbox.health.queuedEvents == 5 && outbox.health.eventsInMemory == 3)
        disk.repair()
        outbox.tick(200)
        #expect(outbox.condition == nil && outbox.health.eventsInMemory == 0)
        #expect(outbox.takeReports().count == 1)
        #expect(outbox.drain().isEmpty)
        outbox.close()
        let next = try open()
        #expect(next.drain().map(\.seq) == [1, 2, 3, 4, 5])
        #expect(next.lastRecord == 5)
    }

    @Test("Events acknowledged meanwhile do not come back with the disk")
    func acknowledgedMeanwhile() throws {
        let outbox = try refused(after: 3, SQLITE_FULL)
        try outbox.commitEvents(3)
        let events = outbox.drain()
        outbox.acknowledge([events[0].position, events[4].position])
        disk.repair()
        outbox.tick(100)
        #expect(outbox.isDurable)
        outbox.close()
        let again = try open()
        #expect(again.drain().map(\.seq) == [2, 3, 4, 6])
    }

    @Test(
        "Acknowledged events whose deletion a failing disk has undone do not wait again",
        arguments: 1...8 as ClosedRange<UInt64>)
    func deletionUndone(seed: UInt64) throws {
        let disk = SimulatedDisk(seed: seed)
        let outbox = try Outbox.open(folder, vfs: disk.name, events: 3)
        outbox.acknowledge(outbox.drain().map(\.position))
        outbox.tick(70)
        disk.refuse(SQLITE_READONLY)
        try outbox.commitEvents(1)
        // The journal is given up, and with it what was written and not synced.
        disk.repair()
        disk.cutPower()
        for second in [200, 400, 600] as [Int64] { outbox.tick(second) }
        #expect(outbox.isDurable)
        let events = outbox.drain()
        #expect(events.map(\.seq) == [4])
        outbox.acknowledge(events.map(\.position))
        #expect(outbox.health.queuedEvents == 0 && outbox.checkInvariants().isEmpty)
    }

    @Test("A close commits events in memory, if the disk works again before the next retry is due")
    func closedBeforeRetry() throws {
        let outbox = try refused(after: 3, SQLITE_IOERR)
        try outbox.commitEvents(3)
        disk.repair()
        outbox.close()
        #expect(outbox.takeReports().count == 2)
        let again = try open()
        #expect(again.drain().map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(again.takeGaps().isEmpty && again.lastRecord == 6)
    }

    @Test("A close while the disk refuses tries once, releases the folder and leaves the file unchanged")
    func closedWhileRefusing() throws {
        let outbox = try refused(after: 3, SQLITE_FULL)
        try outbox.commitEvents(2)
        outbox.close()
        disk.repair()
        let again = try open(seed: 2)
        #expect(again.condition == nil)
        #expect(again.drain().map(\.seq) == [1, 2, 3])
        #expect(again.takeGaps().map(\.fromSeq) == [4])
    }

    @Test("Numbers given in memory before a crash are not given again: the rest of their block is reported as a gap")
    func crashWhileFull() throws {
        var outbox: Outbox? = try open()
        try outbox?.commitEvents(3)
        disk.refuse(SQLITE_FULL)
        try outbox?.commitEvents(2)
        let epoch = outbox?.numbering.epoch ?? ""
        outbox = nil
        disk.repair()
        let next = try open(seed: 2)
        let end = 3 + 2 + Reservation.block
        #expect(next.takeGaps() == [OutboxGap(epoch: epoch, fromSeq: 4, toSeq: end, cause: .disk)])
        #expect(next.numbering == Numbering(epoch: epoch, next: [.events: end + 1]))
        next.close()
        let third = try open(seed: 3)
        #expect(third.numbering[.events] == end + 1)
        #expect(third.takeGaps().count == 1)
    }

    @Test("Where not even a reservation can be written a new epoch begins, and the transaction is built again for it")
    func newEpochInMemory() throws {
        let outbox = try open()
        try outbox.commitEvents(3)
        let epoch = outbox.numbering.epoch
        disk.refuse(SQLITE_IOERR)
        outbox.disk.folder?.release()
        let committed = try outbox.commitEvents(2)
        #expect(outbox.numbering.epoch != epoch)
        #expect(committed.messages.map(\.number.seq) == [1, 2])
        let events = outbox.drain()
        #expect(events.map { $0.epoch == epoch } == [true, true, true, false, false])
        #expect(events.map(\.seq) == [1, 2, 3, 1, 2] && events.allSatisfy(\.isWhole))
        disk.repair()
        outbox.tick(100)
        #expect(outbox.isDurable)
        outbox.close()
        #expect(
            try open().drain().map { "\($0.epoch == epoch) \($0.seq)" } == [
                "true 1", "true 2", "true 3", "false 1", "false 2",
            ])
    }

    @Test("A file that vanishes after a new epoch began in memory: what waited in it is a gap of its epoch")
    func vanishedBehindANewEpoch() throws {
        let epoch = try leaveEvents(3, in: folder, on: disk)
        let outbox = try open()
        disk.refuse(SQLITE_IOERR)
        outbox.disk.folder?.release()
        try outbox.commitEvents(2)
        #expect(outbox.numbering.epoch != epoch)
        disk.replace()
        disk.repair()
        outbox.tick(100)
        #expect(outbox.isDurable && outbox.fileGeneration == 1 && outbox.checkInvariants().isEmpty)
        let gaps = outbox.takeGaps()
        #expect(gaps.map(\.epoch) == [epoch] && gaps.map(\.numbers) == [NumberRun(1, through: 3)])
        let events = outbox.drain()
        #expect(events.map(\.seq) == [1, 2] && events.allSatisfy { $0.epoch != epoch })
        outbox.acknowledge(events.map(\.position))
        #expect(outbox.health.queuedEvents == 0 && outbox.checkInvariants().isEmpty)
    }

    @Test("A file that can be read only after the start does not get its epoch back, even if nothing was numbered yet")
    func readTooLate() throws {
        let epoch = try leaveEvents(2, in: folder, on: disk)
        disk.fault = SimulatedDisk.Fault(operation: .read, number: disk.reads + 1, code: SQLITE_IOERR)
        let outbox = try open(seed: 2)
        #expect(outbox.records().isEmpty)
        disk.repair()
        outbox.tick(10)
        #expect(outbox.isDurable && outbox.numbering[.events] == 1)
        #expect(outbox.numbering.epoch != epoch)
        // Events in the file are delivered all the same.
        #expect(outbox.drain().map(\.seq) == [1, 2])
    }

    @Test(
        "An outbox that continues a file's epoch has its records too, whenever the disk fails during the start",
        arguments: SimulatedDisk.Fault.Operation.allCases)
    func epochAndRecordsBelongTogether(operation: SimulatedDisk.Fault.Operation) throws {
        var failures = 0
        while failures < 200 {
            let disk = SimulatedDisk()
            let folder = TemporaryFolder()
            let epoch = try leaveEvents(2, in: folder, on: disk)
            disk.resetCounts()
            disk.fault = SimulatedDisk.Fault(operation: operation, number: failures + 1, code: SQLITE_IOERR)
            let outbox = try Outbox.open(folder, vfs: disk.name, seed: 2)
            #expect((outbox.numbering.epoch == epoch) == (outbox.lastRecord == 2), "\(operation) \(failures + 1)")
            if outbox.condition == nil { break }
            failures += 1
        }
        #expect((1..<200).contains(failures))
    }

    @Test("Without a state folder it begins in memory; when the folder appears, the events in it come too")
    func folderAppears() throws {
        var first: Outbox? = try Outbox.open(folder, events: 3)
        let epoch = first?.numbering.epoch
        first = nil
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let outbox = try Outbox.open(folder, seed: 2)
        #expect(outbox.condition?.cause == .cannotOpen)
        try outbox.commitEvents(2)
        let early = outbox.drain()
        #expect(early.map(\.seq) == [1, 2])
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
        outbox.tick(10)
        #expect(outbox.isDurable)
        let late = outbox.drain()
        #expect(late.map(\.seq) == [1, 2, 3])
        #expect(late.holdForAll { $0.epoch == epoch && $0.isWhole })
        outbox.acknowledge(early.map(\.position))
        try outbox.commitEvents(1)
        outbox.close()
        let next = try Outbox.open(folder)
        #expect(next.drain().map(\.seq) == [1, 2, 3, 3])
        #expect(next.numbering.epoch == outbox.numbering.epoch)
    }

    @Test(
        "A file that vanishes is made anew in a new epoch; its events are reported as a gap, and records are asked for"
    )
    func fileVanishes() throws {
        let epoch = try leaveEvents(4, in: folder, on: disk)
        let outbox = try open()
        disk.refuse(SQLITE_IOERR)
        try outbox.commitEvents(2)
        disk.repair()
        disk.replace()
        outbox.tick(100)
        #expect(outbox.isDurable)
        #expect(outbox.takeGaps() == [OutboxGap(epoch: epoch, fromSeq: 1, toSeq: 4, cause: .disk)])
        #expect(outbox.drain().map(\.seq) == [5, 6])
        #expect(outbox.numbering.epoch != epoch && outbox.numbering[.events] == 1)
        #expect(outbox.fileGeneration == 1)
    }

    @Test("Events of a file that vanishes are no gap while they are in memory: they go into the new file")
    func fileVanishesInMemory() throws {
        let outbox = try open()
        try outbox.commitEvents(4)
        disk.refuse(SQLITE_IOERR)
        try outbox.commitEvents(2)
        disk.repair()
        disk.replace()
        outbox.tick(100)
        #expect(outbox.isDurable && outbox.takeGaps().isEmpty && outbox.checkInvariants().isEmpty)
        #expect(outbox.health.queuedEvents == 6 && outbox.health.eventsInMemory == 0)
        #expect(outbox.drain().map(\.seq) == [1, 2, 3, 4, 5, 6])
        outbox.close()
        #expect(try open(seed: 2).drain().map(\.seq) == [1, 2, 3, 4, 5, 6])
    }

    @Test("Memory is bounded while the disk refuses: the oldest go and are reported as gaps")
    func boundedMemory() throws {
        let outbox = try open(OutboxLimits(maxEvents: 100_000, maxMiB: 1))
        disk.refuse(SQLITE_FULL)
        for _ in 0..<100 { try outbox.commitEvents(10, payloadBytes: 1_000) }
        #expect(outbox.pending.bytes <= outbox.disk.limits.memoryBytes)
        let first = outbox.drain().first?.seq ?? 0
        #expect(outbox.takeGaps().map { $0.toSeq + 1 } == [first])
    }

    @Test(
        "A late acknowledgement of an event that made room in memory, or that a vanished file held, holds up nothing",
        arguments: [false, true])
    func lateAcknowledgement(hasVanished: Bool) throws {
        let outbox = try open(hasVanished ? generous : OutboxLimits(maxEvents: 1, maxMiB: 64))
        if !hasVanished { disk.refuse(SQLITE_IOERR) }
        try outbox.commitEvents(1)
        let underWay = outbox.drain()
        disk.refuse(SQLITE_IOERR)
        try outbox.commitEvents(1)
        disk.repair()
        if hasVanished { disk.replace() }
        outbox.tick(100)
        #expect(outbox.isDurable && outbox.takeGaps().map(\.toSeq) == [1])
        #expect(underWay.map(\.seq) == [1])
        outbox.acknowledge(underWay.map(\.position))
        #expect(outbox.health.queuedEvents == 1 && outbox.checkInvariants().isEmpty)
        #expect(outbox.drain().map(\.seq) == [2])
    }

    @Test("On a real file system that is full it goes on, numbers safely, and catches up when there is space")
    func realFullDisk() throws {
        guard run("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path) else {
            print("skipped: mounting a small file system needs root")
            return
        }
        defer { _ = run("/bin/umount", "-l", folder.path) }
        let outbox = try Outbox.open(folder, events: 3)
        let epoch = outbox.numbering.epoch
        let filler = folder.path + "/filler"
        try Data().write(to: URL(fileURLWithPath: filler))
        let handle = try #require(FileHandle(forWritingAtPath: filler))
        while (try? handle.write(contentsOf: Data(repeating: 1, count: 4_096))) != nil {}
        try handle.close()
        for _ in 0..<20 { try outbox.commitEvents(10, payloadBytes: 1_000) }
        #expect(outbox.condition?.cause == .diskFull)
        #expect(outbox.takeReports().first?.hasPrefix("outbox: disk full") == true)
        #expect(outbox.numbering == Numbering(epoch: epoch, next: [.events: 204]))
        #expect(outbox.drain().map(\.seq) == Array(1...203))
        try FileManager.default.removeItem(atPath: filler)
        outbox.tick(10)
        #expect(outbox.isDurable)
        outbox.close()
        let again = try Outbox.open(folder)
        #expect(again.drain().map(\.seq) == Array(1...203))
        again.close()
    }

    @Test("Region states beyond max_mib are no full disk: the remedy names a max_mib that is enough")
    func limitTooSmall() throws {
        let limits = OutboxLimits(maxEvents: 1_000, maxMiB: 1)
        var generator = SeededGenerator(seed: 1)
        let records = (0..<20_000).map { number in
            OutboxRecord(key: "region/\(number)", value: (0..<60).map { _ in UInt8(generator.next() & 0x7F) })
        }
        let outbox = try Outbox.open(folder, limits: limits)
        try outbox.commit { _ in OutboxTransaction(records: records) }
        #expect(outbox.condition?.cause == .limitReached)
        let needed = try #require(outbox.condition?.neededMiB)
        #expect(outbox.condition?.remedy.contains("raise [outbox] max_mib to \(needed)") == true)
        #expect(outbox.condition?.remedy.contains("free space") == false)
        #expect((2...16).contains(needed))
        outbox.close()
        let larger = try Outbox.open(folder, limits: OutboxLimits(maxEvents: 1_000, maxMiB: needed), seed: 2)
        try larger.commit { _ in OutboxTransaction(records: records) }
        #expect(larger.condition == nil && larger.records().count == records.count)
    }

    private func run(_ program: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
