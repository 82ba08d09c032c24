import RealModule

extension StoreScenario {
    /// The amount of activity in `crowd`.
    package struct Crowd: Hashable, Sendable {
        /// The visitors with a phone, who arrive at random (Poisson).
        var visitorsPerHour = 60.0
        /// The median length of a visit.
        var medianStay_s = 600.0
        /// The phones that are there all the time, carried about. Each rotates every quarter of an hour.
        var staff = 4
        /// The trolleys with a static address, pushed about now and then.
        var carts = 10
        /// The shelf beacons of `shelfUUID`, with intervals of 1 s up to slow ones of 2 to 10 s.
        var shelves = 8
        /// The devices of other people, iBeacons and not.
        var neighbours = 20

        package init() {}
    }

    /// Returns a shop of 20 m by 30 m on a working day. Phones have major 2 (staff minor from 60,000), trolleys major
    /// 1.
    ///
    /// Each identity is used once until 60,000 visitors have come.
    package static func crowd(seed: UInt64, duration: TimeSpan, crowd: Crowd = Crowd()) -> StoreScenario {
        let gateway = FloorPoint(x_m: 4, y_m: 12)
        var random = RandomStream(seed: seed)
        var actors = neighbours(around: gateway, duration: duration, count: crowd.neighbours, random: &random)
        for number in 0..<max(0, crowd.shelves) {
            actors.append(shelf(number, duration: duration, random: &random))
        }
        for number in 0..<max(0, crowd.carts) {
            let path = wander(from: place(random: &random), at: .origin, for: duration, rest_s: 240, random: &random)
            actors.append(
                Actor(
                    beacon: identity(major: cartMajor, number), kind: .cart, interval: .milliseconds(500), path: path,
                    addresses: AddressSpan.fixed(for: path, random: &random)))
        }
        for number in 0..<max(0, crowd.staff) {
            let path = wander(from: place(random: &random), at: .origin, for: duration, rest_s: 60, random: &random)
            actors.append(phone(60_000 + number, path: path, random: &random))
        }
        actors += visitors(crowd, duration: duration, random: &random)
        return StoreScenario(name: "crowd", duration: duration, gateway: gateway, actors: actors)
    }

    private static func visitors(_ crowd: Crowd, duration: TimeSpan, random: inout RandomStream) -> [Actor] {
        guard crowd.visitorsPerHour > 0 else { return [] }
        let door = FloorPoint(x_m: 0, y_m: 0)
        var actors: [Actor] = []
        var at = Instant.origin + .seconds(random.exponential(mean: 3600 / crowd.visitorsPerHour))
        while at < .origin + duration {
            let stay_s = crowd.medianStay_s * Double.exp(0.6 * random.normal())
            var path = wander(from: door, at: at, for: .seconds(stay_s), rest_s: 40, random: &random)
            path.walk(to: door, speed_m_s: random.uniform(0.9..<1.5))
            actors.append(phone(actors.count % 60_000, path: path, random: &random))
            at += .seconds(random.exponential(mean: 3600 / crowd.visitorsPerHour))
        }
        return actors
    }

    private static func phone(_ minor: Int, path: ActorPath, random: inout RandomStream) -> Actor {
        Actor(
            beacon: identity(major: phoneMajor, minor), kind: .phone, interval: .milliseconds(100), path: path,
            addresses: AddressSpan.rotatingEveryQuarterHour(for: path, random: &random))
    }

    private static func shelf(_ number: Int, duration: TimeSpan, random: inout RandomStream) -> Actor {
        var path = ActorPath(from: place(random: &random), at: .origin)
        path.stay(duration)
        let interval_s = number % 2 == 0 ? 1 : random.uniform(2..<10)
        let identity = BeaconIdentity(uuid: shelfUUID, major: 1, minor: UInt16(truncatingIfNeeded: number))
        return Actor(
            beacon: identity, kind: .shelf, interval: .seconds(interval_s), path: path,
            addresses: AddressSpan.fixed(for: path, random: &random))
    }

    private static func identity(major: UInt16, _ minor: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: storeUUID, major: major, minor: UInt16(truncatingIfNeeded: minor))
    }

    private static func place(random: inout RandomStream) -> FloorPoint {
        FloorPoint(x_m: random.uniform(-10..<10), y_m: random.uniform(1..<30))
    }

    /// Returns a path from place to place with rests of `rest_s` on average, until `span` has passed.
    private static func wander(
        from start: FloorPoint, at instant: Instant, for span: TimeSpan, rest_s: Double, random: inout RandomStream
    ) -> ActorPath {
        var path = ActorPath(from: start, at: instant)
        let end = instant + span
        while path.end < end {
            path.walk(to: place(random: &random), speed_m_s: random.uniform(0.6..<1.4))
            path.stay(min(.seconds(random.exponential(mean: rest_s)), max(.zero, end - path.end)))
        }
        return path
    }
}
