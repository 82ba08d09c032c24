import CSQLite
import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import TestDisk

/// An owner whose events have topics that begin with its name. It keeps the keys of another owner's records.
struct Tenant: OutboxOwner {
    var name: String

    func owner(ofTopic topic: String) -> String? {
        topic.firstIndex(of: "/").map { String(topic[..<$0]) }
    }

    func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord] {
        records.map { OutboxRecord(key: "left by \(former)/\($0.key)", value: []) }
    }
}

extension Outbox {
    /// Commits an event of `name` and the record `door`.
    func say(as name: String) throws {
        try commit { numbering in
            let seq = numbering[.events]
            return OutboxTransaction(
                messages: [
                    NumberedMessage(numbering.number(), topic: "\(name)/event", payload: Array("\(name) \(seq)".utf8))
                ],
                records: [OutboxRecord(key: "door", value: Array("\(seq)".utf8))])
        }
    }

    func texts(_ events: [QueuedMessage]) -> [String] { events.map { String(decoding: $0.payload, as: UTF8.self) } }
}

@Suite("Another owner of the same folder")
struct OwnerTests {
    private let folder = TemporaryFolder()
    private let disk = SimulatedDisk()

    private func open(as name: String?, seed: UInt64 = 1, limits: OutboxLimits = generous) throws -> Outbox {
        try .open(folder, owner: name.map(Tenant.init), limits: limits, seed: seed)
    }

    /// Lets "A" commit `count` events, and closes the folder.
    private func leave(_ count: Int = 2, as name: String? = "A") throws -> String {
        let outbox = try open(as: name)
        for _ in 0..<count { try outbox.say(as: name ?? "A") }
        outbox.close()
        return outbox.numbering.epoch
    }

    @Test("The same owner goes on in its epoch, from its records and values")
    func same() throws {
        let first = try open(as: "A")
        try first.say(as: "A")
        first.setValue([1], forKey: "key")
        first.close()
        let next = try open(as: "A", seed: 2)
        #expect(next.numbering == Numbering(epoch: first.numbering.epoch, next: [.events: 2]))
        #expect(next.records().map(\.key) == ["door"] && next.value(forKey: "key") == [1])
        #expect(next.texts(next.next(limit: 9)) == ["A 1"])
        #expect(!next.hasFormerOwner)
    }

    @Test("Another owner begins an epoch at 1, with its legacy of the records and without values")
    func another() throws {
        let first = try open(as: "A")
        try first.say(as: "A")
        first.setValue([1], forKey: "key")
        first.close()
        let next = try open(as: "B", seed: 2)
        #expect(next.numbering[.events] == 1 && next.numbering.epoch != first.numbering.epoch)
        #expect(next.records().map(\.key) == ["left by A/door"] && next.value(forKey: "key") == nil)
        let reports = next.takeReports()
        #expect(reports.count == 1 && reports[0].hasPrefix("outbox: this was A and is B now"))
    }

    @Test("Events of both are handed out apart, and delivered ones leave the outbox")
    func apart() throws {
        _ = try leave()
        let next = try open(as: "B", seed: 2)
        try next.say(as: "B")
        let (own, former) = (next.next(limit: 9), next.nextOfFormerOwners(limit: 9))
        #expect(next.texts(own) == ["B 1"] && next.texts(former) == ["A 1", "A 2"])
        #expect(former.holdForAll { next.formerOwner(ofEpoch: $0.epoch) == "A" })
        #expect(own.holdForAll { next.formerOwner(ofEpoch: $0.epoch) == nil })
        next.acknowledge(own.map(\.position) + former.map(\.position))
        #expect(next.health.queuedEvents == 0)
    }

    @Test("This lasts through restarts, until nothing of the former owner is left")
    func restarts() throws {
        let left = try leave()
        let moved = try open(as: "B", seed: 2)
        try moved.say(as: "B")
        moved.close()
        let next = try open(as: "B", seed: 3)
        #expect(next.numbering == Numbering(epoch: moved.numbering.epoch, next: [.events: 2]))
        #expect(next.records().map(\.key) == ["door", "left by A/door"])
        try next.say(as: "B")
        #expect(next.texts(next.next(limit: 9)) == ["B 1", "B 2"])
        let former = next.nextOfFormerOwners(limit: 9)
        #expect(next.texts(former) == ["A 1", "A 2"])
        next.acknowledge(former.map(\.position))
        next.close()
        let last = try open(as: "B", seed: 4)
        #expect(!last.hasFormerOwner && last.formerOwner(ofEpoch: left) == nil)
        #expect(last.texts(last.next(limit: 9)) == ["B 1", "B 2"])
    }

    @Test("An event that is given up becomes a gap of its owner's epoch, even after a restart")
    func givenUp() throws {
        let left = try leave()
        let next = try open(as: "B", seed: 2)
        let former = next.nextOfFormerOwners(limit: 9)
        for event in former { next.giveUp(event) }
        let gap = OutboxGap(epoch: left, fromSeq: 1, toSeq: 2, cause: .refused)
        #expect(next.takeGaps() == [gap] && next.health.queuedEvents == 0)
        next.close()
        let last = try open(as: "B", seed: 3)
        #expect(last.takeGaps() == [gap] && last.formerOwner(ofEpoch: left) == "A")
    }

    @Test("Moved twice, each epoch keeps its own owner")
    func twice() throws {
        let left = try leave()
        let second = try open(as: "B", seed: 2)
        try second.say(as: "B")
        second.close()
        let third = try open(as: "C", seed: 3)
        let former = third.nextOfFormerOwners(limit: 9)
        #expect(third.texts(former) == ["A 1", "A 2", "B 1"])
        #expect(former.map { third.formerOwner(ofEpoch: $0.epoch) } == ["A", "A", "B"])
        #expect(third.formerOwner(ofEpoch: left) == "A")
        #expect(third.records().map(\.key) == ["left by B/door", "left by B/left by A/door"])
    }

    @Test("Limits take the former owner's events first, since they are the oldest")
    func limits() throws {
        let left = try leave()
        let next = try open(as: "B", seed: 2, limits: OutboxLimits(maxEvents: 2, maxMiB: 1))
        try next.say(as: "B")
        #expect(next.takeGaps() == [OutboxGap(epoch: left, fromSeq: 1, toSeq: 1, cause: .maxEvents)])
        #expect(next.texts(next.nextOfFormerOwners(limit: 9)) == ["A 2"])
    }

    @Test("Numbers that the former owner had reserved in memory become its gap")
    func reserved() throws {
        var outbox: Outbox? = try .open(folder, vfs: disk.name, owner: Tenant(name: "A"))
        try outbox?.say(as: "A")
        disk.refuse(SQLITE_FULL)
        try outbox?.say(as: "A")
        let left = outbox?.numbering.epoch ?? ""
        outbox = nil
        disk.repair()
        let next = try Outbox.open(folder, vfs: disk.name, owner: Tenant(name: "B"), seed: 2)
        let end = 2 + Reservation.block
        #expect(next.takeGaps() == [OutboxGap(epoch: left, fromSeq: 2, toSeq: end, cause: .disk)])
        #expect(next.formerOwner(ofEpoch: left) == "A" && next.numbering[.events] == 1)
    }

    // MARK: - Bad disks

    @Test("A damaged file of another owner counts as that owner's")
    func damaged() throws {
        let left = try leave(120)
        // The last page is one of events: SQLite finds it when it checks the file, and the first events can still be read.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let last = bytes.count - Int(Schema.pageBytes)
        bytes.replaceSubrange(last..<(last + 600), with: Data(repeating: 0xFF, count: 600))
        try bytes.write(to: URL(fileURLWithPath: folder.database))
        let next = try open(as: "B", seed: 2)
        #expect(next.takeReports().contains { $0.contains("was damaged and is replaced") })
        try next.say(as: "B")
        #expect(next.texts(next.next(limit: 199)) == ["B 1"])
        #expect(!next.records().contains { $0.value == Array("120".utf8) })
        let former = next.nextOfFormerOwners(limit: 199)
        #expect(former.holdForAll { $0.epoch == left })
        let lost = next.takeGaps().filter { $0.epoch == left }.reduce(0) { $0 + $1.toSeq - $1.fromSeq + 1 }
        #expect(Int64(former.count) + lost == 120)
    }

    @Test("A file of another owner that can be read only after the start counts as that owner's")
    func late() throws {
        _ = try leave()
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let moved = try open(as: "B", seed: 2)
        #expect(moved.condition?.cause == .cannotOpen)
        try moved.say(as: "B")
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
        moved.tick(10)
        #expect(moved.isDurable)
        #expect(moved.records().map(\.key) == ["door", "left by A/door"])
        #expect(moved.records().first?.value == Array("1".utf8))
        #expect(moved.texts(moved.next(limit: 9)) == ["B 1"])
        #expect(moved.texts(moved.nextOfFormerOwners(limit: 9)) == ["A 1", "A 2"])
    }

    @Test("A disk that fails as another owner begins, at whichever write, changes nothing in the end", arguments: 1...8)
    func failing(write: Int) throws {
        let outbox = try Outbox.open(folder, vfs: disk.name, owner: Tenant(name: "A"))
        try outbox.say(as: "A")
        outbox.close()
        disk.fault = SimulatedDisk.Fault(operation: .write, number: disk.writes + write, code: SQLITE_FULL)
        let moved = try Outbox.open(folder, vfs: disk.name, owner: Tenant(name: "B"), seed: 2)
        #expect(moved.numbering[.events] == 1 && !moved.records().map(\.key).contains("door"))
        try moved.say(as: "B")
        disk.repair()
        moved.tick(10)
        #expect(moved.isDurable)
        #expect(moved.takeReports().filter { $0.contains("this was A") }.count == 1)
        moved.close()
        let next = try Outbox.open(folder, vfs: disk.name, owner: Tenant(name: "B"), seed: 3)
        #expect(next.numbering[.events] == 2 && next.records().map(\.key) == ["door", "left by A/door"])
        #expect(next.texts(next.nextOfFormerOwners(limit: 9)) == ["A 1"])
    }

    @Test("A file that is deleted while open is made anew with its owner's name")
    func deleted() throws {
        _ = try leave()
        let moved = try open(as: "B", seed: 2)
        try moved.say(as: "B")
        unlink(folder.database)
        moved.tick(10)
        moved.close()
        let next = try open(as: "B", seed: 3)
        #expect(next.numbering.epoch == moved.numbering.epoch)
        #expect(next.texts(next.next(limit: 9)) == ["B 1"])
        #expect(next.texts(next.nextOfFormerOwners(limit: 9)) == ["A 1", "A 2"])
    }
}
