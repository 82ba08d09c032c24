import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Files of the outbox that are taken away while they are open")
struct DisplacementTests {
    private let folder = TemporaryFolder()

    private func delete(_ names: [String], in folder: TemporaryFolder) throws {
        for name in names { try FileManager.default.removeItem(atPath: folder.path + "/" + name) }
    }

    @Test(
        "A deleted file is noticed and made anew with all that it held; numbers go on in a new epoch",
        arguments: [["outbox.sqlite"], ["outbox.sqlite", "outbox.sqlite-wal"], ["outbox.sqlite", "outbox.lock"]])
    func deleted(names: [String]) throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 5)
        outbox?.setValue([7], forKey: "key")
        outbox?.acknowledge(outbox?.next(limit: 2).map(\.position) ?? [])
        let epoch = try #require(outbox?.numbering.epoch)
        try delete(names, in: folder)
        // The next look notices it; events committed before that are carried over as well.
        try outbox?.commitEvents(1)
        outbox?.tick(10)
        #expect(outbox?.isDurable == true)
        #expect(outbox?.numbering.epoch != epoch && outbox?.numbering[.events] == 1)
        #expect(outbox?.takeReports().count == 1)
        try outbox?.commitEvents(2)
        outbox = nil
        let next = try Outbox.open(folder, seed: 3)
        let events = next.drain()
        #expect(events.map { $0.epoch == epoch } == [true, true, true, true, false, false])
        #expect(events.map(\.seq) == [3, 4, 5, 6, 1, 2])
        #expect(events.filter { !$0.isWhole }.isEmpty)
        #expect(next.value(forKey: "key") == [7])
        #expect(next.takeGaps().isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.database)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A file that was put in its place is replaced again: the open file counts")
    func replaced() throws {
        let other = TemporaryFolder()
        let stranger = try Outbox.open(other, seed: 9, events: 40)
        stranger.close()
        let outbox = try Outbox.open(folder, events: 3)
        try delete(["outbox.sqlite"], in: folder)
        try FileManager.default.copyItem(atPath: other.database, toPath: folder.database)
        outbox.tick(10)
        outbox.close()
        #expect(try Outbox.open(folder).drain().map(\.seq) == [1, 2, 3])
    }

    @Test("A deleted log is begun anew, and numbers go on as if nothing had happened")
    func deletedLog() throws {
        var outbox: Outbox? = try Outbox.open(folder, events: 3)
        let numbering = outbox?.numbering
        try delete(["outbox.sqlite-wal"], in: folder)
        outbox?.tick(10)
        #expect(outbox?.isDurable == true && outbox?.numbering == numbering)
        #expect(outbox?.takeReports().count == 1)
        try outbox?.commitEvents(1)
        outbox = nil
        #expect(try Outbox.open(folder).drain().map(\.seq) == [1, 2, 3, 4])
    }

    @Test("While the folder is gone, the outbox delivers from the open file, and returns when it can")
    func folderGone() throws {
        let parent = TemporaryFolder()
        let path = parent.path + "/up/state"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let outbox = try Outbox(
            directory: path, limits: generous, at: .origin, wallTime: noon,
            generator: SeededGenerator(seed: 1))
        try outbox.commitEvents(3)
        try FileManager.default.removeItem(atPath: parent.path + "/up")
        outbox.tick(10)
        #expect(outbox.condition?.cause == .cannotOpen)
        try outbox.commitEvents(2)
        #expect(outbox.drain().count == 5)
        #expect(outbox.takeReports().count == 1)
        try FileManager.default.createDirectory(atPath: parent.path + "/up", withIntermediateDirectories: false)
        outbox.tick(100)
        #expect(outbox.isDurable)
        outbox.close()
        let next = try Outbox(
            directory: path, limits: generous, at: .origin, wallTime: noon,
            generator: SeededGenerator(seed: 2))
        let events = next.drain()
        #expect(events.count == 5 && Set(events.map { "\($0.epoch) \($0.seq)" }).count == 5)
        #expect(events.filter { !$0.isWhole }.isEmpty)
    }

    @Test("A lock that was deleted is taken anew, so that no second agent gets into the folder")
    func deletedLock() throws {
        let outbox = try Outbox.open(folder)
        try delete(["outbox.lock"], in: folder)
        outbox.tick(10)
        #expect(throws: OutboxError.inUse(directory: folder.path)) { try Outbox.open(folder) }
        #expect(outbox.isDurable)
    }
}
