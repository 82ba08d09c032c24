import RealModule

extension Coordinate {
    /// Returns the length of the shortest way over the ellipsoid. Metres, accurate to a tenth of a millimetre for any
    /// two places.
    ///
    /// Vincenty's iteration finds it within a few rounds. Between nearly antipodal places the iteration does not
    /// converge. There a search for the azimuth finds it, which always ends.
    func distance_m(to other: Coordinate) -> Double {
        let longitude = longitudeDifference(to: other).magnitude * Ellipsoid.radiansPerDegree
        let arc =
            GeodesicArc.iterated(from: latitude, to: other.latitude, longitude: longitude)
            ?? GeodesicArc.searched(from: latitude, to: other.latitude, longitude: longitude)
        return arc.length_m
    }
}

extension GeodesicArc {
    /// The most rounds. Ordinary places take three to eight, and places 19,000 km apart up to twenty.
    static let rounds = 24
    /// The halvings of the azimuth's range of 180 degrees, until it is as fine as a `Double`.
    static let halvings = 54

    /// Vincenty's inverse solution: it refines the difference of longitude on the sphere.
    ///
    /// - Parameters:
    /// - from: one latitude. Degrees.
    /// - to: the other latitude. Degrees.
    /// - longitude: the difference in longitude. Radians, 0 … π.
    /// - Returns: `nil` where it does not converge: the places are nearly antipodal.
    static func iterated(from: Double, to: Double, longitude: Double) -> GeodesicArc? {
        let (sine1, cosine1) = Ellipsoid.reducedLatitude(from)
        let (sine2, cosine2) = Ellipsoid.reducedLatitude(to)
        var onSphere = longitude
        for _ in 0..<rounds {
            let across = cosine2 * .sin(onSphere)
            let along = cosine1 * sine2 - sine1 * cosine2 * .cos(onSphere)
            let sine = Double.hypot(across, along)
            let cosine = sine1 * sine2 + cosine1 * cosine2 * .cos(onSphere)
            guard sine > 0 else {
                // The places are equal, or exactly antipodal.
                guard cosine > 0 else { return nil }
                return GeodesicArc(sineOfAzimuth: 0, cosineOfAzimuth2: 1, length: 0, cosineOfTwiceMiddle: 0)
            }
            let sineOfAzimuth = cosine1 * across / sine
            let cosineOfAzimuth2 = max(0, 1 - sineOfAzimuth * sineOfAzimuth)
            // A way along the equator has no point nearest to a pole. Every term with that point is zero.
            let middle = cosineOfAzimuth2 > 1e-12 ? cosine - 2 * sine1 * sine2 / cosineOfAzimuth2 : 0
            let arc = GeodesicArc(
                sineOfAzimuth: sineOfAzimuth, cosineOfAzimuth2: cosineOfAzimuth2,
                length: .atan2(y: sine, x: cosine), cosineOfTwiceMiddle: middle)
            let next = longitude + arc.longitudeLag
            guard next <= .pi else { return nil }
            if (next - onSphere).magnitude < 1e-12 { return arc }
            onSphere = next
        }
        return nil
    }

    /// Returns the geodesic that starts at the place nearer to a pole, with the azimuth that leads to the other place.
    ///
    /// With a start in the south, no less far from the equator than the end, the reached longitude grows with the
    /// azimuth (C. F. F. Karney, *Algorithms for geodesics*, Journal of Geodesy 87, 2013). So halving the range finds
    /// the only azimuth.
    static func searched(from: Double, to: Double, longitude: Double) -> GeodesicArc {
        let (far, near) = from.magnitude < to.magnitude ? (to, from) : (from, to)
        let start = Ellipsoid.reducedLatitude(-far.magnitude)
        let end = Ellipsoid.reducedLatitude(far > 0 ? -near : near)
        // Neither the equator nor a pole itself can be a start, because azimuths are undefined there. A start this near
        // gives the result.
        let shot = Shot(
            sine1: min(start.sine, -1e-150), cosine1: max(start.cosine, 1e-150), sine2: end.sine,
            cosine2: max(end.cosine, 1e-150))
        var low = 0.0
        var high = Double.pi
        for _ in 0..<halvings {
            let middle = (low + high) / 2
            if shot.arc(azimuth: middle).longitude < longitude { low = middle } else { high = middle }
        }
        return shot.arc(azimuth: (low + high) / 2).arc
    }
}

/// A geodesic northward from one reduced latitude to another, by its initial azimuth.
private struct Shot {
    let sine1: Double
    let cosine1: Double
    let sine2: Double
    let cosine2: Double

    /// - Returns: the geodesic, and the difference in longitude of its ends. Radians.
    func arc(azimuth: Double) -> (arc: GeodesicArc, longitude: Double) {
        let (sine, cosine) = (Double.sin(azimuth), Double.cos(azimuth))
        let sine0 = sine * cosine1
        let cosine0 = Double.hypot(cosine, sine * sine1)
        let north1 = cosine * cosine1
        let north2 = max(0, north1 * north1 + cosine2 * cosine2 - cosine1 * cosine1).squareRoot()
        let sphere1 = Double.atan2(y: sine1, x: north1)
        let sphere2 = Double.atan2(y: sine2, x: north2)
        let longitude1 = Double.atan2(y: sine0 * sine1, x: north1)
        let longitude2 = Double.atan2(y: sine0 * sine2, x: north2)
        let arc = GeodesicArc(
            sineOfAzimuth: sine0, cosineOfAzimuth2: cosine0 * cosine0, length: max(0, sphere2 - sphere1),
            cosineOfTwiceMiddle: .cos(sphere1 + sphere2))
        return (arc, longitude2 - longitude1 - arc.longitudeLag)
    }
}
