extension StoreScenario {
    /// The interval of telemetry frames. A battery lasts for months, and its frames cost as much as others.
    static let telemetryInterval = TimeSpan.seconds(600)
    /// The other devices in the air of a store. They send seldom, because days of frequent packets are expensive.
    private static let fleetNeighbours = 2
    private static let neighbourInterval = TimeSpan.seconds(20)

    /// Returns a store of a fleet: beacons that stand or are pushed about now and then, by day and by night. Beside
    /// its iBeacon frame each sends its telemetry.
    ///
    /// One fleet gives the same beacons and ways for any listening gateway.
    ///
    /// - Parameter listening: the room whose gateway hears the capture.
    package static func fleet(
        _ fleet: BeaconFleet, seed: UInt64, store: Int, rooms: Rooms, listening: Int
    ) -> StoreScenario {
        var random = RandomStream(seed: seed)
        var actors = (0..<fleetNeighbours).map { number in
            var path = ActorPath(from: somewhere(in: number % rooms.count, of: rooms, random: &random), at: .origin)
            path.stay(fleet.duration)
            let addresses = AddressSpan.fixed(for: path, random: &random)
            guard number % 2 == 0 else {
                return Actor(
                    other: AdvertisingPayload.other(random: &random), power_dbm: -62, interval: neighbourInterval,
                    path: path, addresses: addresses)
            }
            let identity = BeaconIdentity(uuid: foreignUUID, major: 0, minor: UInt16(truncatingIfNeeded: number))
            return Actor(beacon: identity, kind: .shelf, interval: neighbourInterval, path: path, addresses: addresses)
        }
        let ways = random.next()
        for (index, beacon) in fleet.beacons.enumerated() {
            var random = RandomStream(seed: ways, index: index)
            for stay in beacon.stays where stay.store == store && stay.from < stay.until {
                let path = way(of: beacon.kind, in: rooms, during: stay.from..<stay.until, random: &random)
                let actor = Actor(
                    beacon: beacon.identity, kind: beacon.kind, interval: beacon.interval, path: path,
                    addresses: [AddressSpan(address: beacon.address, from: stay.from, until: stay.until)])
                actors += [
                    actor, Actor(telemetryOf: actor, battery: beacon.battery, interval: telemetryInterval),
                ]
            }
        }
        var scenario = StoreScenario(
            name: "fleet", duration: fleet.duration, gateway: rooms.middle(of: listening), actors: actors)
        scenario.rooms = rooms
        // A scanner without pauses: a packet that no scanner listens to costs as much as one that is heard.
        scenario.scanner.window = scenario.scanner.interval
        if store == fleet.deafStore { scenario.scanGaps = [fleet.deaf] }
        return scenario
    }

    /// Returns the way of a beacon: a trolley stands for hours, and is then pushed to another place.
    private static func way(
        of kind: Actor.Kind, in rooms: Rooms, during span: Range<Instant>, random: inout RandomStream
    ) -> ActorPath {
        func place() -> FloorPoint { somewhere(in: random.below(rooms.count), of: rooms, random: &random) }
        var path = ActorPath(from: place(), at: span.lowerBound)
        while kind == .cart {
            let rest = TimeSpan.seconds(600 + random.exponential(mean: 7_200))
            let next = place()
            let pace_m_s = random.uniform(0.3..<0.8)
            let there = path.end + rest + .seconds(path.position(at: path.end).distance_m(to: next) / pace_m_s)
            guard there < span.upperBound else { break }
            path.stay(rest)
            path.walk(to: next, speed_m_s: pace_m_s)
        }
        path.stay(span.upperBound - path.end)
        return path
    }
}
