import Core

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
