import RealModule

/// The place of the receiver at one time.
package struct Fix: Hashable, Sendable {
    /// The speed below which a receiver counts as stationary: such a one still reports a few decimetres a second.
    /// Metres per second.
    static let slowest_m_s = 0.5

    /// The time of the fix by the receiver's clock.
    package var at: WallTime
    var coordinate: Coordinate
    /// The radius that contains the true place two times out of three (68 %). Metres, above 0.
    package var horizontalAccuracy_m: Double
    /// The altitude above mean sea level. Metres.
    var altitude_m: Double?
    /// The speed over ground. Metres per second, 0 or more.
    var speed_m_s: Double?
    /// The direction of movement over ground, from true north. Degrees, 0 to less than 360; `nil` while it stands.
    var course_deg: Double?
    /// The direction of its front, from true north, where the receiver has a compass. Degrees, 0 to less than 360.
    var heading_deg: Double?

    /// Makes a fix without impossible values: negative speeds, NaN, and a course without movement are left out.
    ///
    /// - Parameter horizontalAccuracy_m: a value not above 0 becomes `ReportedAccuracy.unknown_m`.
    package init(
        at: WallTime, coordinate: Coordinate, horizontalAccuracy_m: Double, altitude_m: Double? = nil,
        speed_m_s: Double? = nil, course_deg: Double? = nil, heading_deg: Double? = nil
    ) {
        self.at = at
        self.coordinate = coordinate
        self.horizontalAccuracy_m =
            ReportedAccuracy.isRadius(horizontalAccuracy_m) ? horizontalAccuracy_m : ReportedAccuracy.unknown_m
        self.altitude_m = altitude_m.flatMap { $0.isFinite ? $0 : nil }
        self.speed_m_s = speed_m_s.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        self.heading_deg = heading_deg.flatMap(Self.direction_deg)
        let stands = self.speed_m_s.map { $0 < Self.slowest_m_s } ?? false
        self.course_deg = stands ? nil : course_deg.flatMap(Self.direction_deg)
    }

    /// True if the receiver reports a movement. A receiver that reports neither speed nor course is not known to move.
    var isMoving: Bool { speed_m_s.map { $0 >= Self.slowest_m_s } ?? (course_deg != nil) }

    /// The heading by the compass, or else the course.
    var direction_deg: Double? { heading_deg ?? course_deg }

    /// Returns the direction without full turns, so that 360 is 0.
    private static func direction_deg(_ angle: Double) -> Double? {
        guard angle.isFinite else { return nil }
        let rest = angle.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        return positive < 360 ? positive : 0
    }
}

/// The elapsed time of a timer that only counts time with fixes.
///
/// Without fixes the timer stands still, for example in a tunnel, and goes on behind it. A gap between two used fixes
/// counts fully up to a length, and a longer one not at all.
struct FixTime: Hashable, Sendable {
    /// The longest gap that counts (`unknown_state_after_s`).
    let longestGap: TimeSpan
    /// The time counted so far.
    private(set) var elapsed = TimeSpan.zero
    private var last: Instant

    /// - Parameter start: the time of the first fix.
    init(from start: Instant, longestGap: TimeSpan) {
        self.longestGap = longestGap
        last = start
    }

    /// Takes a used fix.
    mutating func use(at now: Instant) {
        let gap = now - last
        last = max(last, now)
        if gap > .zero, gap <= longestGap { elapsed = elapsed + gap }
    }
}

/// Converts the errors that gpsd estimates to the radius that is published.
package enum ReportedAccuracy {
    /// The radius where the receiver gives no accuracy. Metres.
    static let unknown_m = 100.0

    /// The ratio of the radius that contains the true place 95 times out of 100 to the one that contains it 68 times.
    ///
    /// gpsd's errors are meant for 95 %, those of Core Location and of Android for 68 %. Let the error in each
    /// direction be normally distributed with the deviation σ. Then a circle of the radius σ · √(−2 · ln(1 − p))
    /// contains the true place with the probability p: 2.448 σ for 0.95 and 1.510 σ for 0.68. Their ratio is 1.621.
    static let from95to68 = 1.621

    /// Returns the radius that contains the true place two times out of three. Metres.
    ///
    /// - Parameters:
    /// - eph: gpsd's estimate of the horizontal error, 95 %. Metres.
    /// - epx: its part along the parallel, used where there is no `eph`. Metres.
    /// - epy: its part along the meridian. Metres.
    /// - Returns: `unknown_m` where neither `eph` nor both of its parts are given. An error not above 0 counts as
    ///   missing: no receiver is that accurate.
    package static func horizontal_m(eph: Double?, epx: Double? = nil, epy: Double? = nil) -> Double {
        if let eph, isRadius(eph) { return eph / from95to68 }
        // gpsd computes eph from the HDOP, and the parts from XDOP and YDOP, whose squares add up to that of the HDOP.
        if let epx, let epy, isRadius(epx), isRadius(epy) { return .hypot(epx, epy) / from95to68 }
        return unknown_m
    }

    /// Returns whether a number can be a radius.
    static func isRadius(_ metres: Double) -> Bool { metres.isFinite && metres > 0 }
}

/// The reason for which a report is not used. The raw value is the word in `health`.
package enum FixRejection: String, Error, CaseIterable, Sendable {
    /// The receiver reports no fix (mode below 2).
    case noFix = "no_fix"
    /// Worse than `desired_accuracy_m`.
    case inaccurate
    /// Older than `max_age_s`.
    case stale
    /// The time does not follow those before.
    case timeWentBack = "time_went_back"
    /// The place is outside the Earth, or NaN.
    case outOfRange = "out_of_range"
    /// The report is damaged, or has no time or no place.
    case malformed
}

/// The number of used fixes, and of rejected ones by reason.
package struct FixCounts: Hashable, Sendable {
    package var used = 0
    private var rejected: [FixRejection: Int] = [:]

    package init() {}

    /// The number of rejected fixes of a reason.
    subscript(reason: FixRejection) -> Int {
        get { rejected[reason, default: 0] }
        set { rejected[reason] = newValue == 0 ? nil : newValue }
    }

    package var allRejected: Int { rejected.values.reduce(0, +) }
}
