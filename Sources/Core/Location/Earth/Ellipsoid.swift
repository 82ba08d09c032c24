import RealModule

/// The ellipsoid of WGS 84, and what a geodesic on it comes to.
///
/// The series are those of T. Vincenty, *Direct and Inverse Solutions of Geodesics on the Ellipsoid with Application of
/// Nested Equations*, Survey Review XXII, 1975; they are good to a tenth of a millimetre.
enum Ellipsoid {
    /// The radius of the equator. Metres.
    static let equator_m = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    /// From the centre to a pole. Metres.
    static let pole_m = equator_m * (1 - flattening)
    /// The square of the first eccentricity.
    static let eccentricity2 = flattening * (2 - flattening)
    static let radiansPerDegree = Double.pi / 180

    /// The angle on the auxiliary sphere that stands for a latitude, as its sine and cosine.
    static func reducedLatitude(_ latitude: Double) -> (sine: Double, cosine: Double) {
        let angle = Double.atan((1 - flattening) * .tan(latitude * radiansPerDegree))
        return (.sin(angle), .cos(angle))
    }
}

/// A piece of a geodesic as the auxiliary sphere has it.
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

    /// By how much less its ends are apart in longitude on the ellipsoid than on the sphere. Radians.
    var longitudeLag: Double {
        let flattening = Ellipsoid.flattening
        let c = flattening / 16 * cosineOfAzimuth2 * (4 + flattening * (4 - 3 * cosineOfAzimuth2))
        let middle = cosineOfTwiceMiddle
        let inner = middle + c * .cos(length) * (2 * middle * middle - 1)
        return (1 - c) * flattening * sineOfAzimuth * (length + c * .sin(length) * inner)
    }
}
