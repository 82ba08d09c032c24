/// A shop floor: the place of the gateway, and the advertising devices with their paths.
package struct StoreScenario: Hashable, Sendable {
    /// The name in the ground truth.
    package var name: String
    /// The time after which no packet is sent.
    var duration: TimeSpan
    package var gateway: FloorPoint
    var actors: [Actor]
    var propagation = Propagation()
    var scanner = Scanner()
    /// The times in which the gateway hears nothing, in order.
    var scanGaps: [Range<Instant>] = []
    /// The rooms with their walls; `nil` for a shop that is one room.
    var rooms: Rooms?
}

extension StoreScenario {
    /// Returns devices in the air that do not belong to the shop, for the whole time. One of four is a foreign iBeacon
    /// with a static address. The others are no iBeacons, with addresses that rotate.
    static func neighbours(
        around gateway: FloorPoint, duration: TimeSpan, count: Int, random: inout RandomStream
    ) -> [Actor] {
        (0..<max(0, count)).map { number in
            let place = FloorPoint(
                x_m: gateway.x_m + random.uniform(-14..<14), y_m: gateway.y_m + random.uniform(-14..<14))
            var path = ActorPath(from: place, at: .origin)
            path.stay(duration)
            guard number % 4 == 0 else {
                return Actor(
                    other: AdvertisingPayload.other(random: &random), power_dbm: -62,
                    interval: .seconds(random.uniform(0.15..<1.2)), path: path,
                    addresses: AddressSpan.rotatingEveryQuarterHour(for: path, random: &random))
            }
            let identity = BeaconIdentity(uuid: foreignUUID, major: 0, minor: UInt16(truncatingIfNeeded: number / 4))
            return Actor(
                beacon: identity, kind: .shelf, interval: .milliseconds(700), path: path,
                addresses: AddressSpan.fixed(for: path, random: &random))
        }
    }
}

extension StoreScenario {
    /// Returns a shop of several rooms with a gateway in the middle of each, and people who walk between them.
    ///
    /// About every half minute a person comes in, with a trolley or with a phone. People go from room to room, rest in
    /// each for 20 to 90 s, and leave by the door. One seed gives the same people for any listening gateway.
    ///
    /// - Parameter listening: the room whose gateway hears the capture, of `gateways`: 1 to 64.
    package static func rooms(
        seed: UInt64, duration: TimeSpan, gateways: Int, listening: Int, firstPhoneAt: Instant? = nil
    ) -> StoreScenario {
        let rooms = Rooms(count: gateways)
        var random = RandomStream(seed: seed)
        var actors: [Actor] = []
        var at = Instant.origin + .seconds(random.uniform(2..<10))
        let first: UInt16 = firstPhoneAt == nil ? 1 : 2
        var number = first
        while at < .origin + duration {
            let path = visit(rooms, at: at, random: &random)
            let isPhone = random.chance(0.5)
            actors.append(
                Actor(
                    beacon: BeaconIdentity(uuid: storeUUID, major: isPhone ? 2 : 1, minor: number),
                    kind: isPhone ? .phone : .cart, interval: .milliseconds(isPhone ? 200 : 300), path: path,
                    addresses: isPhone
                        ? AddressSpan.rotatingEveryQuarterHour(for: path, random: &random)
                        : AddressSpan.fixed(for: path, random: &random)))
            number = number == .max ? first : number + 1
            at += .seconds(random.uniform(15..<45))
        }
        var phoneAt = firstPhoneAt ?? .origin + duration
        while phoneAt < .origin + duration {
            actors.append(firstPhone(of: rooms, at: phoneAt, random: &random))
            phoneAt += firstPhonePeriod
        }
        var scenario = StoreScenario(
            name: "rooms", duration: duration, gateway: rooms.middle(of: listening), actors: actors)
        scenario.rooms = rooms
        return scenario
    }

    /// - Parameter closes: the time from which a visitor returns to the door as soon as the round of the present room
    ///   is done; `nil` for no closing.
    static func visit(
        _ rooms: Rooms, at start: Instant, closes: Instant? = nil, random: inout RandomStream
    ) -> ActorPath {
        let pace_m_s = random.uniform(0.9..<1.4)
        var path = ActorPath(from: rooms.door, at: start)
        var way = [0]
        for _ in 0..<1 + random.below(4) {
            let next = rooms.neighbours(of: way[way.count - 1])
            if let room = next.isEmpty ? nil : next[random.below(next.count)] { way.append(room) }
        }
        var seen: [Int] = []
        for room in way {
            if let closes, path.end >= closes { break }
            seen.append(room)
            // The path leads through the middle of a room, because doors are in the middle of walls.
            path.walk(to: rooms.middle(of: room), speed_m_s: pace_m_s)
            path.walk(to: somewhere(in: room, of: rooms, random: &random), speed_m_s: pace_m_s)
            path.stay(.seconds(random.uniform(20..<90)))
            path.walk(to: rooms.middle(of: room), speed_m_s: pace_m_s)
        }
        for room in seen.reversed() { path.walk(to: rooms.middle(of: room), speed_m_s: pace_m_s) }
        path.walk(to: rooms.door, speed_m_s: pace_m_s)
        return path
    }

    static func somewhere(in room: Int, of rooms: Rooms, random: inout RandomStream) -> FloorPoint {
        let middle = rooms.middle(of: room)
        return FloorPoint(
            x_m: middle.x_m + random.uniform(-0.4..<0.4) * Rooms.width_m,
            y_m: middle.y_m + random.uniform(-0.4..<0.4) * Rooms.depth_m)
    }
}
