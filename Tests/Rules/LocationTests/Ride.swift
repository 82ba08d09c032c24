import Testing

@testable import Core

/// Seconds on the gateway's clock.
func at(_ seconds: Double) -> Instant { Instant(microseconds: 0) + .seconds(seconds) }

/// Seconds of the receiver's time, on some day.
func time(_ seconds: Double) -> WallTime { WallTime(microseconds: 1_700_000_000_000_000) + .seconds(seconds) }

/// A place on a plane: metres from the Brandenburg Gate, to within a thousandth.
func place(east_m: Double = 0, north_m: Double = 0) throws -> Coordinate {
    let latitude = 52.5163 + north_m / 111_264
    return try #require(Coordinate(latitude: latitude, longitude: 13.3777 + east_m / 67_896))
}

/// A fix at a place on that plane.
func fix(
    _ seconds: Double, east_m: Double = 0, north_m: Double = 0, accuracy_m: Double = 5, speed_m_s: Double? = nil,
    course_deg: Double? = nil, heading_deg: Double? = nil
) throws -> Fix {
    Fix(
        at: time(seconds), coordinate: try place(east_m: east_m, north_m: north_m), horizontalAccuracy_m: accuracy_m,
        speed_m_s: speed_m_s, course_deg: course_deg, heading_deg: heading_deg)
}
