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
