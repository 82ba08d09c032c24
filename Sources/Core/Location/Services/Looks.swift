/// A receiver that rests, and looks now and then.
///
/// A look takes until the first good fix, and no longer than 30 s. One that found nothing may have fallen into a tunnel, so the
/// next comes after the same rest. After each further one the receiver rests twice as long as before: where there is no reception
/// for so long, there will be none in a minute either.
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
    /// Whether the last look found nothing.
    private var wasInVain = false

    /// Begins with a look.
    ///
    /// - Parameter rest: the rest after it, should it find nothing.
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
        wasInVain = false
        startRest(rest, from: now)
    }

    private mutating func startRest(_ span: TimeSpan, from now: Instant) {
        rest = min(span, longestRest)
        state = .resting(until: now + rest)
    }

    /// Time went on: a rest ends with a look, and a look that found nothing with a rest.
    mutating func advance(to now: Instant) {
        guard now >= deadline else { return }
        switch state {
        case .resting: state = .looking(until: now + Self.longestLook)
        case .looking:
            startRest(wasInVain ? rest * 2 : rest, from: now)
            wasInVain = true
        }
    }
}
