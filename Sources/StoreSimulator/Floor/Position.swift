import RealModule

/// A point on the shop floor in metres. The origin is the door, x runs along the street, y into the shop.
public struct Position: Hashable, Sendable {
    public var x_m: Double
    public var y_m: Double

    public init(x_m: Double, y_m: Double) {
        self.x_m = x_m
        self.y_m = y_m
    }

    public func distance_m(to other: Position) -> Double {
        Double.hypot(other.x_m - x_m, other.y_m - y_m)
    }

    /// The point at `share` (0 … 1) of the straight line to `other`.
    func between(_ other: Position, share: Double) -> Position {
        Position(x_m: x_m + (other.x_m - x_m) * share, y_m: y_m + (other.y_m - y_m) * share)
    }
}
