/// What keeps the outbox from its disk. Meanwhile it works in memory, within its limits, and tries again by itself.
package struct OutboxCondition: Hashable, Sendable, CustomStringConvertible {
    package enum Cause: String, CaseIterable, Sendable {
        case diskFull = "disk full"
        case limitReached = "max_mib is too small"
        case readOnly = "disk is read-only"
        case inputOutput = "disk error"
        case damaged = "file is damaged"
        case cannotOpen = "cannot open the state folder"
        case notPermitted = "not permitted in the state folder"
        case newerVersion = "file belongs to a newer version"
        case inUse = "state folder is in use"
        case other = "disk refuses"
    }

    package var cause: Cause
    /// SQLite's extended result code, or the system's `errno` for the state folder itself.
    var code: Int32
    /// What was being done.
    var operation: String
    /// The state folder.
    var directory: String
    /// `max_mib` as it would have to be, with `limitReached`.
    var neededMiB: Int?
    /// What was seen to be the cause, with `cannotOpen`.
    var obstacle: StateObstacle?

    /// What the operator can do. Deleting a file is never needed.
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
        case .newerVersion: "run the newer beacond, or name another state_dir; the file is left as it is"
        case .inUse: "stop the other beacond, or give this one its own state_dir"
        case .other: "see the code; it is tried again by itself"
        }
    }

    /// What it is, in a few words: `disk full (code 13, commit)`.
    package var finding: String {
        "\(cause.rawValue)\(obstacle.map { ": \($0)" } ?? "") (code \(code), \(operation))"
    }

    /// One line for the log: `outbox: disk full (code 13, commit); …`.
    package var description: String {
        "outbox: \(finding); going on in memory; \(remedy)"
    }
}

/// Why an outbox cannot be used as asked. A failing disk is none of these: see `OutboxCondition`.
package enum OutboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process holds the state folder.
    case inUse(directory: String)
    /// A transaction's messages are not numbered from `expected` without a gap. Nothing of it was kept.
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

/// The outbox in figures. Counters run from the start of the process.
package struct OutboxHealth: Hashable, Sendable {
    /// Events that wait for an acknowledgement, those under way included.
    package var queuedEvents: Int64
    /// The part of them that is in memory alone.
    var eventsInMemory: Int64
    /// Bytes that the events take: the used pages of the file, and the memory.
    var queuedBytes: Int64
    /// Events set aside because the broker refuses them.
    var parkedEvents: Int
    /// Events lost, by cause. Losses whose number is not known are stated as gaps and not counted.
    var droppedEvents: [OutboxGap.Cause: Int64]
    /// What is wrong with the disk; `nil` where nothing is.
    var condition: OutboxCondition?
    /// Transactions written to the disk.
    var transactions: Int64
    /// Times the disk was told to make writes durable: one a transaction, three a checkpoint.
    var syncs: Int64
    /// Bytes written to the log and from there to the database, at most: a page that stands in the log several times is
    /// counted each time, and copied once.
    var bytesWritten: Int64
}

/// What the outbox costs its disk, counted from what SQLite reports.
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

    /// A transaction writes its pages into the log, which is then made durable once, unless it can wait.
    mutating func committed(pages: Int64, isSynced: Bool) {
        transactions += 1
        if isSynced { syncs += 1 }
        bytesWritten += pages * Self.frameBytes
        logBytes += pages * Self.frameBytes
    }

    /// A checkpoint makes the log durable, then the database, and the log's new header as its next use begins. SQLite says
    /// how many pages of the log it went through, not how many it wrote.
    mutating func checkpointed(pages: Int64) {
        syncs += 3
        bytesWritten += pages * Self.pageBytes
        logBytes = 0
    }
}
