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
