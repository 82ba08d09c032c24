import CSQLite
import Glibc

@testable import Agent
@testable import TestDisk

extension SimulatedDisk {
    /// The disk of a seed, with random streams of its own.
    convenience init(seed: UInt64, name: String) {
        self.init(
            name: name, chance: Chance(seed: seed, stream: "disk"), linux: Chance(seed: seed, stream: "linux"))
    }
}

/// The state folder on the simulated disk.
final class SimulatedFolder: OutboxFolder {
    let path = "state"
    private let disk: SimulatedDisk
    private let process: Int
    private var isHeld = false

    init(_ disk: SimulatedDisk) {
        self.disk = disk
        process = disk.process
    }

    private var isOver: Bool { disk.hasCrashed || disk.process != process }

    private var lock: SimulatedDisk.File? { disk.files[path + "/outbox.lock"] }

    func hold() throws(DiskError) {
        guard !isHeld else { return }
        if disk.trouble == .gone || disk.trouble == .errors || isOver {
            throw .system(disk.trouble == .gone ? ENOENT : EIO, during: "open outbox.lock")
        }
        if lock == nil {
            if disk.nameFailure() != nil { throw .system(EROFS, during: "open outbox.lock") }
            _ = disk.make(path + "/outbox.lock")
            _ = disk.syncNames()
        }
        isHeld = true
        if reservedBytes().count < 64 { _ = reserve([UInt8](repeating: 0x20, count: 64)) }
    }

    func release() { isHeld = false }

    func reservedBytes() -> [UInt8] { Array((lock?.content ?? []).prefix(64)) }

    func reserve(_ bytes: [UInt8]) -> Bool {
        guard isHeld, !isOver, let lock else { return false }
        return bytes.withUnsafeBytes { disk.write(lock, offset: 0, bytes: $0) } == SQLITE_OK
            && disk.sync(lock) == SQLITE_OK
    }

    func makeDatabasePrivate() throws(DiskError) {
        if !isOver, hasReplacedFile, disk.files[databasePath] == nil { try setAside("-wal") }
        if !isOver, disk.files[databasePath] == nil, disk.nameFailure() == nil {
            _ = disk.make(databasePath)
        }
    }

    func setDamagedFileAside() throws(DiskError) {
        disk.remove(replacedPath + "-wal")
        try setAside("")
        try setAside("-wal")
    }

    private func setAside(_ suffix: String) throws(DiskError) {
        if isOver || disk.nameFailure() != nil { throw .system(EIO, during: "set the damaged file aside") }
        disk.rename(databasePath + suffix, to: replacedPath + suffix)
        try synchronise()
    }

    var hasReplacedFile: Bool { disk.files[replacedPath] != nil }

    func tidyDamagedFile(limit: Int64) {
        if isOver || disk.nameFailure() != nil { return }
        disk.remove(replacedPath + "-wal")
        disk.rename(replacedPath, to: damagedPath)
        if let damaged = disk.files[damagedPath], Int64(damaged.content.count) > limit { disk.remove(damagedPath) }
    }

    func synchronise() throws(DiskError) {
        if isOver || !disk.syncNames() { throw .system(EIO, during: "sync the folder") }
    }
}
