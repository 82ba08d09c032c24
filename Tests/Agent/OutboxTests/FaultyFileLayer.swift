import CSQLite
import Glibc

/// `FaultyDisk` in the form that SQLite calls: a `sqlite3_vfs` whose application data is the disk, and files that keep
/// their node after SQLite's own structure.
enum FaultyFileLayer {
    private struct File {
        var base: sqlite3_file
        var disk: Unmanaged<FaultyDisk>
        var node: Unmanaged<FaultyDisk.Node>
    }

    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: makeMethods())
        return methods
    }()

    static func register(_ disk: FaultyDisk, name: String) -> UnsafeMutablePointer<sqlite3_vfs>? {
        let system = sqlite3_vfs_find(nil)
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = 1
        vfs.pointee.szOsFile = Int32(MemoryLayout<File>.size)
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        vfs.pointee.xOpen = { vfs, path, file, flags, outFlags in
            guard let vfs, let file, let disk = FaultyFileLayer.owner(of: vfs) else { return SQLITE_CANTOPEN }
            let name = path.map { String(cString: $0) } ?? "temporary"
            guard let node = disk.files[name] ?? (flags & SQLITE_OPEN_CREATE != 0 ? FaultyDisk.Node() : nil) else {
                return SQLITE_CANTOPEN
            }
            disk.files[name] = node
            UnsafeMutableRawPointer(file).initializeMemory(
                as: File.self,
                to: File(
                    base: sqlite3_file(pMethods: UnsafePointer(FaultyFileLayer.methods)), disk: .passUnretained(disk),
                    node: .passRetained(node)))
            outFlags?.pointee = flags
            return SQLITE_OK
        }
        vfs.pointee.xDelete = { vfs, path, _ in
            guard let vfs, let path, let disk = FaultyFileLayer.owner(of: vfs) else { return SQLITE_IOERR }
            disk.files[String(cString: path)] = nil
            return SQLITE_OK
        }
        vfs.pointee.xAccess = { vfs, path, _, result in
            guard let vfs, let path, let disk = FaultyFileLayer.owner(of: vfs) else { return SQLITE_IOERR }
            result?.pointee = disk.files[String(cString: path)] == nil ? 0 : 1
            return SQLITE_OK
        }
        vfs.pointee.xFullPathname = { _, path, size, full in
            guard let path, let full, strlen(path) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(full, path)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = system?.pointee.xRandomness
        vfs.pointee.xSleep = { _, _ in 0 }
        vfs.pointee.xCurrentTime = system?.pointee.xCurrentTime
        vfs.pointee.xGetLastError = { _, _, _ in 0 }
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? vfs : nil
    }

    static func unregister(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
        sqlite3_vfs_unregister(vfs)
        free(UnsafeMutableRawPointer(mutating: vfs.pointee.zName))
        vfs.deallocate()
    }

    private static func owner(of vfs: UnsafeMutablePointer<sqlite3_vfs>) -> FaultyDisk? {
        vfs.pointee.pAppData.map { Unmanaged<FaultyDisk>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func with<Result>(
        _ file: UnsafeMutablePointer<sqlite3_file>?, or failure: Result, _ body: (FaultyDisk, FaultyDisk.Node) -> Result
    ) -> Result {
        guard let file else { return failure }
        let mine = UnsafeMutableRawPointer(file).assumingMemoryBound(to: File.self).pointee
        return body(mine.disk.takeUnretainedValue(), mine.node.takeUnretainedValue())
    }

    private static func makeMethods() -> sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { file in
            guard let file else { return SQLITE_OK }
            UnsafeMutableRawPointer(file).assumingMemoryBound(to: File.self).pointee.node.release()
            return SQLITE_OK
        }
        methods.xRead = { file, buffer, count, offset in
            FaultyFileLayer.with(file, or: SQLITE_IOERR) {
                $0.read($1, offset: Int(offset), into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
            }
        }
        methods.xWrite = { file, bytes, count, offset in
            FaultyFileLayer.with(file, or: SQLITE_IOERR) {
                $0.write(
                    $1, offset: Int(offset), bytes: Array(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
            }
        }
        methods.xTruncate = { file, size in
            FaultyFileLayer.with(file, or: SQLITE_IOERR) { $0.truncate($1, to: Int(size)) }
        }
        methods.xSync = { file, _ in FaultyFileLayer.with(file, or: SQLITE_IOERR) { $0.sync($1) } }
        methods.xFileSize = { file, size in
            FaultyFileLayer.with(file, or: SQLITE_IOERR) {
                size?.pointee = sqlite3_int64($0.size(of: $1))
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
