/// A time in which the radio was in one condition.
package struct CoverageSpan: Hashable, Sendable {
    package var radio: CoveredRadio
    package var from: Instant
    /// Never before `from`.
    package var to: Instant
}

/// A span in wall time, as published.
package struct DatedSpan: Hashable, Sendable {
    package var span: CoverageSpan
    package var from: WallTime
    /// Never before `from`.
    package var to: WallTime
}

/// Divides time into spans. Each span has one condition of the radio and is at most an hour long. The spans follow each
/// other without gaps or overlaps, across restarts too: the time between two processes is a span itself.
///
/// Spans that have ended wait here until they can be numbered. None of them is empty.
package struct CoverageLog: Hashable, Sendable {
    /// The longest span: a lasting condition is published that often.
    package static let interval = TimeSpan.seconds(3600)
    /// The most ended spans that wait. More come only where the disk fails for long while the radio comes and goes.
    static let capacity = 1_000

    /// The largest correction of a clock. A larger difference is a clock that was set.
    static let correction = TimeSpan.seconds(10)

    private struct Open: Hashable {
        package var radio: CoveredRadio
        package var from: Instant
    }

    /// The end of the last published span.
    private struct End: Hashable {
        var instant: Instant
        var wall: WallTime
    }

    /// The current span; `nil` before the radio's condition is known.
    private var open: Open?
    /// The ended spans that are not published yet, in order.
    package private(set) var ended: [CoverageSpan] = []
    private var latest: End?

    package init() {}

    /// Continues the log that an earlier process stored.
    ///
    /// A process that was killed did not store its end. So its span lasts until the last time at which it is known to
    /// have run, and the time after that counts as stopped. Coverage never claims more than was heard.
    ///
    /// - Parameter now: the present. If the clock was set back before a boot, stored times may be in the future.
    package init(resuming stored: StoredCoverage, at now: Instant) {
        let end = min(max(stored.seen, stored.from), now)
        let from = min(stored.from, end)
        latest = End(instant: from, wall: stored.fromWall)
        if stored.radio == .stopped {
            open = Open(radio: .stopped, from: from)
        } else {
            open = Open(radio: stored.radio, from: from)
            record(.stopped, at: end)
        }
    }

    /// Takes the radio's condition from `instant` on.
    package mutating func record(_ radio: CoveredRadio, at instant: Instant) {
        guard let open, open.radio != radio else {
            if open == nil { open = Open(radio: radio, from: instant) }
            return
        }
        end(at: instant)
        self.open?.radio = radio
    }

    /// The time at which `advance` ends the span.
    package var due: Instant { open.map { $0.from + Self.interval } ?? .distantFuture }

    /// Ends the current span where it is due. If more than an hour has passed, because the machine slept or the disk
    /// hung, that is one span.
    package mutating func advance(to now: Instant) {
        let due = due
        if now >= due { end(at: now - due < Self.interval ? due : now) }
    }

    /// Returns the ended spans in wall time by the present clock; each begins where the one before ended. A clock that
    /// is being corrected makes no holes or overlaps. A clock that was set does, because wall time then has them too.
    package mutating func takeEnded(_ timebase: Timebase) -> [DatedSpan] {
        defer { ended = [] }
        return ended.map { span in
            let from = wall(span.from, timebase)
            let to = max(from, timebase.wall(span.to))
            latest = End(instant: span.to, wall: to)
            return DatedSpan(span: span, from: from, to: to)
        }
    }

    /// Returns the record to store after all ended spans are published; `nil` before the radio's condition is known.
    ///
    /// - Parameter now: a time at which the process is known to run.
    package func record(seen now: Instant, _ timebase: Timebase) -> StoredCoverage? {
        open.map {
            StoredCoverage(radio: $0.radio, from: $0.from, fromWall: wall($0.from, timebase), seen: max($0.from, now))
        }
    }

    /// Returns the wall time of the beginning of a span.
    private func wall(_ from: Instant, _ timebase: Timebase) -> WallTime {
        let wall = timebase.wall(from)
        guard let latest, latest.instant == from else { return wall }
        let difference = latest.wall - wall
        return max(difference, .zero - difference) <= Self.correction ? latest.wall : wall
    }

    private mutating func end(at instant: Instant) {
        guard let open, instant > open.from else { return }
        ended.append(CoverageSpan(radio: open.radio, from: open.from, to: instant))
        self.open?.from = instant
        if ended.count > Self.capacity { joinOldest() }
    }

    /// Joins the two oldest spans. The condition that cannot hear wins: coverage never claims more than was heard.
    private mutating func joinOldest() {
        let oldest = ended.removeFirst()
        ended[0].from = oldest.from
        if !oldest.radio.hears { ended[0].radio = oldest.radio }
    }
}

/// The condition of the radio in a span: a word of `status`, or that there was no agent.
package enum CoveredRadio: Hashable, Sendable {
    case live(RadioAvailability)
    /// A capture replaces the radio.
    case replay
    /// The agent was not running.
    case stopped

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

    var hears: Bool { self == .replay || self == .live(.scanning) }
}
