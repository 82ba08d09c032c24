import Core

/// The limits of the queue for the broker: `[outbox] max_events` and `max_mib`.
package struct OutboxLimits: Hashable, Sendable {
    var maxEvents: Int
    /// The limit of everything in the state folder, and of the memory where there is no folder.
    var maxBytes: Int64

    /// Values below 1 count as 1.
    init(maxEvents: Int, maxMiB: Int) {
        self.maxEvents = max(maxEvents, 1)
        maxBytes = Int64(min(max(maxMiB, 1), 1 << 24)) << 20
    }

    // Three parts share `maxBytes`. The database has 17 of 32 parts. The events that wait in memory while the disk
    // fails have an eighth: they pass through the log in one transaction, beside the pages that make room for them. The
    // rest is for the copy of a damaged database, which is deleted where it is larger.

    /// The largest database file.
    var fileBytes: Int64 { maxBytes / 32 * 17 }
    /// The `max_mib` with which a database of `fileBytes` fits in, with as much room again for events.
    func neededMiB(fileBytes: Int64) -> Int { max(Int(fileBytes >> 20) * 4 + 4, Int(maxBytes >> 20) * 2) }

    /// The memory for events that wait while the disk fails.
    var memoryBytes: Int64 { maxBytes / 8 }
    /// The length of the log at which it is copied into the database.
    var logBytes: Int64 { min(maxBytes / 16, 4 << 20) }
    /// The largest damaged file that is kept.
    var damagedBytes: Int64 { maxBytes / 4 }
}

/// Decides how many of the oldest events make room for new ones.
struct Retention: Hashable {
    var maxEvents: Int64
    var maxBytes: Int64

    /// How far `events` and `bytes` are beyond the limits; `nil` where both hold.
    func excess(events: Int64, bytes: Int64) -> Excess? {
        if events > maxEvents {
            return Excess(cause: .maxEvents, events: events - maxEvents, bytes: max(bytes - maxBytes, 0))
        }
        if bytes > maxBytes { return Excess(cause: .maxMiB, events: 0, bytes: bytes - maxBytes) }
        return nil
    }

    struct Excess: Hashable {
        var cause: OutboxGap.Cause
        var events: Int64
        var bytes: Int64

        /// Returns whether messages of a series make room: where `max_events` is exceeded, only messages of counted
        /// series do.
        func concerns(_ series: NumberSeries) -> Bool { cause != .maxEvents || series.isCounted }

        /// The number of the oldest events that have to go, of `sizes` in order; all of them where even that is too
        /// little.
        func victims(among sizes: some Sequence<Int64>) -> Int {
            var count = 0
            var freed: Int64 = 0
            for size in sizes {
                if count >= events && freed >= bytes { break }
                count += 1
                freed += size
            }
            return count
        }
    }
}
