import RealModule

/// The position of an actor over time: straight lines between waypoints, and a rest between two waypoints at one place.
struct ActorPath: Hashable, Sendable {
    struct Waypoint: Hashable, Sendable {
        var at: Instant
        var position: FloorPoint
    }

    /// The waypoints in the order of time. Never empty.
    private(set) var waypoints: [Waypoint]

    /// Begins at `position` at the time `start`.
    init(from position: FloorPoint, at start: Instant) { waypoints = [Waypoint(at: start, position: position)] }

    /// The time at which it appears.
    package var start: Instant { waypoints.first?.at ?? .origin }
    /// The time at which it is gone.
    var end: Instant { waypoints.last?.at ?? .origin }

    /// Walks to `position` in a straight line at `speed_m_s`. With a speed that is not positive, it arrives at once.
    mutating func walk(to position: FloorPoint, speed_m_s: Double) {
        guard let last = waypoints.last else { return }
        let seconds = speed_m_s > 0 ? last.position.distance_m(to: position) / speed_m_s : 0
        waypoints.append(Waypoint(at: last.at + .seconds(seconds), position: position))
    }

    mutating func stay(_ span: TimeSpan) {
        guard let last = waypoints.last else { return }
        waypoints.append(Waypoint(at: last.at + span, position: last.position))
    }

    /// Returns the position at `instant`; outside its time, the first or last waypoint.
    func position(at instant: Instant) -> FloorPoint {
        let next = indexOfFirst(after: instant)
        guard next < waypoints.count else { return waypoints[waypoints.count - 1].position }
        guard next > 0 else { return waypoints[0].position }
        let from = waypoints[next - 1]
        let to = waypoints[next]
        return from.position.between(to.position, share: (instant - from.at).seconds / (to.at - from.at).seconds)
    }

    /// Returns the unit vector of a walker's direction at `instant`: that of the present line, or, at rest, of the last
    /// one. Zero before the first step.
    func heading(at instant: Instant) -> (x: Double, y: Double) {
        var next = min(indexOfFirst(after: instant), waypoints.count - 1)
        while next > 0 {
            let from = waypoints[next - 1].position
            let to = waypoints[next].position
            let length = from.distance_m(to: to)
            if length > 0 { return ((to.x_m - from.x_m) / length, (to.y_m - from.y_m) / length) }
            next -= 1
        }
        return (0, 0)
    }

    private func indexOfFirst(after instant: Instant) -> Int {
        var low = 0
        var high = waypoints.count
        while low < high {
            let middle = (low + high) / 2
            if waypoints[middle].at > instant { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A point in the shop in metres. The origin is the door. x runs along the street, y into the shop, and z up from the
/// ground floor.
package struct FloorPoint: Hashable, Sendable {
    var x_m: Double
    var y_m: Double
    var z_m: Double = 0

    func distance_m(to other: FloorPoint) -> Double {
        let plan_m = Double.hypot(other.x_m - x_m, other.y_m - y_m)
        return other.z_m == z_m ? plan_m : Double.hypot(plan_m, other.z_m - z_m)
    }

    /// Returns the point at `share` (0 … 1) of the straight line to `other`.
    func between(_ other: FloorPoint, share: Double) -> FloorPoint {
        FloorPoint(
            x_m: x_m + (other.x_m - x_m) * share, y_m: y_m + (other.y_m - y_m) * share,
            z_m: z_m + (other.z_m - z_m) * share)
    }
}
