import Foundation
import Glibc
import TestAir
import Testing

@testable import Agent
@testable import Core

/// A state folder on the disk that can be made to fail at syncs, or at reads of its files.
private final class FailingFolder: OutboxFolder {
    private let folder: StateFolder
    var isUnsynced = false
    var isUnreadable = false
    var isLockUnreadable = false

    init(_ path: String) { folder = StateFolder(path: path, holder: "") }

    var path: String { folder.path }
    func hold() throws(DiskError) { try folder.hold() }
    func release() { folder.release() }
    func reservedBytes() throws(DiskError) -> [UInt8] {
        if isLockUnreadable { throw .system(EIO, during: "read outbox.lock") }
        return try folder.reservedBytes()
    }
    func reserve(_ bytes: [UInt8]) -> Bool { folder.reserve(bytes) }
    func makeDatabasePrivate() throws(DiskError) { try folder.makeDatabasePrivate() }
    var hasReplacedFile: Bool { folder.hasReplacedFile }
    func setDamagedFileAside() throws(DiskError) { try folder.setDamagedFileAside() }
    func tidyDamagedFile(limit: Int64) { folder.tidyDamagedFile(limit: limit) }
    func synchronise() throws(DiskError) {
        if isUnsynced { throw .system(EIO, during: "sync the folder") }
        try folder.synchronise()
    }
    func readFailure() -> DiskError? {
        isUnreadable ? .system(EIO, during: "read outbox.sqlite") : folder.readFailure()
    }

    func open(seed: UInt64 = 1) throws -> Outbox {
        try Outbox(
            folder: self, vfs: nil, limits: OutboxLimits(maxEvents: 100, maxMiB: 1), at: .origin,
            wallTime: .unixEpoch, generator: SeededGenerator(seed: seed))
    }
}

@Suite("The outbox in a folder that fails")
struct FailingFolderTests {
    @Test("While the disk does not take the names of new files, nothing counts as stored; then all of it is")
    func refused() throws {
        let temporary = TemporaryFolder()
        let folder = FailingFolder(temporary.path)
        folder.isUnsynced = true
        let outbox = try folder.open()
        #expect(!outbox.isDurable)
        #expect(outbox.condition?.cause == .inputOutput)
        try outbox.commitEvents(3)
        #expect(outbox.health.eventsInMemory == 3)
        folder.isUnsynced = false
        for second in 1..<120 as Range<Int64> { outbox.tick(second) }
        #expect(outbox.isDurable)
        #expect(outbox.condition == nil)
        #expect(outbox.health.eventsInMemory == 0)
        #expect(outbox.drain().count == 3)
    }

    @Test("While the numbers that were reserved can't be read, no number of that epoch is given")
    func unreadableReservation() throws {
        let temporary = TemporaryFolder()
        let folder = FailingFolder(temporary.path)
        let epoch: String
        do {
            let outbox = try folder.open()
            try outbox.commitEvents(3)
            epoch = outbox.numbering.epoch
        }
        folder.release()
        folder.isLockUnreadable = true
        let outbox = try folder.open(seed: 2)
        #expect(!outbox.isDurable)
        #expect(outbox.numbering.epoch != epoch)
        try outbox.commitEvents(2)
        folder.isLockUnreadable = false
        for second in 1..<120 as Range<Int64> { outbox.tick(second) }
        #expect(outbox.isDurable)
        #expect(outbox.drain().count == 5)
    }

    /// A folder with five waiting events, in a file that reads as something else. Returns the file's true content.
    private func unreadable(_ temporary: TemporaryFolder) throws -> Data {
        let outbox = try Outbox.open(temporary, events: 5)
        outbox.close()
        let file = URL(fileURLWithPath: temporary.database)
        let content = try Data(contentsOf: file)
        try Data(repeating: 0xA5, count: content.count).write(to: file)
        return content
    }

    @Test("A file that the disk can't read is not damaged: once the disk reads it, all that waits in it is delivered")
    func readsAgain() throws {
        let temporary = TemporaryFolder()
        let content = try unreadable(temporary)
        let folder = FailingFolder(temporary.path)
        folder.isUnreadable = true
        let outbox = try folder.open()
        #expect(outbox.condition?.cause == .inputOutput)
        outbox.tick(30)
        #expect(!FileManager.default.fileExists(atPath: folder.damagedPath))
        try content.write(to: URL(fileURLWithPath: temporary.database))
        folder.isUnreadable = false
        for second in 31..<120 as Range<Int64> { outbox.tick(second) }
        #expect(outbox.isDurable)
        #expect(outbox.drain().map(\.seq) == [1, 2, 3, 4, 5])
        #expect(outbox.takeGaps().isEmpty)
    }

    @Test("A file that the disk can't read for a minute is given up, and a new file is begun")
    func staysUnreadable() throws {
        let temporary = TemporaryFolder()
        _ = try unreadable(temporary)
        let folder = FailingFolder(temporary.path)
        folder.isUnreadable = true
        let outbox = try folder.open()
        for second in 1..<130 as Range<Int64> { outbox.tick(second) }
        #expect(outbox.isDurable)
        #expect(FileManager.default.fileExists(atPath: folder.damagedPath))
    }
}
