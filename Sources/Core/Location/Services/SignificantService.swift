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
