/// The fault that keeps the outbox from its disk. Meanwhile the outbox works in memory, within its limits, and retries
/// by itself.
package struct OutboxCondition: Hashable, Sendable, CustomStringConvertible {
    package enum Cause: String, CaseIterable, Sendable {
        case diskFull = "disk full"
        case limitReached = "max_mib is too small"
        case readOnly = "disk is read-only"
        case inputOutput = "disk error"
        case damaged = "file is damaged"
        case cannotOpen = "cannot open the state folder"
        case notPermitted = "not permitted in the state folder"
        case otherFormat = "file has another format"
        case inUse = "state folder is in use"
        case other = "disk refuses"
    }

    package var cause: Cause
    /// SQLite's extended result code, or the system's `errno` for the state folder itself.
    var code: Int32
    /// The operation that failed.
    var operation: String
    /// The state folder.
    var directory: String
    /// The `max_mib` that is needed, with `limitReached`.
    var neededMiB: Int?
    /// The cause that the agent found in the folder, with `cannotOpen`.
    var obstacle: StateObstacle?

    /// A remedy for the operator. No remedy deletes a file.
    package var remedy: String {
        switch cause {
        case .diskFull: "free space on the file system of \(directory), or lower [outbox] max_mib"
        case .limitReached:
            "raise [outbox] max_mib\(neededMiB.map { " to \($0)" } ?? ""): the states of all regions do not fit in"
        case .readOnly: "make the file system of \(directory) writable; a failing SD card turns read-only by itself"
        case .inputOutput: "check the disk under \(directory) and its cable; the kernel's log names the fault"
        case .damaged: "nothing to do: it is set aside as outbox.sqlite.corrupt and a new one begun"
        case .cannotOpen where obstacle != nil: obstacle?.remedy ?? ""
        case .cannotOpen: "create \(directory), or mount what should be there"
        case .notPermitted: "give \(directory) and its files to the user that runs beacond"
        case .otherFormat: "run the beacond that made the file, or move it away; it is left as it is"
        case .inUse: "stop the other beacond, or give this one its own state_dir"
        case .other: "see the code; it is tried again by itself"
        }
    }

    /// The fault in a few words: `disk full (code 13, commit)`.
    package var finding: String {
        if cause == .otherFormat {
            return "\(directory)/outbox.sqlite has format \(code), and this beacond reads format \(Schema.version)"
        }
        return "\(cause.rawValue)\(obstacle.map { ": \($0)" } ?? "") (code \(code), \(operation))"
    }

    /// One line for the log: `outbox: disk full (code 13, commit); …`.
    package var description: String { "outbox: \(finding); going on in memory; \(remedy)" }
}

/// A misuse of an outbox. A failing disk is no misuse: see `OutboxCondition`.
package enum OutboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process holds the state folder.
    case inUse(directory: String)
    /// A transaction's messages are not numbered from `expected` without a gap. Nothing of the transaction was kept.
    case misnumbered(expected: Int64, found: Int64)

    package var description: String {
        switch self {
        case .inUse(let directory):
            "outbox: \(directory) is in use by another beacond; stop that one, or give this one its own state_dir"
        case .misnumbered(let expected, let found):
            "outbox: a message is numbered \(found) where \(expected) is next; build the transaction from the numbering it is given"
        }
    }
}

/// The outbox's figures. Counters begin at 0 when the process starts.
package struct OutboxHealth: Hashable, Sendable {
    /// Events that wait for an acknowledgement, those under way included.
    var queuedEvents: Int64
    /// The part of `queuedEvents` that is in memory alone.
    var eventsInMemory: Int64
    /// Bytes that the events take: used pages of the file, and memory.
    var queuedBytes: Int64
    /// Events set aside because the broker refuses them.
    var parkedEvents: Int
    /// Events lost, by cause. Losses of unknown size are reported as gaps and not counted here.
    var droppedEvents: [OutboxGap.Cause: Int64]
    /// The fault of the disk; `nil` where it works.
    var condition: OutboxCondition?
    /// Transactions written to the disk.
    var transactions: Int64
    /// Syncs of the disk: one for a transaction, three for a checkpoint.
    var syncs: Int64
    /// An upper limit of the bytes written to the log and from there to the database. A page that stands in the log
    /// several times is counted each time, but copied once.
    var bytesWritten: Int64
}

/// The wear on the disk, counted from SQLite's reports.
struct Wear: Hashable {
    static let pageBytes = Schema.pageBytes
    /// A page in the write-ahead log has a header of 24 bytes.
    static let frameBytes: Int64 = pageBytes + 24

    private(set) var transactions: Int64 = 0
    private(set) var syncs: Int64 = 0
    private(set) var bytesWritten: Int64 = 0
    /// Bytes in the log since the last checkpoint.
    private(set) var logBytes: Int64 = 0
    /// Bytes of the file's pages in use.
    var usedBytes: Int64 = 0

    /// A transaction writes its pages into the log. The log is then synced once, unless that can wait.
    mutating func committed(pages: Int64, isSynced: Bool) {
        transactions += 1
        if isSynced { syncs += 1 }
        bytesWritten += pages * Self.frameBytes
        logBytes += pages * Self.frameBytes
    }

    /// A checkpoint syncs the log, then the database, and then the log's new header at its next use. SQLite reports how
    /// many pages of the log it read, not how many it wrote.
    mutating func checkpointed(pages: Int64) {
        syncs += 3
        bytesWritten += pages * Self.pageBytes
        logBytes = 0
    }
}
