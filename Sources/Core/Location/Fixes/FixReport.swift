/// What a receiver said, before anything of it is believed.
package struct FixReport: Hashable, Sendable {
    /// gpsd's mode: 0 and 1 are no fix, 2 is one without and 3 one with an altitude.
    var mode: Int
    package var at: WallTime?
    /// Degrees.
    var latitude: Double?
    /// Degrees.
    var longitude: Double?
    /// The radius that holds the truth two times out of three (`ReportedAccuracy`). Metres.
    var horizontalAccuracy_m: Double
    var altitude_m: Double?
    var speed_m_s: Double?
    /// Over ground, from true north. Degrees.
    var course_deg: Double?
    /// From true north. Degrees.
    package var heading_deg: Double?

    package init(
        mode: Int, at: WallTime?, latitude: Double?, longitude: Double?,
        horizontalAccuracy_m: Double = ReportedAccuracy.unknown_m, altitude_m: Double? = nil, speed_m_s: Double? = nil,
        course_deg: Double? = nil, heading_deg: Double? = nil
    ) {
        self.mode = mode
        self.at = at
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy_m = horizontalAccuracy_m
        self.altitude_m = altitude_m
        self.speed_m_s = speed_m_s
        self.course_deg = course_deg
        self.heading_deg = heading_deg
    }

    /// The fix that was told.
    ///
    /// - Throws: `noFix`, `malformed` where time or place is missing, `outOfRange`.
    package func fix() throws(FixRejection) -> Fix {
        guard mode >= 2 else { throw .noFix }
        guard let at, let latitude, let longitude else { throw .malformed }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .outOfRange }
        return Fix(
            at: at, coordinate: coordinate, horizontalAccuracy_m: horizontalAccuracy_m,
            altitude_m: mode >= 3 ? altitude_m : nil, speed_m_s: speed_m_s, course_deg: course_deg,
            heading_deg: heading_deg)
    }
}
