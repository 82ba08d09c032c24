/// Tells quiet air from a dead radio.
///
/// Reports of any kind, from beacons or not, prove that the radio hears. The norm of silence is 5 s or 20 times the
/// median gap between reports. After half of it the radio is probed with a command and with scanning switched off and on,
/// which costs a healthy one nothing; without an answer until the norm is over it is suspect. An answer proves that the
/// air is quiet; from then on the probe is repeated in the background. No answer means that the radio is blind until it
/// answers or a report comes: where the air is lively that is known within 5 s of the last report.
///
/// Where nothing can be probed, as in a replay, silence beyond the norm is blindness, and so is a shorter one that is out of the
/// ordinary for whoever is there.
package struct LivenessMonitor: Sendable {
    /// What to do about it. Both parts may be empty.
    package struct Outcome: Hashable, Sendable {
        /// Set where the liveness has changed.
        package var announcement: RadioLiveness?
        /// Probe the controller now, then call `probeAnswered(at:)` or `probeFailed(at:)`.
        package var probes: Bool

        init(announcement: RadioLiveness? = nil, probes: Bool = false) {
            self.announcement = announcement
            self.probes = probes
        }
    }

    /// Silence up to here is never suspicious.
    static let shortestNorm = TimeSpan.seconds(5)
    /// How many median gaps of silence are normal.
    static let gapsInNorm: Int64 = 20
    /// From one background probe to the next, while the air is quiet.
    static let quietProbeInterval = TimeSpan.seconds(30)
    /// From one probe of a blind radio to the next: doubled each time, between these.
    static let blindProbeIntervals = TimeSpan.seconds(2)...TimeSpan.seconds(30)

    private enum State: Sendable {
        case live
        /// Live as far as anybody knows, and being probed.
        case asked
        /// Live by answer: `nextProbe` is when to ask again, `distantFuture` while a probe is under way.
        case quiet(nextProbe: Instant)
        case suspect
        case blind(nextProbe: Instant)
        /// Blind because the owner said so: there is nothing to probe.
        case interrupted
    }

    private let canProbe: Bool
    /// The longest silence that is ordinary for whoever is heard, where the owner can tell; it counts where nothing can be probed.
    var ordinarySilence: TimeSpan?
    private var state: State = .interrupted
    private var gaps = GapHistory()
    private var blindProbeInterval = DoublingPause(blindProbeIntervals)
    /// `nil` where the next gap would span a known outage, which says nothing about the air.
    private var lastReport: Instant?
    /// The last report, answer or start: until then the radio heard.
    private var lastProof: Instant
    /// When to look at the silence again.
    private var nextLook: Instant = .distantFuture

    /// A radio that hears nothing until `resumed(at:)` or the first report.
    ///
    /// - Parameters:
    ///   - canProbe: false where there is no controller to ask.
    ///   - instant: since when it has been blind.
    package init(canProbe: Bool, at instant: Instant) {
        self.canProbe = canProbe
        lastProof = instant
    }

    /// What was announced last.
    package var liveness: RadioLiveness {
        switch state {
        case .live, .asked, .quiet: .live
        case .suspect: .suspect(since: lastProof)
        case .blind, .interrupted: .blind(since: lastProof)
        }
    }

    /// When to call `tick(at:)` next. It may turn out to be early, never late.
    package var nextDeadline: Instant {
        switch state {
        case .live, .asked: nextLook
        case .quiet(let nextProbe), .blind(let nextProbe): nextProbe
        case .suspect, .interrupted: .distantFuture
        }
    }

    /// A report came, whatever it holds. Returns the liveness where it has changed.
    package mutating func reportReceived(at instant: Instant) -> RadioLiveness? {
        if let lastReport { gaps.append(instant - lastReport) }
        lastReport = instant
        return heard(at: instant)
    }

    /// Scanning has begun, by the controller's own word: silence counts from here.
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

    /// The adapter is gone, off, blocked or forbidden. Returns the liveness where it has changed.
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

    /// Somebody has to know now whether the radio hears. Returns whether to probe it: not where that is under way already,
    /// and not where it is known to be blind.
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

    /// Looks at the silence. Call it whenever `nextDeadline` is reached.
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

    /// The controller went through a whole probe. Returns the liveness where it has changed.
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

    /// The controller did not answer a probe in time, or not as an adapter that has just been opened should. Returns the
    /// liveness where it has changed.
    package mutating func probeFailed(at instant: Instant) -> RadioLiveness? {
        switch state {
        case .live:
            // Reports came while the probe was under way.
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

    /// How long silence may last before it is suspicious.
    private var norm: TimeSpan {
        guard let median = gaps.median else { return Self.shortestNorm }
        var norm = median * Self.gapsInNorm
        if !canProbe, let ordinarySilence { norm = min(norm, ordinarySilence) }
        return max(Self.shortestNorm, norm)
    }

    /// No silence shorter than this is looked at.
    private var shortestSilence: TimeSpan { canProbe ? Self.half(Self.shortestNorm) : Self.shortestNorm }

    private static func half(_ span: TimeSpan) -> TimeSpan { TimeSpan(microseconds: span.microseconds / 2) }
}

/// Whether silence on the radio means anything: a beacon that is not heard by a blind radio has not left.
package enum RadioLiveness: Hashable, Sendable {
    /// What is not heard is not there.
    case live
    /// Silent for longer than usual, and no answer yet to the probe. `since` is the last moment at which it was known to hear.
    case suspect(since: Instant)
    /// Nothing can be heard. `since` is the last moment at which it was known to hear.
    case blind(since: Instant)
}

/// The gaps between the latest reports, for their median.
///
/// Recording one costs two stores. The median is only worked out once silence has lasted long enough to ask for it.
struct GapHistory: Sendable {
    /// An odd number, so that the median is one of the gaps.
    static let capacity = 31
    /// With fewer gaps than this there is no median: a single long gap says nothing about the air.
    static let minimum = 4

    /// In place: an array would be asked each time whether it is shared.
    private var gaps = InlineArray<31, Int64>(repeating: 0)
    private var count = 0
    private var next = 0

    mutating func append(_ gap: TimeSpan) {
        gaps[next] = max(0, gap.microseconds)
        next = next + 1 == Self.capacity ? 0 : next + 1
        if count < Self.capacity { count += 1 }
    }

    /// `nil` with fewer gaps than `minimum`.
    var median: TimeSpan? {
        guard count >= Self.minimum else { return nil }
        let sorted = (0..<count).map { gaps[$0] }.sorted()
        return TimeSpan(microseconds: sorted[count / 2])
    }
}
