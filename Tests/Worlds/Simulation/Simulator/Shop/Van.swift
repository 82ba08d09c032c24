@testable import Core

/// The van that carries the gateway: its true place, the circles along its way and beside it, and its times without
/// reception.
struct Van {
    struct MonitoredCircle {
        let id: String
        let circle: Circle
        let crossingAfter: TimeSpan
    }

    /// Metres to the east and to the north of the depot.
    private struct Point {
        var x: Double
        var y: Double

        /// The way is short enough for a plane; the rules themselves compute long distances.
        var coordinate: Coordinate { Coordinate(north: 52.5163 + y / 111_260, east: 13.3777 + x / 67_760) }
    }

    private struct Leg {
        var begin: Instant
        var end: Instant
        var from: Point
        var to: Point
    }

    private static let route = [Point(x: 0, y: 0), Point(x: 900, y: 200), Point(x: 1_700, y: -100)]
    /// Longer than any world lasts, its end included.
    private static let longestHealing = TimeSpan.seconds(1_800)

    let circles: [MonitoredCircle]
    /// Times in garages, from which no fix comes.
    let garages: [Range<Instant>]
    private var legs: [Leg] = []

    init(seed: UInt64, duration: TimeSpan) {
        var chance = Chance(seed: seed, stream: "route")
        let end = Instant.origin + duration
        let (bridge, lake) = (Point(x: 450, y: 100), Point(x: 400, y: 265))
        circles = [
            ("depot", Self.route[0], chance.number(80...150)), ("market", Self.route[1], chance.number(80...150)),
            ("bridge", bridge, chance.number(60...120)), ("lake", lake, 100),
        ].map { id, center, radius_m in
            MonitoredCircle(
                id: id, circle: Circle(center: center.coordinate, radius_m: Double(radius_m)),
                crossingAfter: .seconds(Double(chance.number(3...8))))
        }
        garages = (0..<chance.number(0...3)).map { _ in
            let begin = Instant.origin + chance.span(1, duration.seconds)
            return begin..<min(end, begin + chance.spread(3, 90))
        }
        let parksLong = chance.happens(0.25)
        var (now, stop) = (Instant.origin, chance.number(0...2))
        while now < end + Self.longestHealing {
            let (here, next) = (Self.route[stop], Self.route[(stop + 1) % Self.route.count])
            let leaves = now + (parksLong && chance.happens(0.4) ? chance.span(130, 200) : chance.span(5, 35))
            let way_m = here.coordinate.nearDistance_m(to: next.coordinate)
            let arrives = leaves + .seconds(way_m / (12 + 12 * chance.unit()))
            legs += [
                Leg(begin: now, end: leaves, from: here, to: here),
                Leg(begin: leaves, end: arrives, from: here, to: next),
            ]
            (now, stop) = (arrives, (stop + 1) % Self.route.count)
        }
    }

    /// The true place.
    func place(at time: Instant) -> Coordinate {
        guard let leg = legs.first(where: { time < $0.end }) ?? legs.last else { return Self.route[0].coordinate }
        let share = min(1, max(0, (time - leg.begin).seconds / (leg.end - leg.begin).seconds))
        return Point(
            x: leg.from.x + (leg.to.x - leg.from.x) * share, y: leg.from.y + (leg.to.y - leg.from.y) * share
        ).coordinate
    }

    /// Metres per second.
    func speed_m_s(at time: Instant) -> Double {
        place(at: time).nearDistance_m(to: place(at: time + .seconds(1)))
    }

    func isInGarage(at time: Instant) -> Bool { garages.contains { $0.contains(time) } }
}

// MARK: - The seed's decisions

extension Van {
    /// Three seeds in ten ride. They have a stream of their own, and none of the seeds in seeds.txt is among them: each
    /// of those keeps its meaning.
    static func rides(seed: UInt64) -> Bool {
        var chance = Chance(seed: seed, stream: "road")
        return (0.1..<0.4).contains(chance.unit())
    }

    /// The configuration of the place and the circles.
    func configuration(seed: UInt64) -> String {
        var chance = Chance(seed: seed, stream: "location")
        let isSignificant = chance.happens(0.25)
        let deferral =
            chance.happens(0.5)
            ? "defer_timeout_s = \(chance.number(5...40))\ndefer_distance_m = "
                + "\(chance.happens(0.5) ? chance.number(50...800) : 0)" : ""
        return """

            [location]
            source = "gpsd"
            service = "\(isSignificant ? "significant" : "standard")"
            desired_accuracy_m = \(chance.number(30...100))
            distance_filter_m = \(chance.number(0...50))
            max_interval_s = \(chance.number(5...60))
            pauses_automatically = \(chance.happens(0.7))
            activity = "automotive"
            \(deferral)
            """
                + circles.map { monitored in
                    """

                    [[region]]
                    id = "\(monitored.id)"
                    latitude = \(monitored.circle.center.latitude)
                    longitude = \(monitored.circle.center.longitude)
                    radius_m = \(monitored.circle.radius_m)
                    crossing_after_s = \(monitored.crossingAfter.seconds)
                    """
                }.joined()
    }
}

extension Coordinate {
    /// A place of this world, which is far from the poles and from the antimeridian.
    init(north: Double, east: Double) {
        guard let place = Coordinate(latitude: north, longitude: east) else { preconditionFailure("off the Earth") }
        self = place
    }

    /// The place at this distance to the east and to the north. Metres; for a few hundred of them.
    func moved(east_m: Double, north_m: Double) -> Coordinate {
        Coordinate(north: latitude + north_m / 111_260, east: longitude + east_m / 67_760)
    }
}
