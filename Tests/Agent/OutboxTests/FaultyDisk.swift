import CSQLite
import Synchronization
import TestAir

@testable import Core

/// A disk in memory under SQLite. It fails when asked to, and forgets at a power cut what was not synced.
///
/// Registered as an SQLite file layer of its own. Writes are remembered until a sync; `cutPower` then keeps, drops or
/// tears each unsynced one, as a disk's cache does. Making and deleting a file is durable at once.
final class FaultyDisk {
    enum Operation: CaseIterable { case read, write, sync }

    struct Fault {
        var operation: Operation
        /// Counted from 1.
        var number: Int
        var code: Int32
        /// Whether everything after it fails too, until `repair`.
        var lasts: Bool
    }

    fileprivate enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    final class Node {
        fileprivate var content: [UInt8] = []
        fileprivate var durable: [UInt8] = []
        fileprivate var open: [Change] = []
    }

    static let counter = Atomic<Int>(0)

    let name: String
    var files: [String: Node] = [:]
    var fault: Fault?
    private(set) var reads = 0
    private(set) var writes = 0
    private(set) var bytesWritten = 0
    private(set) var syncs = 0
    private(set) var failing: Int32?
    private var vfs: UnsafeMutablePointer<sqlite3_vfs>?

    init() {
        name = "faulty-\(Self.counter.add(1, ordering: .relaxed).newValue)"
        vfs = FaultyFileLayer.register(self, name: name)
    }

    deinit {
        if let vfs { FaultyFileLayer.unregister(vfs) }
    }

    func resetCounts() {
        reads = 0
        writes = 0
        syncs = 0
        bytesWritten = 0
    }

    func repair() {
        fault = nil
        failing = nil
    }

    /// Keeps, drops or tears everything unsynced, by the numbers of `generator`. The disk works again.
    func cutPower(_ generator: inout SeededGenerator) {
        repair()
        for node in files.values {
            var content = node.durable
            for change in node.open {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: continue
                case 1: Self.apply(change, to: &content)
                default: Self.apply(Self.torn(change, &generator), to: &content)
                }
            }
            node.content = content
            node.durable = content
            node.open = []
        }
    }

    private static func torn(_ change: Change, _ generator: inout SeededGenerator) -> Change {
        guard case .write(let offset, let bytes) = change else { return change }
        return .write(offset: offset, bytes: Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes):
            if content.count < offset + bytes.count {
                content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
            }
            content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        case .truncate(let size):
            content = Array(content.prefix(size))
        }
    }

    // MARK: Called by the file layer

    func write(_ node: Node, offset: Int, bytes: [UInt8]) -> Int32 {
        writes += 1
        if let code = code(for: .write, number: writes) { return code }
        bytesWritten += bytes.count
        let change = Change.write(offset: offset, bytes: bytes)
        Self.apply(change, to: &node.content)
        node.open.append(change)
        return SQLITE_OK
    }

    func truncate(_ node: Node, to size: Int) -> Int32 {
        if let failing { return failing }
        Self.apply(.truncate(size), to: &node.content)
        node.open.append(.truncate(size))
        return SQLITE_OK
    }

    func sync(_ node: Node) -> Int32 {
        syncs += 1
        if let code = code(for: .sync, number: syncs) { return code }
        node.durable = node.content
        node.open = []
        return SQLITE_OK
    }

    /// Reads into `buffer`; beyond the end it reads zeros, which SQLite has to learn.
    func read(_ node: Node, offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        reads += 1
        // A full or read-only disk can be read.
        if let code = code(for: .read, number: reads), code == SQLITE_IOERR { return code }
        let available = node.content.dropFirst(offset).prefix(buffer.count)
        buffer.copyBytes(from: available)
        if available.count == buffer.count { return SQLITE_OK }
        for index in available.count..<buffer.count { buffer[index] = 0 }
        return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ
    }

    private func code(for operation: Operation, number: Int) -> Int32? {
        if let failing { return failing }
        guard let fault, fault.operation == operation, fault.number == number else { return nil }
        if fault.lasts { failing = fault.code }
        return fault.code
    }

    func size(of node: Node) -> Int { node.content.count }
}
