/// Core Location's significant-change service: 500 m or more, and a receiver that rests in between.
///
/// The caller turns the receiver on while `receiverIsNeeded`, passes every used fix to `use` and the time to `advance`.
struct SignificantService: Sendable {
    /// The movement since the last update that makes another one. Metres.
    static let distance_m = 500.0
    static let minInterval = TimeSpan.seconds(300)
    /// The longest rest. With a look of 30 s it makes ten minutes. So a movement of 500 m is missed for no longer, and
    /// a receiver without reception is on for a twentieth of the time.
    static let longestRest = TimeSpan.seconds(570)
    static let shortestRest = TimeSpan.seconds(60)

    private enum State {
        case nothingPublished
        /// An update was published. `seen` is the fix of the last look.
        case published(UsedFix, seen: UsedFix)
    }

    private var state = State.nothingPublished
    private var looks: Looks

    /// Begins with a look.
    init(at now: Instant) { looks = Looks(lookingAt: now, rest: Self.shortestRest, longestRest: Self.longestRest) }

    var receiverIsNeeded: Bool { looks.isLooking }

    var deadline: Instant { looks.deadline }

    /// Lets time pass: looks begin and end.
    mutating func advance(to now: Instant) { looks.advance(to: now) }

    /// Takes a used fix, which ends its look. A fix that comes after the look, because a receiver takes a moment to
    /// turn off, changes nothing.
    ///
    /// - Returns: the update to publish.
    mutating func use(_ fix: Fix, at now: Instant) -> Fix? {
        guard looks.isLooking else { return nil }
        let seen = UsedFix(fix: fix, at: now)
        guard case .published(let published, let previous) = state else {
            state = .published(seen, seen: seen)
            looks.found(at: now, rest: rest(speed_m_s: claimedSpeed_m_s(fix), published: seen, seen: seen))
            return fix
        }
        let isUpdate =
            published.fix.coordinate.nearDistance_m(to: fix.coordinate) >= Self.distance_m
            && now - published.at >= Self.minInterval
        let base = isUpdate ? seen : published
        state = .published(base, seen: seen)
        let speed_m_s = max(claimedSpeed_m_s(fix), speed_m_s(from: previous, to: seen))
        looks.found(at: now, rest: rest(speed_m_s: speed_m_s, published: base, seen: seen))
        return isUpdate ? fix : nil
    }

    /// Returns the rest: until the 500 m may be reached at this speed, and the next update is allowed.
    private func rest(speed_m_s: Double, published: UsedFix, seen: UsedFix) -> TimeSpan {
        let travelled_m = published.fix.coordinate.nearDistance_m(to: seen.fix.coordinate)
        let missing_m = max(0, Self.distance_m - travelled_m)
        let untilFull = speed_m_s > 0 ? TimeSpan.seconds(missing_m / speed_m_s) : .forever
        let untilAllowed = published.at + Self.minInterval - seen.at
        return min(max(untilFull, untilAllowed, Self.shortestRest), Self.longestRest)
    }

    /// Returns the receiver's own speed: a van that has just set off has covered no distance yet.
    private func claimedSpeed_m_s(_ fix: Fix) -> Double { fix.isMoving ? fix.speed_m_s ?? 0 : 0 }

    /// Returns the speed between two looks: a van at a red light has no speed of its own. Movement within the
    /// accuracies does not count.
    private func speed_m_s(from old: UsedFix, to new: UsedFix) -> Double {
        let distance_m = old.fix.coordinate.nearDistance_m(to: new.fix.coordinate)
        let passed_s = (new.at - old.at).seconds
        guard passed_s > 0, distance_m > old.fix.horizontalAccuracy_m + new.fix.horizontalAccuracy_m else { return 0 }
        return distance_m / passed_s
    }
}

/// The looks of a receiver that rests.
///
/// A look takes until the first good fix, at most 30 s. A look without a fix may have been in a tunnel, so the next
/// comes after a rest of equal length. After each further one the rest doubles: after so long without reception there
/// will be none in a minute either.
struct Looks: Hashable, Sendable {
    /// The longest look. A receiver that was on recently has a fix within seconds, unless the sky is hidden.
    static let longestLook = TimeSpan.seconds(30)

    private enum State: Hashable {
        case resting(until: Instant)
        case looking(until: Instant)
    }

    private var state: State
    private var rest: TimeSpan
    private let longestRest: TimeSpan
    /// True if the last look found no fix.
    private var wasInVain = false

    /// Begins with a look.
    ///
    /// - Parameter rest: the rest after it if it finds no fix.
    init(lookingAt now: Instant, rest: TimeSpan, longestRest: TimeSpan) {
        state = .looking(until: now + Self.longestLook)
        self.rest = rest
        self.longestRest = longestRest
    }

    var isLooking: Bool {
        if case .looking = state { true } else { false }
    }

    var deadline: Instant {
        switch state {
        case .resting(let until), .looking(let until): until
        }
    }

    /// Ends a look that found a fix; the receiver rests.
    mutating func found(at now: Instant, rest: TimeSpan) {
        wasInVain = false
        startRest(rest, from: now)
    }

    private mutating func startRest(_ span: TimeSpan, from now: Instant) {
        rest = min(span, longestRest)
        state = .resting(until: now + rest)
    }

    /// Lets time pass: a rest ends with a look, and a look without a fix ends with a rest.
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

/// The place of a stationary receiver, and the decision whether it still rests.
///
/// A single fix is wrong by more than its accuracy every third time, and sometimes by 200 m. So the place is the mean
/// of the first ten fixes, and a movement needs two fixes in a row. Each has to be further away than its own accuracy
/// and that of the place explain.
struct StationaryPlace: Sendable {
    enum Verdict {
        case stationary
        /// Beyond the accuracy, for the first time.
        case perhapsMoved
        case moved
    }

    /// The fixes in the mean. More would not improve the place, but let it follow a slow walk.
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

    /// The time of rest, counted with fixes only.
    var stationaryTime: TimeSpan { time.elapsed }

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
        return .stationary
    }
}
