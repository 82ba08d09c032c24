import CSQLite

/// A disk in memory under SQLite. It fails when asked to, and forgets at a power cut what was not synced.
///
/// Writes are remembered until a sync. A power cut then keeps, drops or tears each unsynced one, as a disk's cache
/// does. A failed sync loses some of them for good, as in Linux: the kernel marks their pages clean, and the next sync
/// reports success without them. Meanwhile a read may return either content.
///
/// Making, renaming and deleting a file is durable once the folder is synced. Before that, a power cut undoes any
/// number of the last of these: a journalling file system keeps their order.
final class SimulatedDisk {
    enum Trouble: CaseIterable {
        /// No file grows, but existing octets can be overwritten.
        case full
        case readOnly
        /// Nothing can be written, but files can be read.
        case writeErrors
        /// Nothing can be read or written.
        case errors
        /// The disk is not mounted.
        case gone
    }

    /// A failure of one operation, or of all from that one on until `repair`.
    struct Fault {
        enum Operation: CaseIterable { case read, write, sync }

        var operation: Operation
        /// Counted from 1.
        var number: Int
        var code: Int32
        var lasts = true
    }

    final class File {
        var content: [UInt8] = []
        fileprivate var durable: [UInt8] = []
        fileprivate var open: [Change] = []

        /// The disk's content, with the changes that a sync still brings there.
        fileprivate var synced: [UInt8] {
            open.filter { !$0.isLost }.reduce(into: durable) { $1.apply(to: &$0) }
        }
    }

    fileprivate struct Change {
        enum Kind {
            case write(offset: Int, bytes: [UInt8])
            case truncate(Int)
        }

        var kind: Kind
        /// Whether a failed sync has lost it, so that no sync brings it to the disk any more.
        var isLost = false
    }

    /// The changes of names in one operation; `nil` for a removed name.
    private typealias NameChange = [String: File?]

    private(set) var files: [String: File] = [:]
    private var durableNames: [String: File] = [:]
    private var openNames: [NameChange] = []
    var trouble: Trouble?
    var fault: Fault?
    /// The code of a fault that lasts, once it has begun.
    private var failing: Int32?
    private(set) var reads = 0
    private(set) var writes = 0
    private(set) var syncs = 0
    private(set) var bytesWritten = 0
    /// True while a sync reports success and brings nothing to the disk, as on an ext4 that is just being given up.
    var ignoresSyncs = false
    /// One operation in this many fails, and works the next time; 0 for none.
    var flakiness = 0
    /// The number of operations until the process, or the machine, ends.
    var operationsUntilCrash: Int?
    /// Whether the process has ended. It can't change anything any more, and gets errors.
    private(set) var hasCrashed = false
    private(set) var operations = 0
    /// The process that uses the disk.
    private(set) var process = 0
    private var chance: any RandomNumberGenerator
    /// The random stream of Linux's own decisions.
    private var linuxChance: any RandomNumberGenerator
    private(set) var vfs: SimulatedFileLayer?

    /// - Parameter name: distinguishes the disk from others of the process.
    init(name: String, chance: any RandomNumberGenerator, linux: any RandomNumberGenerator) {
        (self.chance, linuxChance) = (chance, linux)
        vfs = SimulatedFileLayer(self, name: name)
    }

    var name: String { vfs?.name ?? "" }

    /// Bytes of all files.
    var size: Int { files.values.reduce(0) { $0 + $1.content.count } }

    func resetCounts() { (reads, writes, syncs, bytesWritten) = (0, 0, 0, 0) }

    /// Ends the fault.
    func repair() { (fault, failing) = (nil, nil) }

    /// Fails every operation from the next write on.
    func refuse(_ code: Int32) { fault = Fault(operation: .write, number: writes + 1, code: code) }

    /// Ends the process.
    func crash() { hasCrashed = true }

    /// Begins another process.
    func attach() {
        process += 1
        hasCrashed = false
        operationsUntilCrash = nil
    }

    /// Keeps, drops or tears everything that was not synced.
    func cutPower() {
        let former = files
        for change in openNames.prefix(linuxChance.number(0...openNames.count)) { change.apply(to: &durableNames) }
        openNames = []
        files = durableNames
        for (_, file) in former.sorted(by: { $0.key < $1.key }) { cutPower(of: file, &chance) }
        // Files that had lost their name and have it again.
        for (_, file) in files.sorted(by: { $0.key < $1.key }) { cutPower(of: file, &linuxChance) }
    }

    private func cutPower(of file: File, _ chance: inout any RandomNumberGenerator) {
        var content = file.durable
        for change in file.open {
            let fate = chance.number(0...2)
            let reached = fate == 2 ? torn(change, &chance) : change
            if fate > 0, !change.isLost { reached.apply(to: &content) }
        }
        file.content = content
        file.durable = content
        file.open = []
    }

    /// A write that ends at any sector, or in the middle of one.
    private func torn(_ change: Change, _ chance: inout any RandomNumberGenerator) -> Change {
        guard case .write(let offset, let bytes) = change.kind else { return change }
        return Change(kind: .write(offset: offset, bytes: Array(bytes.prefix(chance.number(0...bytes.count)))))
    }

    /// Replaces the disk by an empty one.
    func replace() { (files, durableNames, openNames) = ([:], [:], []) }

    // MARK: Names

    /// Makes an empty file.
    func make(_ name: String) -> File {
        let file = File()
        record([name: file])
        return file
    }

    func remove(_ name: String) {
        if files[name] != nil { record([name: File?.none]) }
    }

    func rename(_ name: String, to other: String) {
        if let file = files[name] { record([name: File?.none, other: file]) }
    }

    private func record(_ change: NameChange) {
        change.apply(to: &files)
        openNames.append(change)
    }

    /// Syncs the folder. The process never ends at this operation.
    ///
    /// - Returns: whether the disk has the names.
    func syncNames() -> Bool {
        switch trouble {
        case .readOnly, .writeErrors, .errors, .gone: return false
        case .full, nil: break
        }
        if hasCrashed || (flakiness > 0 && linuxChance.number(1...flakiness) == 1) { return false }
        durableNames = files
        openNames = []
        return true
    }

    // MARK: Called by the file layer

    func write(_ file: File, offset: Int, bytes: UnsafeRawBufferPointer) -> Int32 {
        writes += 1
        if let code = fault(at: .write, writes) ?? failure(writesUpTo: offset + bytes.count, of: file) { return code }
        bytesWritten += bytes.count
        let change = Change(kind: .write(offset: offset, bytes: Array(bytes)))
        change.apply(to: &file.content)
        file.open.append(change)
        return SQLITE_OK
    }

    func truncate(_ file: File, to size: Int) -> Int32 {
        if let code = failing ?? failure(writesUpTo: size, of: file) { return code }
        let change = Change(kind: .truncate(size))
        change.apply(to: &file.content)
        file.open.append(change)
        return SQLITE_OK
    }

    func sync(_ file: File) -> Int32 {
        syncs += 1
        if let code = fault(at: .sync, syncs) { return code }
        if let code = failure(writesUpTo: file.content.count, of: file) {
            if !hasCrashed { loseWrites(of: file) }
            return code
        }
        if ignoresSyncs { return SQLITE_OK }
        file.durable = file.synced
        file.open = []
        return SQLITE_OK
    }

    /// Undoes everything that was not synced.
    func undo() {
        for file in files.values { (file.content, file.open) = (file.durable, []) }
    }

    /// The kernel could not write some pages, and marks them clean. If it then needs the memory, it reads the disk's
    /// content again.
    private func loseWrites(of file: File) {
        for index in file.open.indices {
            guard case .write = file.open[index].kind else { continue }
            if linuxChance.happens(0.5) { file.open[index].isLost = true }
        }
        if linuxChance.happens(0.3) { file.content = file.synced }
    }

    /// Reads into `buffer`; beyond the end it reads zeros, which SQLite has to learn.
    func read(_ file: File, offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        reads += 1
        if hasCrashed || trouble == .errors || trouble == .gone { return SQLITE_IOERR }
        // A full or read-only disk can be read.
        if fault(at: .read, reads) == SQLITE_IOERR { return SQLITE_IOERR }
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

    private func fault(at operation: Fault.Operation, _ number: Int) -> Int32? {
        if let failing { return failing }
        guard let fault, fault.operation == operation, fault.number == number else { return nil }
        if fault.lasts { failing = fault.code }
        return fault.code
    }

    /// The error of opening, deleting or renaming a file; `nil` where that works.
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

    /// Counts an operation, at which the process may end.
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
        switch kind {
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

extension [String: SimulatedDisk.File?] {
    fileprivate func apply(to names: inout [String: SimulatedDisk.File]) {
        for (name, file) in self { names[name] = file }
    }
}

extension RandomNumberGenerator {
    private mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    fileprivate mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(unit() * Double(range.upperBound - range.lowerBound + 1))
    }
}
