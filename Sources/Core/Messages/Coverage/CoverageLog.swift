/// A time in which the radio was in one condition.
package struct CoverageSpan: Hashable, Sendable {
    package var radio: CoveredRadio
    package var from: Instant
    /// Never before `from`.
    package var to: Instant
}

/// A span by the time of day, as it is told.
package struct ToldSpan: Hashable, Sendable {
    package var span: CoverageSpan
    package var from: WallTime
    /// Never before `from`.
    package var to: WallTime
}

/// Divides time into spans, each in one condition of the radio and an hour long at most. They follow each other without a gap
/// and without overlapping, through restarts too: what lies between two processes is a span itself.
///
/// Spans that have ended wait here until they can be numbered. None of them is empty.
package struct CoverageLog: Hashable, Sendable {
    /// A span that lasts is told so often.
    package static let interval = TimeSpan.seconds(3600)
    /// More than this many wait only where the disk fails for long and the radio comes and goes all the time.
    static let capacity = 1_000

    /// A clock that is this much off from what it was is being corrected, beyond that it was set.
    static let correction = TimeSpan.seconds(10)

    private struct Open: Hashable {
        package var radio: CoveredRadio
        package var from: Instant
    }

    /// Where the last span that was told ended.
    private struct End: Hashable {
        package var instant: Instant
        var wall: WallTime
    }

    /// The span that lasts; `nil` before anything is known.
    private var open: Open?
    /// Those that have ended and are not told, in order.
    package private(set) var ended: [CoverageSpan] = []
    private var told: End?

    package init() {}

    /// Goes on from what an earlier process stored.
    ///
    /// A process that was killed did not say when it ended. So its span lasts until the last time at which it is known to have
    /// run, and from then on nobody listened: what is told as heard was heard.
    ///
    /// - Parameter now: a clock that was set back before a boot may have left times that are still to come.
    package init(resuming stored: StoredCoverage, at now: Instant) {
        let end = min(max(stored.seen, stored.from), now)
        let from = min(stored.from, end)
        told = End(instant: from, wall: stored.fromWall)
        if stored.radio == .stopped {
            open = Open(radio: .stopped, from: from)
        } else {
            open = Open(radio: stored.radio, from: from)
            note(.stopped, at: end)
        }
    }

    /// The radio is in this condition from `instant` on.
    package mutating func note(_ radio: CoveredRadio, at instant: Instant) {
        guard let open, open.radio != radio else {
            if open == nil { open = Open(radio: radio, from: instant) }
            return
        }
        end(at: instant)
        self.open?.radio = radio
    }

    /// When `advance` ends a span next.
    package var due: Instant { open.map { $0.from + Self.interval } ?? .distantFuture }

    /// Ends the span that lasts where it is due. Where an hour and more has passed unnoticed, because the machine slept or the disk
    /// hung, it is one span.
    package mutating func advance(to now: Instant) {
        let due = due
        if now >= due { end(at: now - due < Self.interval ? due : now) }
    }

    /// The spans that have ended, to be told: by the clock as it is now, each from where the one before ended. A clock that is being
    /// corrected makes neither holes nor overlaps; one that was set does, since there the time of day has them too.
    package mutating func takeEnded(_ timebase: Timebase) -> [ToldSpan] {
        defer { ended = [] }
        return ended.map { span in
            let from = wall(span.from, timebase)
            let to = max(from, timebase.wall(span.to))
            told = End(instant: span.to, wall: to)
            return ToldSpan(span: span, from: from, to: to)
        }
    }

    /// What to store once everything that has ended is told; `nil` before anything is known.
    ///
    /// - Parameter now: a time at which the process is known to run.
    package func record(seen now: Instant, _ timebase: Timebase) -> StoredCoverage? {
        open.map {
            StoredCoverage(
                radio: $0.radio, from: $0.from, fromWall: wall($0.from, timebase), seen: max($0.from, now))
        }
    }

    /// The time of day of the beginning of a span.
    private func wall(_ from: Instant, _ timebase: Timebase) -> WallTime {
        let wall = timebase.wall(from)
        guard let told, told.instant == from else { return wall }
        let difference = told.wall - wall
        return max(difference, .zero - difference) <= Self.correction ? told.wall : wall
    }

    private mutating func end(at instant: Instant) {
        guard let open, instant > open.from else { return }
        ended.append(CoverageSpan(radio: open.radio, from: open.from, to: instant))
        self.open?.from = instant
        if ended.count > Self.capacity { joinOldest() }
    }

    /// Of two spans that become one, the one that can't hear counts: coverage never says more than was heard.
    private mutating func joinOldest() {
        let oldest = ended.removeFirst()
        ended[0].from = oldest.from
        if !oldest.radio.hears { ended[0].radio = oldest.radio }
    }
}

/// What a span of coverage says of the radio: a word of `status`, or that there was no agent.
package enum CoveredRadio: Hashable, Sendable {
    case live(RadioAvailability)
    /// A capture stands in for it.
    case replay
    /// The agent was not running.
    case stopped

    /// The word of `coverage.radio`.
    var word: String {
        switch self {
        case .live(let availability): availability.rawValue
        case .replay: "replay"
        case .stopped: "stopped"
        }
    }

    package init?(word: String) {
        switch word {
        case CoveredRadio.replay.word: self = .replay
        case CoveredRadio.stopped.word: self = .stopped
        default:
            guard let availability = RadioAvailability(rawValue: word) else { return nil }
            self = .live(availability)
        }
    }

    /// Whether it can hear.
    var hears: Bool { self == .replay || self == .live(.scanning) }
}
