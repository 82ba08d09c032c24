/// Distinguishes quiet air from a dead radio.
///
/// Reports of any kind, from beacons or not, prove that the radio hears. The norm of silence is 5 s or 20 times the
/// median gap between reports. After half of it the agent probes the radio: it sends a command and switches scanning
/// off and on. A healthy radio loses nothing by that.
///
/// A radio that has not answered by the end of the norm is suspect. An answer proves that the air is quiet; the probe
/// is then repeated in the background. A radio that does not answer is blind until it answers or a report comes. In
/// lively air that is known within 5 s of the last report.
///
/// Where no probe is possible, as in a replay, silence beyond the norm is blindness. So is a shorter silence beyond
/// `ordinarySilence`.
package struct LivenessMonitor: Sendable {
    /// The actions for the caller. Both parts may be empty.
    package struct Outcome: Hashable, Sendable {
        /// The new liveness, where it has changed.
        package var announcement: RadioLiveness?
        /// True if to probe the controller now. The caller then calls `probeAnswered(at:)` or `probeFailed(at:)`.
        package var probes: Bool = false
    }

    /// The silence up to which the radio is never suspicious.
    static let shortestNorm = TimeSpan.seconds(5)
    /// The normal silence in median gaps.
    static let gapsInNorm: Int64 = 20
    /// The time between background probes while the air is quiet.
    static let quietProbeInterval = TimeSpan.seconds(30)
    /// The time between probes of a blind radio: doubled each time, between these.
    static let blindProbeIntervals = TimeSpan.seconds(2)...TimeSpan.seconds(30)

    private enum State: Sendable {
        case live
        /// Live so far, and being probed.
        case asked
        /// Live by a probe's answer. `nextProbe` is the time of the next probe, `distantFuture` while a probe is
        /// running.
        case quiet(nextProbe: Instant)
        case suspect
        case blind(nextProbe: Instant)
        /// Blind because the owner said so: no probe is possible.
        case interrupted
    }

    private let canProbe: Bool
    /// The longest ordinary silence of the devices in the air, where the owner knows it. Used where no probe is
    /// possible.
    var ordinarySilence: TimeSpan?
    private var state: State = .interrupted
    private var gaps = GapHistory()
    private var blindProbeInterval = DoublingPause(blindProbeIntervals)
    /// The last report; `nil` where the next gap would span a known outage and so say nothing about the air.
    private var lastReport: Instant?
    /// The last report, answer or start: the last moment at which the radio is known to have heard.
    private var lastProof: Instant
    /// The next time to check the silence.
    private var nextLook: Instant = .distantFuture

    /// Makes the monitor of a radio that is blind until `resumed(at:)` or the first report.
    ///
    /// - Parameter canProbe: false where there is no controller to probe.
    package init(canProbe: Bool, at instant: Instant) {
        self.canProbe = canProbe
        lastProof = instant
    }

    /// The liveness that was announced last.
    package var liveness: RadioLiveness {
        switch state {
        case .live, .asked, .quiet: .live
        case .suspect: .suspect(since: lastProof)
        case .blind, .interrupted: .blind(since: lastProof)
        }
    }

    /// The time of the next `tick(at:)`. It may be early, never late.
    package var nextDeadline: Instant {
        switch state {
        case .live, .asked: nextLook
        case .quiet(let nextProbe), .blind(let nextProbe): nextProbe
        case .suspect, .interrupted: .distantFuture
        }
    }

    /// Takes a report, whatever it holds. Returns the liveness where it has changed.
    package mutating func reportReceived(at instant: Instant) -> RadioLiveness? {
        if let lastReport { gaps.append(instant - lastReport) }
        lastReport = instant
        return heard(at: instant)
    }

    /// Takes the controller's confirmation that scanning has begun. Silence counts from here.
    package mutating func resumed(at instant: Instant) -> RadioLiveness? { heard(at: instant) }

    private mutating func heard(at instant: Instant) -> RadioLiveness? {
        lastProof = instant
        nextLook = instant + shortestSilence
        switch state {
        case .live:
            return nil
        case .asked, .quiet:
            state = .live
            return nil
        case .suspect, .blind, .interrupted:
            state = .live
            return .live
        }
    }

    /// Learns that the adapter is gone, off, blocked or forbidden. Returns the liveness where it has changed.
    package mutating func interrupted(at instant: Instant) -> RadioLiveness? {
        defer {
            state = .interrupted
            lastReport = nil
        }
        switch state {
        case .blind, .interrupted: return nil
        case .live, .asked, .quiet, .suspect: return .blind(since: lastProof)
        }
    }

    /// Asks whether the radio hears now. Returns whether to probe it: not where a probe is running, and not where the
    /// radio is known to be blind.
    package mutating func ask(at instant: Instant) -> Bool {
        guard canProbe else { return false }
        switch state {
        case .live:
            beAsked()
            return true
        case .quiet(let nextProbe) where nextProbe < .distantFuture:
            state = .quiet(nextProbe: .distantFuture)
            return true
        case .asked, .quiet, .suspect, .blind, .interrupted:
            return false
        }
    }

    private mutating func beAsked() {
        state = .asked
        nextLook = lastProof + norm
    }

    /// Checks the silence. The caller calls it whenever `nextDeadline` is reached.
    package mutating func tick(at instant: Instant) -> Outcome {
        guard instant >= nextDeadline else { return Outcome() }
        switch state {
        case .live:
            let silence = canProbe ? Self.half(norm) : norm
            guard instant - lastProof >= silence else {
                nextLook = lastProof + silence
                return Outcome()
            }
            guard canProbe else {
                state = .blind(nextProbe: .distantFuture)
                return Outcome(announcement: .blind(since: lastProof))
            }
            beAsked()
            return Outcome(probes: true)
        case .asked:
            state = .suspect
            return Outcome(announcement: .suspect(since: lastProof))
        case .quiet:
            state = .quiet(nextProbe: .distantFuture)
            return Outcome(probes: true)
        case .blind:
            state = .blind(nextProbe: .distantFuture)
            return Outcome(probes: true)
        case .suspect, .interrupted:
            return Outcome()
        }
    }

    /// Takes the controller's answer to a whole probe. Returns the liveness where it has changed.
    package mutating func probeAnswered(at instant: Instant) -> RadioLiveness? {
        switch state {
        case .live, .interrupted:
            return nil
        case .asked, .quiet, .suspect, .blind:
            let wasLive = liveness == .live
            lastProof = instant
            state = .quiet(nextProbe: instant + Self.quietProbeInterval)
            return wasLive ? nil : .live
        }
    }

    /// Takes the failure of a probe: no answer in time, or an adapter that does not behave as freshly opened. Returns
    /// the liveness where it has changed.
    package mutating func probeFailed(at instant: Instant) -> RadioLiveness? {
        switch state {
        case .live:
            // Reports came while the probe was running.
            return nil
        case .blind:
            state = .blind(nextProbe: instant + blindProbeInterval.next())
            return nil
        case .interrupted, .asked, .quiet, .suspect:
            let wasLive = liveness != .blind(since: lastProof)
            lastReport = nil
            blindProbeInterval.reset()
            state = .blind(nextProbe: instant + blindProbeInterval.next())
            return wasLive ? liveness : nil
        }
    }

    /// The longest silence that is not suspicious.
    private var norm: TimeSpan {
        guard let median = gaps.median else { return Self.shortestNorm }
        var norm = median * Self.gapsInNorm
        if !canProbe, let ordinarySilence { norm = min(norm, ordinarySilence) }
        return max(Self.shortestNorm, norm)
    }

    /// The silence below which no check is needed.
    private var shortestSilence: TimeSpan { canProbe ? Self.half(Self.shortestNorm) : Self.shortestNorm }

    private static func half(_ span: TimeSpan) -> TimeSpan { TimeSpan(microseconds: span.microseconds / 2) }
}

/// The meaning of silence on the radio. A beacon that a blind radio does not hear has not left.
package enum RadioLiveness: Hashable, Sendable {
    /// The radio hears: a beacon that is silent is gone.
    case live
    /// The radio is silent for longer than usual, and has not yet answered the probe. `since` is the last moment at
    /// which it was known to hear.
    case suspect(since: Instant)
    /// The radio cannot hear. `since` is the last moment at which it was known to hear.
    case blind(since: Instant)
}

/// The gaps between the latest reports, for their median.
///
/// Recording a gap costs two stores. The median is computed only once silence has lasted long enough.
struct GapHistory: Sendable {
    /// An odd number, so that the median is one of the gaps.
    static let capacity = 31
    /// The least gaps for a median: a single long gap says nothing about the air.
    static let minimum = 4

    /// Stored inline: an array would check for shared storage at each write.
    private var gaps = InlineArray<31, Int64>(repeating: 0)
    private(set) var count = 0
    private var next = 0

    mutating func append(_ gap: TimeSpan) {
        gaps[next] = max(0, gap.microseconds)
        next = next + 1 == Self.capacity ? 0 : next + 1
        if count < Self.capacity { count += 1 }
    }

    /// The median; `nil` with fewer gaps than `minimum`.
    var median: TimeSpan? { median(ofAtLeast: Self.minimum) }

    func count(shorterThan span: TimeSpan) -> Int { (0..<count).count { gaps[$0] < span.microseconds } }

    /// Returns the median; `nil` with fewer gaps than `least`, which is 1 or more.
    func median(ofAtLeast least: Int) -> TimeSpan? { quartile(2, ofAtLeast: least) }

    /// Returns the gap that one, two or three quarters of the gaps do not exceed; `nil` with fewer gaps than `least`, which
    /// is 1 or more.
    func quartile(_ number: Int, ofAtLeast least: Int) -> TimeSpan? {
        guard count >= least else { return nil }
        let sorted = (0..<count).map { gaps[$0] }.sorted()
        return TimeSpan(microseconds: sorted[count * number / 4])
    }
}
