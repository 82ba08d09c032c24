import RealModule

@testable import Core

/// The radio links between the gateways of a simulated store, hour by hour over a year.
///
/// The gateways hang in the rooms of a store, and each receives and sends more or less than the others. A path has walls,
/// shelves and reflections, which both directions share. By day people weaken it, most at noon. Some of what happens to
/// a store changes single links: a shelf is moved, a display stands in an aisle for weeks. Some changes all of them.
struct GatewayLinks: Sendable {
    /// One gateway.
    struct Gateway: Sendable {
        var id: String
        /// The true place.
        var place: FloorPoint
        /// The excess of receiver and transmitter over others, dB.
        var receive_db: Double
        var send_db: Double
        /// The position on the plan, which was measured by hand.
        var planned: FloorPoint
        /// The gain of the antenna in front and its loss behind, dB, and the direction in front, radians from the x axis.
        var antenna_db = 0.0
        var bearing = 0.0

        /// The gain of the antenna towards a place, dB.
        func gain_db(towards other: FloorPoint) -> Double {
            let angle = Double.atan2(y: other.y_m - place.y_m, x: other.x_m - place.x_m)
            return antenna_db * Double.cos(angle - bearing)
        }
    }

    /// A change of one gateway. Hours count from the beginning.
    enum Event: Sendable {
        case move(gateway: Int, to: FloorPoint, hour: Int)
        /// A cover takes as much of all that it hears and sends; or only of what lies in one half of the plane.
        case cover(gateway: Int, loss_db: Double, half: Bool, hour: Int)
        /// The antenna is turned by an angle.
        case turn(gateway: Int, by: Double, hour: Int)

        var gateway: Int {
            switch self {
            case .move(let gateway, _, _), .cover(let gateway, _, _, _), .turn(let gateway, _, _): gateway
            }
        }

        var hour: Int {
            switch self {
            case .move(_, _, let hour), .cover(_, _, _, let hour), .turn(_, _, let hour): hour
            }
        }
    }

    /// The gateways whose paths weaken a level below this are not heard, dBm.
    private static let unheard_dbm = -97.0
    private static let shadowing_db = 3.5, reflections_db = 2.5, asymmetry_db = 0.8, hourly_db = 0.6, daily_db = 0.5
    private static let decorrelation_m = 5.0
    /// The scatter of the number of beacons in a room from day to day, as its logarithm.
    private static let popularity = 0.3
    /// The height of gateways over each other, so that none is on top of another, metres.
    private static let nearest_m = 0.5

    private let seed: UInt64
    private let rooms: Rooms
    private let exponent: Double
    private(set) var gateways: [Gateway]
    private var events: [Event] = []
    /// The static part of the paths: by pair, shared by both directions, dB.
    private var paths: [Double]
    /// Obstacles in aisles: where, and from which hour to which.
    private let displays: [(place: FloorPoint, hours: Range<Int>)]
    /// Changes of all links: from which hour to which, dB.
    private let weathers: [(hours: Range<Int>, change_db: Double)]
    /// Hours in which a gateway is off.
    private var outages: [(gateway: Int, hours: Range<Int>)]

    /// - Parameters:
    ///   - count: the number of gateways, one to a room.
    ///   - offsets_db: the largest receive and send offset.
    ///   - antennas_db: the gain of antennas in front.
    init(seed: UInt64, count: Int, offsets_db: Double, antennas_db: Range<Double>? = nil) {
        var random = RandomStream(seed: seed)
        let rooms = Rooms(count: count)
        (self.seed, self.rooms) = (seed, rooms)
        exponent = random.uniform(2.0..<2.6)
        gateways = (0..<rooms.count).map { room in
            let middle = rooms.middle(of: room)
            let place = FloorPoint(
                x_m: middle.x_m + random.uniform(-1.5..<1.5), y_m: middle.y_m + random.uniform(-1.5..<1.5))
            return Gateway(
                id: "gateway-\(room)", place: place,
                receive_db: random.uniform(-offsets_db..<offsets_db), send_db: random.uniform(-offsets_db..<offsets_db),
                planned: FloorPoint(x_m: place.x_m + random.normal() * 0.3, y_m: place.y_m + random.normal() * 0.3))
        }
        if let antennas_db {
            for room in gateways.indices {
                var random = RandomStream(seed: seed &+ 0x616E_7465, index: room)
                gateways[room].antenna_db = random.uniform(antennas_db)
                gateways[room].bearing = random.uniform(0..<2 * .pi)
            }
        }
        paths = (0..<rooms.count * rooms.count).map { _ in
            random.normal() * Double.hypot(Self.shadowing_db, Self.reflections_db)
        }
        let hours = 365 * 24
        let (width_m, depth_m) = Self.size(of: gateways)
        displays = (0..<6).map { _ in
            let start = random.below(hours)
            return (
                FloorPoint(x_m: random.uniform(0..<width_m), y_m: random.uniform(0..<depth_m)),
                start..<start + 24 * (3 + random.below(20))
            )
        }
        weathers = (0..<4).map { number in
            let start = random.below(hours)
            // New firmware stays, a full week does not.
            return (start..<(number % 2 == 0 ? Int.max : start + 24 * 6), random.uniform(-4..<3))
        }
        outages = (0..<rooms.count * 6).map { _ in
            let start = random.below(hours)
            return (random.below(rooms.count), start..<start + 1 + random.below(40))
        }
    }

    private static func size(of gateways: [Gateway]) -> (Double, Double) {
        let (x, y) = (gateways.map(\.place.x_m).max() ?? 0, gateways.map(\.place.y_m).max() ?? 0)
        return (x + Rooms.width_m / 2, y + Rooms.depth_m / 2)
    }

    /// Keeps a gateway on from that hour on for two days.
    mutating func keepOn(_ gateway: Int, from hour: Int) {
        let kept = hour - 6..<hour + 48
        outages.removeAll { $0.gateway == gateway && $0.hours.overlaps(kept) }
    }

    /// Adds an event. Events come in the order of their hours.
    mutating func add(_ event: Event) {
        events.append(event)
        if case .turn(let gateway, let angle, _) = event { gateways[gateway].bearing += angle }
        guard case .move(let gateway, let place, _) = event else { return }
        let moved_m = gateways[gateway].place.distance_m(to: place)
        let kept = Double.exp(-moved_m / Self.decorrelation_m)
        // The new place begins at the event; `level_dbm` asks for the old paths before that no more.
        var random = RandomStream(seed: seed &+ 0x6D6F_7665, index: events.count)
        for other in gateways.indices where other != gateway {
            let index = pair(gateway, other)
            let fresh = random.normal() * Double.hypot(Self.shadowing_db, Self.reflections_db)
            paths[index] = kept * paths[index] + (1 - kept * kept).squareRoot() * fresh
        }
        gateways[gateway].place = place
    }

    private func pair(_ one: Int, _ other: Int) -> Int { min(one, other) * gateways.count + max(one, other) }

    func isOn(_ gateway: Int, hour: Int) -> Bool {
        !outages.contains { $0.gateway == gateway && $0.hours.contains(hour) }
    }

    /// Returns the median level of an hour at `receiver`; `nil` where it hears nothing of `sender`.
    func level_dbm(at receiver: Int, of sender: Int, hour: Int) -> Int? {
        guard isOn(sender, hour: hour), isOn(receiver, hour: hour) else { return nil }
        let (from, to) = (gateways[sender], gateways[receiver])
        let distance_m = max(Self.nearest_m, from.place.distance_m(to: to.place))
        var level_dbm = -59 + to.receive_db + from.send_db - 10 * exponent * Double.log10(distance_m)
        level_dbm -= rooms.loss_db(from: from.place, to: to.place) / 2
        level_dbm += from.gain_db(towards: to.place) + to.gain_db(towards: from.place)
        let index = pair(receiver, sender)
        level_dbm += paths[index]
        level_dbm += noise(index * 2 + (receiver > sender ? 1 : 0), 1) * Self.asymmetry_db
        level_dbm -= crowd_db(index, hour: hour) + losses_db(receiver, sender, hour: hour)
        // A day is a little like the one before.
        let day = hour / 24
        let drift = noise(index, 100_000 + day) + noise(index, 100_001 + day) + noise(index, 100_002 + day)
        level_dbm += drift * Self.daily_db / 1.7
        level_dbm += noise(index * 2 + (receiver > sender ? 1 : 0), 1_000_000 + hour) * Self.hourly_db
        return level_dbm < Self.unheard_dbm ? nil : Int(level_dbm.rounded())
    }

    /// Returns what people take, dB: nothing at night, most at noon and on a Saturday.
    private func crowd_db(_ pair: Int, hour: Int) -> Double {
        let (day, time) = (hour / 24, hour % 24)
        guard (8..<21).contains(time), day % 7 != 6 else { return 0 }
        let weekday = [0.7, 0.6, 0.7, 0.8, 1.1, 1.5][day % 7]
        let noon = Double.exp(-Double((time - 12) * (time - 12)) / 8) + 0.6
        // Each link crosses other aisles.
        let share = 1.5 + 0.8 * noise(pair, 2)
        return max(0, share) * weekday * noon
            * max(0, 1 + 0.3 * noise(0, 10_000 + day) + 0.25 * noise(pair, 20_000 + day))
    }

    /// Returns what events, displays and the weather take, dB.
    private func losses_db(_ receiver: Int, _ sender: Int, hour: Int) -> Double {
        var loss_db = 0.0
        loss_db += coverLoss_db(of: receiver, towards: gateways[sender].place, hour: hour)
        loss_db += coverLoss_db(of: sender, towards: gateways[receiver].place, hour: hour)
        for display in displays where display.hours.contains(hour) {
            if isBetween(display.place, gateways[receiver].place, gateways[sender].place) { loss_db += 3 }
        }
        return loss_db - weather_db(hour: hour)
    }

    /// Returns the change of all links, dB.
    private func weather_db(hour: Int) -> Double {
        weathers.reduce(0) { $1.hours.contains(hour) ? $0 + $1.change_db : $0 }
    }

    /// Returns what the covers of a gateway take of a path to a place, dB.
    private func coverLoss_db(of gateway: Int, towards place: FloorPoint, hour: Int) -> Double {
        var loss_db = 0.0
        for case .cover(gateway, let cover_db, let half, let start) in events where hour >= start {
            if !half || place.x_m < gateways[gateway].place.x_m { loss_db += cover_db }
        }
        return loss_db
    }

    /// Returns whether an obstacle is in the way, and not beside one of the two.
    private func isBetween(_ obstacle: FloorPoint, _ one: FloorPoint, _ other: FloorPoint) -> Bool {
        let (dx, dy) = (other.x_m - one.x_m, other.y_m - one.y_m)
        let length_m = max(0.1, Double.hypot(dx, dy))
        let along_m = ((obstacle.x_m - one.x_m) * dx + (obstacle.y_m - one.y_m) * dy) / length_m
        let across_m = ((obstacle.x_m - one.x_m) * dy - (obstacle.y_m - one.y_m) * dx) / length_m
        return along_m > 3 && along_m < length_m - 3 && across_m.magnitude < 0.75
    }

    /// Returns the same normal number for the same part and time.
    private func noise(_ part: Int, _ time: Int) -> Double {
        var random = RandomStream(seed: seed ^ UInt64(truncatingIfNeeded: time) &* 0x9E37_79B9_7F4A_7C15, index: part)
        return random.normal()
    }
}

/// Beacons in the store, for comparing zones.
extension GatewayLinks {
    /// Returns the levels of a beacon at a random place of a room at each gateway, dBm, as smoothed readings.
    ///
    /// - Parameter hour: decides which gateways are covered, and what people, displays and the weather take. Each day
    ///   other rooms have many beacons. Without it the store is empty, and all rooms have as many.
    func levels(ofBeacon number: Int, hour: Int? = nil) -> (room: Int, levels_dbm: [Double]) {
        var random = RandomStream(seed: seed &+ 0x6265_6163, index: number)
        let room = hour.map { visited(random.unit(), day: $0 / 24) } ?? random.below(rooms.count)
        let middle = rooms.middle(of: room)
        let place = FloorPoint(
            x_m: middle.x_m + random.uniform(-Rooms.width_m / 2..<Rooms.width_m / 2),
            y_m: middle.y_m + random.uniform(-Rooms.depth_m / 2..<Rooms.depth_m / 2))
        let levels = gateways.enumerated().map { index, gateway in
            let distance_m = max(Self.nearest_m, gateway.place.distance_m(to: place))
            let path_db =
                10 * exponent * Double.log10(distance_m) + rooms.loss_db(from: place, to: gateway.place)
                - gateway.gain_db(towards: place) + coverLoss_db(of: index, towards: place, hour: hour ?? .max)
            let loss_db = hour.map { self.loss_db(of: index, towards: place, hour: $0) } ?? 0
            return -59 + gateway.receive_db - path_db - loss_db + random.normal() * Self.shadowing_db
        }
        return (room, levels)
    }

    /// Returns whether a gateway hears a beacon with that level.
    func isHeard(_ level_dbm: Double, at gateway: Int, hour: Int) -> Bool {
        level_dbm >= Self.unheard_dbm && isOn(gateway, hour: hour)
    }

    /// Returns the room of a beacon on that day.
    ///
    /// - Parameter share: the share of beacons in the rooms before it, and in a part of it.
    private func visited(_ share: Double, day: Int) -> Int {
        let weights = (0..<rooms.count).map { Double.exp(Self.popularity * noise($0, 30_000 + day)) }
        var rest = share * weights.reduce(0, +)
        return weights.firstIndex { weight in
            rest -= weight
            return rest < 0
        } ?? rooms.count - 1
    }

    /// Returns what people, displays and the weather take of a beacon's level, dB.
    private func loss_db(of gateway: Int, towards place: FloorPoint, hour: Int) -> Double {
        var loss_db = crowd_db(pair(gateway, gateway), hour: hour) / 2 - weather_db(hour: hour)
        for display in displays where display.hours.contains(hour) {
            if isBetween(display.place, gateways[gateway].place, place) { loss_db += 3 }
        }
        return loss_db
    }
}

extension FloorPoint {
    /// Returns the point so far away in a direction, radians from the x axis.
    func moved(_ distance_m: Double, towards angle: Double) -> FloorPoint {
        FloorPoint(x_m: x_m + distance_m * Double.cos(angle), y_m: y_m + distance_m * Double.sin(angle), z_m: z_m)
    }
}
