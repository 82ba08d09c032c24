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
