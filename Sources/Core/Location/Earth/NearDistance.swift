import RealModule

extension Coordinate {
    /// How far places may differ in latitude and in longitude for the plane to stand in for the ellipsoid. Degrees.
    static let near_deg = 1.0

    /// A distance for every fix: right to 0.1 %, which is less than any receiver knows, and much cheaper than
    /// `distance_m(to:)` for places within a degree of each other. Those further apart are measured by that one.
    ///
    /// It takes the ellipsoid for a plane that touches it half-way between the two places.
    func nearDistance_m(to other: Coordinate) -> Double {
        let north = other.latitude - latitude
        let east = longitudeDifference(to: other)
        guard north.magnitude <= Self.near_deg, east.magnitude <= Self.near_deg else { return distance_m(to: other) }
        let middle = (latitude + north / 2) * Ellipsoid.radiansPerDegree
        let sine = Double.sin(middle)
        let shape = 1 - Ellipsoid.eccentricity2 * sine * sine
        let eastRadius_m = Ellipsoid.equator_m / shape.squareRoot()
        let northRadius_m = eastRadius_m * (1 - Ellipsoid.eccentricity2) / shape
        return .hypot(northRadius_m * north, eastRadius_m * .cos(middle) * east) * Ellipsoid.radiansPerDegree
    }
}
