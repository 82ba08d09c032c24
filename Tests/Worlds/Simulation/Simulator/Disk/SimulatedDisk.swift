import CSQLite
import HCI

/// A disk in memory under SQLite. It fails when told, and forgets at a power cut what was not made durable.
///
/// Writes are remembered until a sync. A power cut then keeps, drops or tears each of those still open, each by itself, as
/// a disk's cache does. Making, renaming and deleting a file is durable at once, as a journalling file system has it.
final class SimulatedDisk {
    enum Trouble: CaseIterable {
        /// No file grows; what is there can be overwritten.
        case full
        case readOnly
        /// Nothing can be written, but read.
        case writeErrors
        /// Nothing can be read or written.
        case errors
        /// It is not mounted.
        case gone
    }

    final class File {
        var content: [UInt8] = []
        fileprivate var durable: [UInt8] = []
        fileprivate var open: [Change] = []
    }

    fileprivate enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    var files: [String: File] = [:]
    var trouble: Trouble?
    /// One operation out of so many fails by itself, and works the next time; 0 for none.
    var flakiness = 0
    /// The process, or the machine, ends at the so-manieth operation from now on.
    var operationsUntilCrash: Int?
    /// Since the process has ended it can't change anything any more; it finds that out by errors.
    private(set) var hasCrashed = false
    private(set) var operations = 0
    /// Which process it belongs to.
    private(set) var process = 0
    private var chance: Chance
    private(set) var vfs: SimulatedFileLayer?

    /// - Parameter name: tells it from the others of the world.
    init(seed: UInt64, name: String = "simulated") {
        chance = Chance(seed: seed, stream: "disk")
        vfs = SimulatedFileLayer(self, name: name)
    }

    var name: String { vfs?.name ?? "" }

    /// Bytes of all files.
    var size: Int { files.values.reduce(0) { $0 + $1.content.count } }

    /// The process is gone.
    func crash() { hasCrashed = true }

    /// Another process begins.
    func attach() {
        process += 1
        hasCrashed = false
        operationsUntilCrash = nil
    }

    /// What was not made durable is kept, dropped or torn.
    func cutPower() {
        for (_, file) in files.sorted(by: { $0.key < $1.key }) {
            var content = file.durable
            for change in file.open {
                switch chance.number(0...2) {
                case 0: continue
                case 1: change.apply(to: &content)
                default: torn(change).apply(to: &content)
                }
            }
            file.content = content
            file.durable = content
            file.open = []
        }
    }

    /// A write that ends at any sector, or in the middle of one.
    private func torn(_ change: Change) -> Change {
        guard case .write(let offset, let bytes) = change else { return change }
        return .write(offset: offset, bytes: Array(bytes.prefix(chance.number(0...bytes.count))))
    }

    // MARK: What the file layer asks for

    func write(_ file: File, offset: Int, bytes: UnsafeRawBufferPointer) -> Int32 {
        if let code = failure(writesUpTo: offset + bytes.count, of: file) { return code }
        let change = Change.write(offset: offset, bytes: Array(bytes))
        change.apply(to: &file.content)
        file.open.append(change)
        return SQLITE_OK
    }

    func truncate(_ file: File, to size: Int) -> Int32 {
        if let code = failure(writesUpTo: size, of: file) { return code }
        Change.truncate(size).apply(to: &file.content)
        file.open.append(.truncate(size))
        return SQLITE_OK
    }

    func sync(_ file: File) -> Int32 {
        if let code = failure(writesUpTo: file.content.count, of: file) { return code }
        file.durable = file.content
        file.open = []
        return SQLITE_OK
    }

    /// Reads into `buffer`; what lies beyond the end is zero, which SQLite wants to be told.
    func read(_ file: File, offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if hasCrashed || trouble == .errors || trouble == .gone { return SQLITE_IOERR }
        let count = max(0, min(buffer.count, file.content.count - offset))
        if count > 0 {
            file.content.withUnsafeBytes { content in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: content[offset..<offset + count]))
            }
        }
        if count == buffer.count { return SQLITE_OK }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
        return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ
    }

    /// The code to open, delete or rename a file with; `nil` where that works.
    func nameFailure() -> Int32? {
        if let code = crashed() { return code }
        switch trouble {
        case .readOnly: return SQLITE_READONLY
        case .errors, .gone: return SQLITE_CANTOPEN
        case .full, .writeErrors, nil: return nil
        }
    }

    private func failure(writesUpTo end: Int, of file: File) -> Int32? {
        if let code = crashed() { return code }
        switch trouble {
        case .full where end > file.content.count: return SQLITE_FULL
        case .readOnly: return SQLITE_READONLY
        case .writeErrors, .errors, .gone: return SQLITE_IOERR
        case .full, nil: break
        }
        return flakiness > 0 && chance.number(1...flakiness) == 1 ? SQLITE_IOERR : nil
    }

    /// Counts an operation, at which everything may end.
    private func crashed() -> Int32? {
        if hasCrashed { return SQLITE_IOERR }
        operations += 1
        guard let left = operationsUntilCrash else { return nil }
        operationsUntilCrash = left - 1
        if left > 1 { return nil }
        hasCrashed = true
        return SQLITE_IOERR
    }
}

extension SimulatedDisk.Change {
    fileprivate func apply(to content: inout [UInt8]) {
        switch self {
        case .write(let offset, let bytes):
            if content.count < offset + bytes.count {
                content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
            }
            content.withUnsafeMutableBytes { content in
                bytes.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: content[offset...]).copyMemory(from: $0)
                }
            }
        case .truncate(let size):
            if size < content.count { content.removeLast(content.count - size) }
        }
    }
}
