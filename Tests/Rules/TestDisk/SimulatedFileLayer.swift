import CSQLite
import Glibc

/// `SimulatedDisk` in the form that SQLite calls: a `sqlite3_vfs` whose application data is the disk, and files that
/// keep theirs after SQLite's own structure.
final class SimulatedFileLayer {
    private struct OpenFile {
        var base: sqlite3_file
        var disk: Unmanaged<SimulatedDisk>
        var file: Unmanaged<SimulatedDisk.File>
        /// The process that has it open.
        var process: Int
        /// Whether its first sync also syncs the folder, as SQLite does for a log that it may have made.
        var syncsName: Bool
    }

    let name: String
    private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)

    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: makeMethods())
        return methods
    }()

    init(_ disk: SimulatedDisk, name: String) {
        self.name = name
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = 1
        vfs.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        setNames()
        setOpen()
        sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        free(UnsafeMutableRawPointer(mutating: vfs.pointee.zName))
        vfs.deallocate()
    }

    private func setOpen() {
        vfs.pointee.xOpen = { vfs, path, file, flags, outFlags in
            guard let vfs, let file, let path, let disk = SimulatedFileLayer.disk(of: vfs) else {
                return SQLITE_CANTOPEN
            }
            // SQLite closes even a file that was not opened, unless this is nil.
            file.pointee.pMethods = nil
            let name = String(cString: path)
            if disk.nameFailure() != nil { return SQLITE_CANTOPEN }
            let known = disk.files[name]
            let mayMake = flags & SQLITE_OPEN_CREATE != 0
            guard let opened = known ?? (mayMake ? disk.make(name) : nil) else { return SQLITE_CANTOPEN }
            let isLog = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) != 0
            UnsafeMutableRawPointer(file).initializeMemory(
                as: OpenFile.self,
                to: OpenFile(
                    base: sqlite3_file(pMethods: UnsafePointer(SimulatedFileLayer.methods)),
                    disk: .passUnretained(disk), file: .passRetained(opened), process: disk.process,
                    syncsName: mayMake && isLog))
            outFlags?.pointee = flags
            return SQLITE_OK
        }
    }

    private func setNames() {
        vfs.pointee.xDelete = { vfs, path, syncsName in
            guard let vfs, let path, let disk = SimulatedFileLayer.disk(of: vfs) else { return SQLITE_IOERR }
            if let code = disk.nameFailure() { return code }
            disk.remove(String(cString: path))
            if syncsName != 0, !disk.syncNames() { return SQLITE_IOERR | 5 << 8 }  // SQLITE_IOERR_DIR_FSYNC
            return SQLITE_OK
        }
        vfs.pointee.xAccess = { vfs, path, _, result in
            guard let vfs, let path, let disk = SimulatedFileLayer.disk(of: vfs) else { return SQLITE_IOERR }
            result?.pointee = disk.files[String(cString: path)] == nil ? 0 : 1
            return SQLITE_OK
        }
        vfs.pointee.xFullPathname = { _, path, size, full in
            guard let path, let full, strlen(path) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(full, path)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = { _, count, octets in
            guard let octets else { return 0 }
            for index in 0..<Int(count) { octets[index] = CChar(truncatingIfNeeded: index &* 37 &+ 11) }
            return count
        }
        vfs.pointee.xSleep = { _, _ in 0 }
        vfs.pointee.xCurrentTime = { _, time in
            time?.pointee = 2_461_000
            return SQLITE_OK
        }
        vfs.pointee.xGetLastError = { _, _, _ in 0 }
    }

    private static func disk(of vfs: UnsafeMutablePointer<sqlite3_vfs>) -> SimulatedDisk? {
        vfs.pointee.pAppData.map { Unmanaged<SimulatedDisk>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func with(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (SimulatedDisk, SimulatedDisk.File) -> Int32
    ) -> Int32 {
        guard let file else { return SQLITE_IOERR }
        let open = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee
        let disk = open.disk.takeUnretainedValue()
        // Remains of an ended process change nothing any more.
        guard open.process == disk.process else { return SQLITE_IOERR }
        return body(disk, open.file.takeUnretainedValue())
    }

    private static func makeMethods() -> sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { file in
            guard let file else { return SQLITE_OK }
            UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.file.release()
            return SQLITE_OK
        }
        methods.xRead = { file, buffer, count, offset in
            SimulatedFileLayer.with(file) {
                $0.read($1, offset: Int(offset), into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
            }
        }
        methods.xWrite = { file, bytes, count, offset in
            SimulatedFileLayer.with(file) {
                $0.write($1, offset: Int(offset), bytes: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            }
        }
        methods.xTruncate = { file, size in SimulatedFileLayer.with(file) { $0.truncate($1, to: Int(size)) } }
        methods.xSync = { file, _ in
            let code = SimulatedFileLayer.with(file) { $0.sync($1) }
            guard code == SQLITE_OK, let file else { return code }
            let open = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
            // SQLite does not ask whether the folder could be synced.
            if open.pointee.syncsName { _ = open.pointee.disk.takeUnretainedValue().syncNames() }
            open.pointee.syncsName = false
            return code
        }
        methods.xFileSize = { file, size in
            SimulatedFileLayer.with(file) {
                size?.pointee = sqlite3_int64($1.content.count)
                return SQLITE_OK
            }
        }
        // One process with one connection needs no locks.
        methods.xLock = { _, _ in SQLITE_OK }
        methods.xUnlock = { _, _ in SQLITE_OK }
        methods.xCheckReservedLock = { _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 512 }
        methods.xDeviceCharacteristics = { _ in 0 }
        return methods
    }
}
