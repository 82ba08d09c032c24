import HCI

/// A receiver that rests, and looks now and then.
///
/// A look takes until the first good fix, and no longer than 30 s. After one that found nothing the receiver rests twice as
/// long as before: where there is no reception, there will be none in a minute either.
struct Looks: Hashable, Sendable {
    /// A receiver that was on lately has a fix within seconds. What takes longer has no sky above it.
    static let longestLook = TimeSpan.seconds(30)

    private enum State: Hashable {
        case resting(until: Instant)
        case looking(until: Instant)
    }

    private var state: State
    private var rest: TimeSpan
    private let longestRest: TimeSpan

    /// Begins with a look.
    ///
    /// - Parameter rest: the rest before it, which is doubled should it find nothing.
    init(lookingAt now: Instant, rest: TimeSpan, longestRest: TimeSpan) {
        state = .looking(until: now + Self.longestLook)
        self.rest = rest
        self.longestRest = longestRest
    }

    var isLooking: Bool {
        if case .looking = state { true } else { false }
    }

    /// When `advance` has something to do.
    var deadline: Instant {
        switch state {
        case .resting(let until), .looking(let until): until
        }
    }

    /// The look found what it was for; the receiver rests.
    mutating func found(at now: Instant, rest: TimeSpan) {
        self.rest = min(rest, longestRest)
        state = .resting(until: now + self.rest)
    }

    /// Time went on: a rest ends with a look, and a look that found nothing with a rest.
    mutating func advance(to now: Instant) {
        guard now >= deadline else { return }
        switch state {
        case .resting: state = .looking(until: now + Self.longestLook)
        case .looking: found(at: now, rest: rest * 2)
        }
    }
}
