/// How much may wait for the broker: `[outbox] max_events` and `max_mib`.
package struct OutboxLimits: Hashable, Sendable {
    var maxEvents: Int
    /// Bound of everything in the state folder, and of the memory where there is no folder.
    var maxBytes: Int64

    /// Values below 1 count as 1.
    init(maxEvents: Int, maxMiB: Int) {
        self.maxEvents = max(maxEvents, 1)
        maxBytes = Int64(min(max(maxMiB, 1), 1 << 24)) << 20
    }

    // The database, its write-ahead log and the copy of a damaged predecessor share `maxBytes`: 17 of 32 parts for the database,
    // an eighth for what may wait in memory while the disk fails, which then passes through the log in one transaction
    // beside the pages that make room for it, and the rest for that copy, which is deleted where it is larger.

    /// The largest database file.
    var fileBytes: Int64 { maxBytes / 32 * 17 }
    /// `max_mib` with which a database of `fileBytes` fits in, and as much again for events.
    func neededMiB(fileBytes: Int64) -> Int { max(Int(fileBytes >> 20) * 4 + 4, Int(maxBytes >> 20) * 2) }

    /// What may wait in memory while the disk fails.
    var memoryBytes: Int64 { maxBytes / 8 }
    /// The log is copied into the database at this length.
    var logBytes: Int64 { min(maxBytes / 16, 4 << 20) }
    /// The largest damaged file that is kept.
    var damagedBytes: Int64 { maxBytes / 4 }
}
