public import Location

/// A circle on the ellipsoid: all places that are no further from its centre than its radius.
public struct Circle: Hashable, Sendable {
    public var center: Coordinate
    /// Metres.
    public var radius_m: Double

    public init(center: Coordinate, radius_m: Double) {
        self.center = center
        self.radius_m = radius_m
    }
}

/// A circle, and how far from its centre the gateway was.
public struct CircleObservation: Hashable, Sendable {
    public var circle: Circle
    /// From the centre, metres; `nil` where no fix said it.
    public var distance_m: Double?

    public init(_ circle: Circle, distance_m: Double?) {
        self.circle = circle
        self.distance_m = distance_m
    }
}
