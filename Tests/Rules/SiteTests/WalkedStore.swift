import RealModule

@testable import Core

/// A simulated store for zone maps: rooms, gateways with offsets, a walk with one beacon, and carts with beacons of other
/// powers.
struct WalkedStore {
    let rooms: Rooms
    /// The rooms of the gateways.
    let places: [Int]
    private let exponent = 2.3
    private let seed: UInt64
    private var points: [FloorPoint] = []
    private var offsets_db: [Double] = []
    /// The loss by shelves between a gateway and a corner of a room, dB.
    private var shadows_db: [Double] = []

    init(seed: UInt64, rooms count: Int, gatewaysIn places: [Int], offsets_db limit: Double) {
        var random = RandomStream(seed: seed)
        rooms = Rooms(count: count)
        (self.seed, self.places) = (seed, places)
        points = places.map { room in
            let middle = rooms.middle(of: room)
            return FloorPoint(
                x_m: middle.x_m + random.uniform(-1.5..<1.5), y_m: middle.y_m + random.uniform(-1.5..<1.5))
        }
        offsets_db = places.map { _ in random.uniform(-limit..<limit) }
        shadows_db = (0..<places.count * count * 4).map { _ in random.normal() * 3 }
    }

    static func name(_ room: Int) -> String { "zone-\(room)" }

    static func id(_ gateway: Int) -> String { "gateway-\(gateway)" }

    /// The configuration: each gateway is in the zone of its room.
    var toml: String {
        places.enumerated().reduce("[site]") { text, place in
            text + Store.gateway(Self.id(place.offset), zone: Self.name(place.element))
        }
    }

    /// The path of one beacon: a second at a time, from place to place in a room.
    struct Path {
        var room: Int
        private(set) var point: FloorPoint
        private var goal: FloorPoint
        private let power_db: Double
        private var noise_db: [Double]
        private var random: RandomStream
        private let rooms: Rooms

        init(_ store: WalkedStore, room: Int, power_db: Double, seed: UInt64) {
            random = RandomStream(seed: seed)
            rooms = store.rooms
            self.room = room
            self.power_db = power_db
            point = store.rooms.middle(of: room)
            goal = point
            noise_db = store.places.map { _ in 0 }
        }

        /// Walks a second, at 1 m/s.
        mutating func step() {
            let left_m = point.distance_m(to: goal)
            if left_m < 1 || rooms.room(at: goal) != room {
                let middle = rooms.middle(of: room)
                goal = FloorPoint(
                    x_m: middle.x_m + random.uniform(-3.7..<3.7), y_m: middle.y_m + random.uniform(-3.2..<3.2))
                if rooms.room(at: point) != room { point = middle }
            } else {
                point = FloorPoint(
                    x_m: point.x_m + (goal.x_m - point.x_m) / left_m, y_m: point.y_m + (goal.y_m - point.y_m) / left_m)
            }
            for gateway in noise_db.indices { noise_db[gateway] = noise_db[gateway] * 0.6 + random.normal() * 2 }
        }

        /// Returns the levels at the gateways that hear it, by their number.
        func levels(_ store: WalkedStore) -> [Int: Double] {
            var levels: [Int: Double] = [:]
            for gateway in noise_db.indices {
                let level_dbm = store.level_dbm(at: gateway, from: point) + power_db + noise_db[gateway]
                if level_dbm > -96 { levels[gateway] = level_dbm.rounded() }
            }
            return levels
        }
    }

    private func level_dbm(at gateway: Int, from point: FloorPoint) -> Double {
        let distance_m = max(0.7, Double.hypot(points[gateway].distance_m(to: point), 1.5))
        let room = rooms.room(at: point)
        let middle = rooms.middle(of: room)
        let corner = (point.x_m < middle.x_m ? 0 : 1) + (point.y_m < middle.y_m ? 0 : 2)
        return -59 + offsets_db[gateway] - 10 * exponent * Double.log10(distance_m)
            - rooms.loss_db(from: point, to: points[gateway])
            + shadows_db[(gateway * rooms.count + room) * 4 + corner]
    }

    /// The map of a walk through each room.
    func walk(seconds: Int = 40) -> ZoneWalk.Stretches {
        (0..<rooms.count).map { room in
            var path = Path(self, room: room, power_db: 0, seed: seed &* 31 &+ UInt64(room))
            var stretch = ZoneWalk.Stretch(zone: Self.name(room))
            for _ in 0..<seconds {
                path.step()
                let levels = path.levels(self).map { (Self.id($0.key), $0.value) }
                if levels.isEmpty {
                    stretch.silent += 1
                } else {
                    stretch.seconds.append(Dictionary(levels, uniquingKeysWith: { first, _ in first }))
                }
            }
            return stretch
        }
    }

    /// The share of seconds in which the store's lists name the room that a cart is in. A cart stays 25 s in a room.
    func share(_ map: ZoneMap?, carts: Int = 10, seconds: Int = 100) throws -> Double {
        var store = try Store(toml)
        store.use(map, at: 0.5)
        var random = RandomStream(seed: seed &+ 77)
        var paths = (0..<carts).map { cart in
            Path(
                self, room: random.below(rooms.count), power_db: random.uniform(-5..<5),
                seed: seed &* 131 &+ UInt64(cart))
        }
        var (right, all) = (0, 0)
        for second in 1...seconds {
            let t_s = Double(second)
            var heard: [Int: [Int: Double]] = [:]
            for cart in paths.indices {
                if second % 25 == 0 { paths[cart].room = random.below(rooms.count) }
                paths[cart].step()
                for (gateway, level) in paths[cart].levels(self) { heard[gateway, default: [:]][cart + 1] = level }
            }
            for gateway in places.indices {
                for cart in paths.indices where second == 1 { store.enter(Self.id(gateway), minor: cart + 1, at: t_s) }
                store.list(Self.id(gateway), heard[gateway] ?? [:], at: t_s)
            }
            store.advance(to: t_s + 0.5)
            // The store sees a move with some delay.
            guard second > 5, second % 25 > 4 else { continue }
            for beacon in store.listed?.beacons ?? [] {
                all += 1
                let room = paths[Int(beacon.identity.minor) - 1].room
                if beacon.place?.zone == Self.name(room) { right += 1 }
            }
        }
        return Double(right) / Double(max(1, all))
    }
}

extension ZoneWalk {
    typealias Stretches = [Stretch]
}
