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

    /// Returns a distance for every fix, accurate to 0.1 %, which is better than any receiver. For places within a
    /// degree of each other it is much cheaper than `distance_m(to:)`. Places further apart use that one.
    ///
    /// The ellipsoid is replaced by a plane that touches it half-way between the two places.
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

/// The ellipsoid of WGS 84, and the series of a geodesic on it.
///
/// The series are those of T. Vincenty, *Direct and Inverse Solutions of Geodesics on the Ellipsoid with Application of
/// Nested Equations*, Survey Review XXII, 1975. They are accurate to a tenth of a millimetre.
enum Ellipsoid {
    /// The radius of the equator. Metres.
    static let equator_m = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    /// The distance from the centre to a pole. Metres.
    static let pole_m = equator_m * (1 - flattening)
    /// The square of the first eccentricity.
    static let eccentricity2 = flattening * (2 - flattening)
    static let radiansPerDegree = Double.pi / 180

    /// Returns the angle on the auxiliary sphere for a latitude, as its sine and cosine.
    static func reducedLatitude(_ latitude: Double) -> (sine: Double, cosine: Double) {
        let angle = Double.atan((1 - flattening) * .tan(latitude * radiansPerDegree))
        return (.sin(angle), .cos(angle))
    }
}

/// A piece of a geodesic on the auxiliary sphere.
struct GeodesicArc {
    /// The sine of the azimuth at which the geodesic crosses the equator.
    let sineOfAzimuth: Double
    /// The square of that azimuth's cosine.
    let cosineOfAzimuth2: Double
    /// The length on the sphere. Radians.
    let length: Double
    /// The cosine of twice the angle from the equator to the middle.
    let cosineOfTwiceMiddle: Double

    /// The length on the ellipsoid. Metres.
    var length_m: Double {
        let semiaxes2 = Ellipsoid.equator_m * Ellipsoid.equator_m / (Ellipsoid.pole_m * Ellipsoid.pole_m) - 1
        let u2 = cosineOfAzimuth2 * semiaxes2
        let scale = 1 + u2 / 16_384 * (4_096 + u2 * (-768 + u2 * (320 - 175 * u2)))
        let step = u2 / 1_024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
        let sine = Double.sin(length)
        let cosine = Double.cos(length)
        let middle = cosineOfTwiceMiddle
        let third = step / 6 * middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
        let second = step / 4 * (cosine * (2 * middle * middle - 1) - third)
        return Ellipsoid.pole_m * scale * (length - step * sine * (middle + second))
    }

    /// The difference in longitude on the sphere less that on the ellipsoid. Radians.
    var longitudeLag: Double {
        let flattening = Ellipsoid.flattening
        let c = flattening / 16 * cosineOfAzimuth2 * (4 + flattening * (4 - 3 * cosineOfAzimuth2))
        let middle = cosineOfTwiceMiddle
        let inner = middle + c * .cos(length) * (2 * middle * middle - 1)
        return (1 - c) * flattening * sineOfAzimuth * (length + c * .sin(length) * inner)
    }
}
