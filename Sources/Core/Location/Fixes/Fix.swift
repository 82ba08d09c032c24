import RealModule

/// Where the receiver was at one time, as far as it knows.
package struct Fix: Hashable, Sendable {
    /// A receiver that says that it is slower than this stands: a standing one still claims a few decimetres a second.
    /// Metres per second.
    static let slowest_m_s = 0.5

    /// The fix's own time, by the receiver's clock.
    package var at: WallTime
    var coordinate: Coordinate
    /// The radius that holds the truth two times out of three (68 %). Metres, above 0.
    package var horizontalAccuracy_m: Double
    /// Above mean sea level. Metres.
    var altitude_m: Double?
    /// Over ground. Metres per second, 0 or more.
    var speed_m_s: Double?
    /// Which way it moves over ground, from true north. Degrees, 0 to less than 360; none while it stands.
    var course_deg: Double?
    /// Which way its front points, from true north, where the receiver has a compass. Degrees, 0 to less than 360.
    var heading_deg: Double?

    /// What cannot be is left out: speeds below 0, what is not a number, and a course of what stands.
    ///
    /// - Parameter horizontalAccuracy_m: What is not above 0 is taken as `ReportedAccuracy.unknown_m`.
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

    /// Whether the receiver says that it moves. One that says neither speed nor course is not known to.
    var isMoving: Bool { speed_m_s.map { $0 >= Self.slowest_m_s } ?? (course_deg != nil) }

    /// Where it points: by the compass, or else the way that it moves.
    var direction_deg: Double? { heading_deg ?? course_deg }

    /// Full turns are taken off, so that 360 is 0.
    private static func direction_deg(_ angle: Double) -> Double? {
        guard angle.isFinite else { return nil }
        let rest = angle.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        return positive < 360 ? positive : 0
    }
}

/// The time that counts for a timer: time with fixes.
///
/// Without fixes nothing is known, so a timer stands still in a tunnel and goes on behind it. A gap between two used fixes
/// counts whole up to a length, and a longer one not at all.
struct FixTime: Hashable, Sendable {
    /// The longest gap that counts (`unknown_state_after_s`).
    let longestGap: TimeSpan
    /// What has counted so far.
    private(set) var elapsed = TimeSpan.zero
    private var last: Instant

    /// - Parameter start: when the first fix came.
    init(from start: Instant, longestGap: TimeSpan) {
        self.longestGap = longestGap
        last = start
    }

    /// A fix was used.
    mutating func use(at now: Instant) {
        let gap = now - last
        last = max(last, now)
        if gap > .zero, gap <= longestGap { elapsed = elapsed + gap }
    }
}

/// From the errors that gpsd estimates to the radius that a fix is published with.
package enum ReportedAccuracy {
    /// What stands for an accuracy that the receiver does not tell. Metres.
    static let unknown_m = 100.0

    /// How much larger the circle that holds the truth 95 times out of 100 is than the one that holds it 68 times.
    ///
    /// gpsd's errors are meant for 95 %, those of Core Location and of Android for 68 %. Where a place is wrong by as
    /// much in either direction, normally distributed with the deviation σ, a circle of the radius σ · √(−2 · ln(1 − p))
    /// holds the truth with the probability p: 2.448 σ for 0.95 and 1.510 σ for 0.68. Their ratio is 1.621.
    static let from95to68 = 1.621

    /// The radius that holds the truth two times out of three. Metres.
    ///
    /// - Parameters:
    ///   - eph: gpsd's estimate of the horizontal error, 95 %. Metres.
    ///   - epx: Its part along the parallel, used where there is no `eph`. Metres.
    ///   - epy: Its part along the meridian. Metres.
    /// - Returns: `unknown_m` where neither `eph` nor both of its parts are there. An error that is not above 0 is none:
    ///   no receiver knows its place that well.
    package static func horizontal_m(eph: Double?, epx: Double? = nil, epy: Double? = nil) -> Double {
        if let eph, isRadius(eph) { return eph / from95to68 }
        // gpsd makes eph of the HDOP, and the parts of XDOP and YDOP, whose squares add up to the square of the HDOP.
        if let epx, let epy, isRadius(epx), isRadius(epy) { return .hypot(epx, epy) / from95to68 }
        return unknown_m
    }

    /// Whether a number can be a radius at all.
    static func isRadius(_ metres: Double) -> Bool { metres.isFinite && metres > 0 }
}

/// Why what a receiver said is not used. The raw value is the word in `health`.
package enum FixRejection: String, Error, CaseIterable, Sendable {
    /// The receiver says itself that it has none (mode below 2).
    case noFix = "no_fix"
    /// Worse than `desired_accuracy_m`.
    case inaccurate
    /// Older than `max_age_s`.
    case stale
    /// Its time is not one that follows those before.
    case timeWentBack = "time_went_back"
    /// Its place is outside the Earth, or not a number.
    case outOfRange = "out_of_range"
    /// Not what a receiver says: damaged, or without a time or a place.
    case malformed
}

/// How many fixes were used, and how many were not for which reason.
package struct FixCounts: Hashable, Sendable {
    package var used = 0
    private var rejected: [FixRejection: Int] = [:]

    package init() {}

    /// How many were not used for a reason.
    subscript(reason: FixRejection) -> Int {
        get { rejected[reason, default: 0] }
        set { rejected[reason] = newValue == 0 ? nil : newValue }
    }

    /// How many were not used.
    package var allRejected: Int { rejected.values.reduce(0, +) }
}
