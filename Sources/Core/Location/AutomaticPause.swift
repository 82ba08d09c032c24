/// The way in which the gateway moves. It decides how soon rest is a pause. The raw value is the word in `config.toml`.
package enum Activity: String, CaseIterable, Sendable {
    case other
    case automotive
    case pedestrian

    /// The time of rest before a pause.
    var pauseAfter: TimeSpan {
        switch self {
        case .other: .seconds(300)
        case .automotive: .seconds(120)
        case .pedestrian: .seconds(600)
        }
    }
}

/// Core Location's automatic pause: a gateway that stands still need not be located.
///
/// While paused, the receiver rests and looks every minute; at the first movement it goes on. The caller turns the
/// receiver on while `receiverIsNeeded`, and publishes no place while `isPaused`. It passes every used fix to `use` and
/// the time to `advance`.
struct AutomaticPause: Sendable {
    enum Change: Hashable, Sendable {
        case paused
        case resumed
    }

    /// The rest from one look to the next.
    static let rest = TimeSpan.seconds(60)

    private enum State {
        case noFixYet
        case going(StationaryPlace)
        case paused(StationaryPlace, Looks)
    }

    private let activity: Activity
    private let longestGap: TimeSpan
    private var state = State.noFixYet

    /// - Parameter longestGap: the longest gap between two fixes that counts as rest (`unknown_state_after_s`).
    init(activity: Activity, longestGap: TimeSpan) {
        self.activity = activity
        self.longestGap = longestGap
    }

    var isPaused: Bool {
        if case .paused = state { true } else { false }
    }

    /// True if the receiver has to be on.
    var receiverIsNeeded: Bool {
        if case .paused(_, let looks) = state { looks.isLooking } else { true }
    }

    var deadline: Instant {
        if case .paused(_, let looks) = state { looks.deadline } else { .distantFuture }
    }

    /// Lets time pass: looks begin and end.
    mutating func advance(to now: Instant) {
        guard case .paused(let place, var looks) = state else { return }
        looks.advance(to: now)
        state = .paused(place, looks)
    }

    /// Takes a used fix.
    ///
    /// - Returns: the change; `nil` where there is none.
    mutating func use(_ fix: Fix, at now: Instant) -> Change? {
        switch state {
        case .noFixYet:
            state = .going(StationaryPlace(fix, at: now, longestGap: longestGap))
            return nil
        case .going(var place):
            let verdict = place.use(fix, at: now)
            state = .going(verdict == .moved ? StationaryPlace(fix, at: now, longestGap: longestGap) : place)
            guard verdict == .stationary, place.stationaryTime >= activity.pauseAfter else { return nil }
            var looks = Looks(lookingAt: now, rest: Self.rest, longestRest: Self.rest)
            looks.found(at: now, rest: Self.rest)
            state = .paused(place, looks)
            return .paused
        case .paused(var place, var looks):
            guard looks.isLooking else { return nil }
            let verdict = place.use(fix, at: now)
            guard verdict != .moved else {
                state = .going(StationaryPlace(fix, at: now, longestGap: longestGap))
                return .resumed
            }
            // A look that may have seen a movement waits for the next fix to confirm it.
            if verdict == .stationary { looks.found(at: now, rest: Self.rest) }
            state = .paused(place, looks)
            return nil
        }
    }
}
