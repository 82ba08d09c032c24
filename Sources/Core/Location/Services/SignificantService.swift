/// Core Location's significant-change service: 500 m or more, and a receiver that rests in between.
///
/// The caller turns the receiver on while `receiverIsNeeded`, gives every used fix to `use` and the time to `advance`.
struct SignificantService: Sendable {
    /// Moved this far from the last update is news. Metres.
    static let distance_m = 500.0
    /// Updates are no closer together.
    static let minInterval = TimeSpan.seconds(300)
    /// With a look of 30 s it makes ten minutes: no 500 m are missed for longer, and a receiver that finds nothing is on
    /// for a twentieth of the time.
    static let longestRest = TimeSpan.seconds(570)
    /// However fast it moved.
    static let shortestRest = TimeSpan.seconds(60)

    private enum State {
        case nothingPublished
        /// With the fix of the last look.
        case published(UsedFix, seen: UsedFix)
    }

    private var state = State.nothingPublished
    private var looks: Looks

    /// Begins with a look.
    init(at now: Instant) {
        looks = Looks(lookingAt: now, rest: Self.shortestRest, longestRest: Self.longestRest)
    }

    /// Whether the receiver has to be on.
    var receiverIsNeeded: Bool { looks.isLooking }

    /// When `advance` has something to do.
    var deadline: Instant { looks.deadline }

    /// Time went on: looks begin and end.
    mutating func advance(to now: Instant) { looks.advance(to: now) }

    /// A fix was used; the look that it was for is over. One that comes while the receiver should rest already, because
    /// it takes a moment to turn off, changes nothing.
    ///
    /// - Returns: what to publish.
    mutating func use(_ fix: Fix, at now: Instant) -> LocationUpdate? {
        guard looks.isLooking else { return nil }
        let seen = UsedFix(fix: fix, at: now)
        guard case .published(let published, let previous) = state else {
            state = .published(seen, seen: seen)
            looks.found(at: now, rest: rest(speed_m_s: claimedSpeed_m_s(fix), published: seen, seen: seen))
            return LocationUpdate(fix: fix, cause: .first)
        }
        let isNews =
            published.fix.coordinate.nearDistance_m(to: fix.coordinate) >= Self.distance_m
            && now - published.at >= Self.minInterval
        let told = isNews ? seen : published
        state = .published(told, seen: seen)
        let speed_m_s = max(claimedSpeed_m_s(fix), speed_m_s(from: previous, to: seen))
        looks.found(at: now, rest: rest(speed_m_s: speed_m_s, published: told, seen: seen))
        return isNews ? LocationUpdate(fix: fix, cause: .moved) : nil
    }

    /// How long to rest: until the 500 m may be full at this speed, and the next update is allowed.
    private func rest(speed_m_s: Double, published: UsedFix, seen: UsedFix) -> TimeSpan {
        let travelled_m = published.fix.coordinate.nearDistance_m(to: seen.fix.coordinate)
        let missing_m = max(0, Self.distance_m - travelled_m)
        let untilFull = speed_m_s > 0 ? TimeSpan.seconds(missing_m / speed_m_s) : .forever
        let untilAllowed = published.at + Self.minInterval - seen.at
        return min(max(untilFull, untilAllowed, Self.shortestRest), Self.longestRest)
    }

    /// The receiver's own speed: a van that just sets off has covered no distance yet.
    private func claimedSpeed_m_s(_ fix: Fix) -> Double { fix.isMoving ? fix.speed_m_s ?? 0 : 0 }

    /// The speed between two looks: a van at a red light has no speed of its own. What the accuracies explain is none.
    private func speed_m_s(from old: UsedFix, to new: UsedFix) -> Double {
        let distance_m = old.fix.coordinate.nearDistance_m(to: new.fix.coordinate)
        let passed_s = (new.at - old.at).seconds
        guard passed_s > 0, distance_m > old.fix.horizontalAccuracy_m + new.fix.horizontalAccuracy_m else { return 0 }
        return distance_m / passed_s
    }
}

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

/// Where the receiver has been standing, and whether it still does.
///
/// A single fix is wrong by more than it claims every third time, and now and then by 200 m. So the place is the mean of
/// the first ten fixes, and it takes two fixes in a row to have moved: each further away than its own accuracy and that
/// of the place explain.
struct StandingPlace: Sendable {
    enum Verdict {
        case standing
        /// Beyond the accuracy, for the first time.
        case perhapsMoved
        case moved
    }

    /// More fixes would not make the place better, but let it creep along with a slow walk.
    static let fixesOfMean = 10

    private var coordinate: Coordinate
    private var accuracy_m: Double
    private var fixes = 1
    private var isDoubted = false
    private var time: FixTime

    init(_ fix: Fix, at now: Instant, longestGap: TimeSpan) {
        coordinate = fix.coordinate
        accuracy_m = fix.horizontalAccuracy_m
        time = FixTime(from: now, longestGap: longestGap)
    }

    /// For how long it has been standing: time with fixes.
    var standing: TimeSpan { time.elapsed }

    mutating func use(_ fix: Fix, at now: Instant) -> Verdict {
        let distance_m = coordinate.nearDistance_m(to: fix.coordinate)
        guard distance_m <= accuracy_m + fix.horizontalAccuracy_m else {
            defer { isDoubted = true }
            return isDoubted ? .moved : .perhapsMoved
        }
        isDoubted = false
        time.use(at: now)
        if fixes < Self.fixesOfMean {
            fixes += 1
            coordinate = coordinate.moved(by: 1 / Double(fixes), towards: fix.coordinate)
            accuracy_m += (fix.horizontalAccuracy_m - accuracy_m) / Double(fixes)
        }
        return .standing
    }
}
