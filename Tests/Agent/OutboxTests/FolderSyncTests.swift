import Glibc
import HCI
import Testing

@testable import Outbox

/// A state folder on the disk, whose own sync fails when told.
private final class UnsyncedFolder: OutboxFolder {
    private let folder: StateFolder
    var isFailing = true

    init(_ path: String) { folder = StateFolder(path: path, holder: "") }

    var path: String { folder.path }
    func hold() throws(DiskError) { try folder.hold() }
    func release() { folder.release() }
    func reservedBytes() -> [UInt8] { folder.reservedBytes() }
    func reserve(_ bytes: [UInt8]) -> Bool { folder.reserve(bytes) }
    func makeDatabasePrivate() throws(DiskError) { try folder.makeDatabasePrivate() }
    func setDamagedFileAside() throws(DiskError) { try folder.setDamagedFileAside() }
    func tidyDamagedFile(limit: Int64) { folder.tidyDamagedFile(limit: limit) }
    func synchronise() throws(DiskError) {
        if isFailing { throw .system(EIO, during: "sync the folder") }
        try folder.synchronise()
    }
}

@Suite("The names of the outbox's files")
struct FolderSyncTests {
    @Test("While the disk does not take the names of new files, nothing counts as stored; then all of it is")
    func refused() throws {
        let temporary = TemporaryFolder()
        let folder = UnsyncedFolder(temporary.path)
        let outbox = try Outbox(
            folder: folder, vfs: nil, limits: OutboxLimits(maxEvents: 100, maxMiB: 1), at: .origin,
            wallTime: .unixEpoch, generator: SeededGenerator(seed: 1))
        #expect(!outbox.isDurable)
        #expect(outbox.condition?.cause == .inputOutput)
        try outbox.commitEvents(3)
        #expect(outbox.health.eventsInMemory == 3)
        folder.isFailing = false
        for second in 1..<120 as Range<Int64> { outbox.tick(second) }
        #expect(outbox.isDurable)
        #expect(outbox.condition == nil)
        #expect(outbox.health.eventsInMemory == 0)
        #expect(outbox.drain().count == 3)
    }
}
