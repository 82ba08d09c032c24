/// The strength of the last four seconds or so, reading by reading: how strong, how scattered, of how many.
///
/// The filters can't say that: they look back as far as the configuration wants, and carry no scatter. Readings are
/// summed up in buckets of about a second (2²⁰ µs), so a reading costs a shift and three additions.
struct RecentLevel: Sendable {
    private struct Bucket: Sendable {
        var sum: Float = 0
        var squares: Float = 0
        package var count: Float = 0
    }

    /// What the readings of a while come to.
    struct Summary: Sendable {
        var mean_dbm: Double
        /// Of one reading about the mean, dB². One reading has none; `RotationEvidence` has a notion of its own then.
        var variance: Double
        package var count: Double
    }

    /// By the low two bits of the second.
    private var buckets = InlineArray<4, Bucket>(repeating: Bucket())

    /// - Parameter previous: when the reading before it came; `nil` where there is none.
    mutating func add(_ rssi_dbm: Double, at now: Instant, previous: Instant?) {
        let second = now.microseconds >> 20
        let latest = previous.map { $0.microseconds >> 20 }
        if second != latest { begin(second, after: latest) }
        let index = Int(truncatingIfNeeded: second & 3)
        let reading = Float(rssi_dbm)
        buckets[index].sum += reading
        buckets[index].squares += reading * reading
        buckets[index].count += 1
    }

    private mutating func begin(_ second: Int64, after latest: Int64?) {
        var passed: Int64 = 4
        if let latest, second >= latest { passed = min(4, second - latest) }
        for back in 0..<passed { buckets[Int(truncatingIfNeeded: (second - back) & 3)] = Bucket() }
    }

    /// `nil` without a reading.
    var summary: Summary? {
        var all = Bucket()
        for index in 0..<4 {
            all.sum += buckets[index].sum
            all.squares += buckets[index].squares
            all.count += buckets[index].count
        }
        guard all.count > 0 else { return nil }
        let mean = Double(all.sum / all.count)
        let count = Double(all.count)
        return Summary(mean_dbm: mean, variance: max(0, Double(all.squares) / count - mean * mean), count: count)
    }
}
