import RealModule

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
