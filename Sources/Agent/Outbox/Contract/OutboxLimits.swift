import Core

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
        package var events: Int64
        var bytes: Int64

        /// Whether messages of a series make room: where there are too many of those that are counted, only those do.
        func concerns(_ series: NumberSeries) -> Bool { cause != .maxEvents || series.isCounted }

        /// How many of the oldest events, whose sizes are `sizes` in order, have to go; all of them where that is not enough.
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

extension NumberSeries {
    /// Whether `max_events` bounds how many wait. Those of the others say little: spans are few, and a batch of fixes is as large as
    /// hundreds of events. `max_mib` bounds all of them.
    var isCounted: Bool { self == .events }
}
