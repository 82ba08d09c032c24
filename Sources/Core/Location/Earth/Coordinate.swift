/// A place on the Earth: WGS 84, degrees. There is none outside of it: latitudes are −90 … 90, longitudes −180 … 180.
package struct Coordinate: Hashable, Sendable {
    /// Degrees, north of the equator positive.
    package let latitude: Double
    /// Degrees, east of Greenwich positive.
    package let longitude: Double

    /// `nil` for what is outside the Earth or not a number.
    init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// How far another place is to the east, the short way round. Degrees, −180 … 180.
    func longitudeDifference(to other: Coordinate) -> Double {
        (other.longitude - longitude).remainder(dividingBy: 360)
    }

    /// A place that lies a share of the way to another one, for places near each other.
    ///
    /// - Parameter share: 0 is this place, 1 the other.
    func moved(by share: Double, towards other: Coordinate) -> Coordinate {
        let longitude = longitude + longitudeDifference(to: other) * share
        return Coordinate(
            latitude: latitude + (other.latitude - latitude) * share,
            longitude: longitude.remainder(dividingBy: 360)) ?? self
    }
}

/// By how much a direction turns from one to another, whichever way is shorter. Degrees, 0 … 180.
func turn_deg(from: Double, to: Double) -> Double { (to - from).remainder(dividingBy: 360).magnitude }
