/// Core Location's standard service: an update for each change, and an update at long intervals without one.
///
/// The service decides which used fixes are published. Every fix goes in with `use`, the time with `advance`; both
/// return the update to publish.
struct StandardService: Sendable {
    struct Settings: Hashable, Sendable {
        /// The movement since the last update that makes another one. Metres.
        var distanceFilter_m: Double
        /// The turn that makes an update: since the last update, or since the first course after an update at rest. Degrees.
        var headingFilter_deg: Double
        var minInterval: TimeSpan
        /// The most time between two updates, as long as there are fixes.
        var maxInterval: TimeSpan
        /// The age beyond which a fix does not prove that the gateway is still there.
        var maxAge: TimeSpan
    }

    private enum State {
        case nothingPublished
        /// An update was published. `latest` is the last fix since then, and `course_deg` the course that a turn is
        /// measured from; each is `nil` before the first.
        case published(UsedFix, latest: UsedFix?, course_deg: Double?)
    }

    private let settings: Settings
    private var state = State.nothingPublished

    init(_ settings: Settings) { self.settings = settings }

    /// The time of the next `advance`; `distantFuture` where only a fix can bring an update.
    var deadline: Instant {
        guard case .published(let published, let latest?, let course_deg) = state else { return .distantFuture }
        if isNew(latest.fix, since: published.fix, course_deg) { return published.at + settings.minInterval }
        let due = published.at + max(settings.maxInterval, settings.minInterval)
        return due <= latest.at + settings.maxAge ? due : .distantFuture
    }

    /// Takes a used fix.
    ///
    /// - Returns: the update to publish. An update within the shortest interval is kept, and comes from `advance`.
    mutating func use(_ fix: Fix, at now: Instant) -> Fix? {
        let used = UsedFix(fix: fix, at: now)
        guard case .published(let published, _, let course_deg) = state else {
            state = .published(used, latest: nil, course_deg: Self.course_deg(of: fix))
            return fix
        }
        state = .published(published, latest: used, course_deg: course_deg ?? Self.course_deg(of: fix))
        return publishIfDue(at: now)
    }

    mutating func advance(to now: Instant) -> Fix? { publishIfDue(at: now) }

    private mutating func publishIfDue(at now: Instant) -> Fix? {
        guard case .published(let published, let latest?, let course_deg) = state,
            now - published.at >= settings.minInterval,
            isNew(latest.fix, since: published.fix, course_deg) || isStillHere(latest, since: published, now: now)
        else { return nil }
        state = .published(UsedFix(fix: latest.fix, at: now), latest: nil, course_deg: Self.course_deg(of: latest.fix))
        return latest.fix
    }

    private func isStillHere(_ latest: UsedFix, since published: UsedFix, now: Instant) -> Bool {
        now - published.at >= settings.maxInterval && now - latest.at <= settings.maxAge
    }

    /// Returns the course of a fix; `nil` where it stands still.
    private static func course_deg(of fix: Fix) -> Double? { fix.isMoving ? fix.direction_deg : nil }

    /// Returns whether a fix is an update, compared with the last published fix and with a course: the gateway moved
    /// far enough, the accuracy halved, or the heading turned during a movement.
    private func isNew(_ new: Fix, since old: Fix, _ course_deg: Double?) -> Bool {
        if old.coordinate.nearDistance_m(to: new.coordinate) >= settings.distanceFilter_m { return true }
        if new.horizontalAccuracy_m <= old.horizontalAccuracy_m / 2 { return true }
        guard let course_deg, let after = Self.course_deg(of: new) else { return false }
        return turn_deg(from: course_deg, to: after) >= settings.headingFilter_deg
    }
}
