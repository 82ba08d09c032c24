import RealModule

/// The evidence that a silent transmitter has become a newcomer: log-likelihood ratios, in nats.
///
/// Each term compares two explanations: "the predecessor rotated" and "it left or is out of hearing, and the newcomer
/// is another beacon". The terms are independent, and the sum decides. No term may outweigh all others, because real
/// radio departs from every model. So every term is bounded.
struct RotationEvidence: Sendable {
    /// The data of one transmitter for the pairing.
    struct Candidate: Sendable {
        /// The first report of a newcomer; the last report of a predecessor.
        var time: Instant
        var level: RecentLevel.Summary?
        /// The interval between packets as sent, ms; 0 while it is not known.
        var interval_ms: Double
        /// The average time between receptions, s.
        var averageGap_s: Double
        var measuredPower_dbm: Int8
        var traits: AdvertisingTraits
    }

    /// The reception pauses: a silence in them says nothing about a beacon.
    var pauses: ReceptionPauses
    /// The number of beacons of the identity.
    var crowd: Int
    package var now: Instant

    /// The prior in favour of a rotation between two beacons of one identity. The more beacons there are, the more
    /// often a new one arrives, while each of them rotates as rarely as before.
    var prior: Double { 1 - Double.log(Double(max(2, crowd)) / 2) }
    /// The cost of a wrong merge, which is twice as bad as a split: a probability of two thirds is needed.
    static let mergeCost = Double.log(2.0)

    /// Returns a positive value where it is better to take the two for one.
    func score(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        prior - Self.mergeCost + silence(predecessor) + gap(newcomer, predecessor) + level(newcomer, predecessor)
            + timing(newcomer, predecessor) + payload(newcomer, predecessor)
    }

    /// A beacon that is heard ten times a second and then not for two is gone. A beacon that is hardly heard may still
    /// be there.
    func silence(_ predecessor: Candidate) -> Double {
        let silence: TimeSpan = now - predecessor.time
        let silence_s = (silence - pauses.overlap(predecessor.time, now)).seconds
        let usual_s = 2 * predecessor.averageGap_s + 0.3
        return -Double.log(0.05 + 0.95 * Double.exp(-max(0, silence_s) / usual_s))
    }

    /// A new address is usually heard as soon as the next packet would have been, and rarely after seconds. A stranger
    /// comes at any time within `resolve_after_s`.
    func gap(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        let gap: TimeSpan = newcomer.time - predecessor.time
        let gap_s = max(0, (gap - pauses.overlap(predecessor.time, newcomer.time)).seconds)
        let usual_s = 2 * predecessor.averageGap_s + 0.3
        let density = 0.85 * Double.exp(-gap_s / usual_s) / usual_s + 0.15 * Double.exp(-gap_s / 5) / 5
        return Double.log(density * 10)
    }

    /// A phone is about as strong just after a rotation as just before. Its own scatter shows how closely. On
    /// recordings, two means taken two seconds apart differ as their scatters predict for so many readings, with a
    /// longer tail.
    func level(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        guard let new = newcomer.level, let old = predecessor.level else { return 0 }
        // Few readings show little about their scatter, so two readings of 5 dB are added.
        let scatter = (new.variance * new.count + old.variance * old.count + 50) / (new.count + old.count + 2)
        let seconds = max(0, (newcomer.time - predecessor.time).seconds) + 2
        let variance = scatter * (1 / new.count + 1 / old.count) + 0.5 + seconds * scatter / 25
        let difference = new.mean_dbm - old.mean_dbm
        let density = 0.8 * Self.normal(difference, variance) + 0.2 * Self.normal(difference, variance + 100)
        // A stranger is anywhere within 30 dB.
        return Double.log(density * 30)
    }

    /// The interval continues, and often its phase as well. Every packet comes 0 to 10 ms later than the interval after
    /// the one before (Core 5.4, Vol 6, Part B, 4.4.2.2), whatever the address is. Some hosts restart advertising for a
    /// new address.
    func timing(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        let interval_ms = predecessor.interval_ms
        guard interval_ms > 0 else { return 0 }
        let gap_ms = (newcomer.time - predecessor.time).seconds * 1_000
        let intervals = max(1, (gap_ms / interval_ms).rounded())
        let deviation_ms = 2 + 3 * intervals.squareRoot() + intervals
        var evidence = 0.0
        if deviation_ms * 4 < interval_ms {
            let density = Self.normal(gap_ms - intervals * interval_ms, deviation_ms * deviation_ms)
            evidence = Double.log(0.5 + 0.5 * density * interval_ms)
        }
        if newcomer.interval_ms > 0 {
            let ratio = newcomer.interval_ms / interval_ms
            let multiple = max(ratio, 1 / ratio)
            // Lost packets make intervals look like multiples.
            if abs(multiple - multiple.rounded()) > 0.2 * multiple.squareRoot() { evidence -= 2 }
        }
        return evidence
    }

    /// The rest of the packet does not change with the address.
    func payload(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        (newcomer.measuredPower_dbm == predecessor.measuredPower_dbm ? 0 : -4)
            + (newcomer.traits == predecessor.traits ? 0 : -4)
    }

    private static func normal(_ difference: Double, _ variance: Double) -> Double {
        Double.exp(-difference * difference / (2 * variance)) / (2 * Double.pi * variance).squareRoot()
    }
}

/// The mean, scatter and number of the readings of about the last four seconds.
///
/// The filters cannot give these: they look back as far as the configuration says, and hold no scatter. Readings are
/// summed in buckets of about a second (2²⁰ µs), so a reading costs a shift and three additions.
struct RecentLevel: Sendable {
    private struct Bucket: Sendable {
        var sum: Float = 0
        var squares: Float = 0
        var count: Float = 0
    }

    /// The statistics of some seconds of readings.
    struct Summary: Sendable {
        var mean_dbm: Double
        /// The variance of one reading, dB². A single reading has none; `RotationEvidence` then uses its own.
        var variance: Double
        var count: Double
    }

    /// The buckets, indexed by the low two bits of the second.
    private var buckets = InlineArray<4, Bucket>(repeating: Bucket())

    /// - Parameter previous: the time of the reading before; `nil` where there is none.
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

    /// The statistics; `nil` without a reading.
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
