import RealModule

/// A place on the Earth: WGS 84, degrees. Latitudes are −90 … 90, longitudes −180 … 180.
package struct Coordinate: Hashable, Sendable {
    /// Degrees, positive north of the equator.
    package let latitude: Double
    /// Degrees, positive east of Greenwich.
    package let longitude: Double

    /// Returns `nil` for coordinates out of range, and for NaN.
    init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Returns how far another place is to the east, the short way round. Degrees, −180 … 180.
    func longitudeDifference(to other: Coordinate) -> Double {
        (other.longitude - longitude).remainder(dividingBy: 360)
    }

    /// Returns a place on the way to a nearby one.
    ///
    /// - Parameter share: 0 is this place, 1 the other.
    func moved(by share: Double, towards other: Coordinate) -> Coordinate {
        let longitude = longitude + longitudeDifference(to: other) * share
        return Coordinate(
            latitude: latitude + (other.latitude - latitude) * share,
            longitude: longitude.remainder(dividingBy: 360)) ?? self
    }
}

/// Returns the angle between two directions. Degrees, 0 … 180.
func turn_deg(from: Double, to: Double) -> Double { (to - from).remainder(dividingBy: 360).magnitude }

extension Coordinate {
    /// The largest difference in latitude and in longitude for which the plane replaces the ellipsoid. Degrees.
    static let near_deg = 1.0
    private static let radiansPerDegree = Double.pi / 180

    /// Returns a distance for every fix, accurate to 0.1 %, which is better than any receiver; between nearly opposite
    /// places to 0.2 %. For places within a degree of each other it is much cheaper than `distance_m(to:)`. Places further
    /// apart use that one.
    ///
    /// The ellipsoid is replaced by a plane that touches it half-way between the two places.
    func nearDistance_m(to other: Coordinate) -> Double {
        let north = other.latitude - latitude
        let east = longitudeDifference(to: other)
        guard north.magnitude <= Self.near_deg, east.magnitude <= Self.near_deg else { return distance_m(to: other) }
        let middle = (latitude + north / 2) * Self.radiansPerDegree
        let sine = Double.sin(middle)
        let shape = 1 - Ellipsoid.eccentricity2 * sine * sine
        let eastRadius_m = Ellipsoid.equator_m / shape.squareRoot()
        let northRadius_m = eastRadius_m * (1 - Ellipsoid.eccentricity2) / shape
        return .hypot(northRadius_m * north, eastRadius_m * .cos(middle) * east) * Self.radiansPerDegree
    }

    /// Returns the length of the shortest way over the ellipsoid. Metres, accurate to 0.005 %; between nearly opposite
    /// places to 0.2 %.
    ///
    /// The length on the sphere is corrected by the first order of the flattening (W. D. Lambert, *The distance between
    /// two widely separated points on the surface of the Earth*, Journal of the Washington Academy of Sciences 32, 1942).
    func distance_m(to other: Coordinate) -> Double {
        func sine2(_ angle: Double) -> Double { .sin(angle) * .sin(angle) }
        let (one, two) = (reducedLatitude, other.reducedLatitude)
        let (ofMiddle, ofHalf) = (sine2((one + two) / 2), sine2((two - one) / 2))
        let ofTurn = sine2(longitudeDifference(to: other) * Self.radiansPerDegree / 2)
        let cosines = Double.cos(one) * .cos(two)
        // The squares of the sine and the cosine of half of the angle between the two places.
        let (sine, cosine) = (ofHalf + cosines * ofTurn, ofMiddle + cosines * (1 - ofTurn))
        let angle = 2 * Double.atan2(y: sine.squareRoot(), x: cosine.squareRoot())
        let along = cosine > 0 ? (angle - .sin(angle)) * ofMiddle * (1 - ofHalf) / cosine : 0
        let across = sine > 0 ? (angle + .sin(angle)) * (1 - ofMiddle) * ofHalf / sine : 0
        return Ellipsoid.equator_m * (angle - Ellipsoid.flattening / 2 * (along + across))
    }

    /// The angle on the auxiliary sphere. Radians.
    private var reducedLatitude: Double {
        .atan((1 - Ellipsoid.flattening) * .tan(latitude * Self.radiansPerDegree))
    }
}

/// The ellipsoid of WGS 84.
private enum Ellipsoid {
    /// The radius of the equator. Metres.
    static let equator_m = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    /// The square of the first eccentricity.
    static let eccentricity2 = flattening * (2 - flattening)
}
