extension StoreScenario {
    /// The UUID of the shop's phones and trolleys: that of `[[region]] id = "carts"` in the project's `config.toml`.
    static let storeUUID = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)
    /// The UUID of shelf beacons, which never leave and would keep a region of `storeUUID` occupied.
    static let shelfUUID = ProximityUUID(high: 0x5A1C_0F5E_77B4_4C0D, low: 0x9E0B_6D2A_11E8_40C3)
    /// The UUID of beacons of other owners.
    static let foreignUUID = ProximityUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

    /// Returns the shop of the first run: every event that a subscriber can see happens within a minute.
    ///
    /// The region settles in an empty shop for 10 s. Then visitors come in waves of two phones and a trolley, 48 s
    /// apart:
    ///
    ///     second of the wave   0     the first phone comes in: enter
    ///                          2     the second phone and its trolley: the count rises to 3
    ///                          12    the first phone rotates its address: the count stays
    ///                          12…   it comes within half a metre and goes again
    ///                          23    the last is gone; 20 s later: exit
    ///
    /// A real phone rotates every 15 minutes; here it happens while a person watches.
    package static func firstRun(seed: UInt64, duration: TimeSpan = .seconds(600)) -> StoreScenario {
        let gateway = FloorPoint(x_m: 2, y_m: 8)
        var random = RandomStream(seed: seed)
        var actors = neighbours(around: gateway, duration: duration, count: 8, random: &random)
        var minor: UInt16 = 0
        var start = Instant.origin + .seconds(11)
        while start < .origin + duration {
            actors += wave(at: start, firstMinor: minor, gateway: gateway, random: &random)
            minor = minor &+ 3
            start += .seconds(48)
        }
        return StoreScenario(name: "first-run", duration: duration, gateway: gateway, actors: actors)
    }

    private static func wave(
        at start: Instant, firstMinor: UInt16, gateway: FloorPoint, random: inout RandomStream
    ) -> [Actor] {
        let door = FloorPoint(x_m: 0, y_m: 0)
        let pace_m_s = random.uniform(1.3..<1.5)
        let closeUp = closeUp(to: gateway, from: door, at: start, pace_m_s: pace_m_s)

        var passing = ActorPath(from: door, at: start + .seconds(2))
        passing.walk(to: FloorPoint(x_m: gateway.x_m + 3, y_m: gateway.y_m - 2), speed_m_s: pace_m_s)
        passing.stay(.seconds(7))
        passing.walk(to: door, speed_m_s: pace_m_s)

        func identity(_ offset: UInt16, major: UInt16) -> BeaconIdentity {
            BeaconIdentity(uuid: storeUUID, major: major, minor: firstMinor &+ offset)
        }
        return [
            watchedPhone(identity(1, major: phoneMajor), closeUp, random: &random),
            Actor(
                beacon: identity(2, major: phoneMajor), kind: .phone, interval: .milliseconds(100), path: passing,
                addresses: AddressSpan.rotating(for: passing, at: [], random: &random)),
            Actor(
                beacon: identity(3, major: cartMajor), kind: .cart, interval: .milliseconds(300), path: passing,
                addresses: AddressSpan.fixed(for: passing, random: &random)),
        ]
    }

    /// The way of a phone that comes within half a metre of a gateway and goes again.
    private static func closeUp(
        to gateway: FloorPoint, from door: FloorPoint, at start: Instant, pace_m_s: Double
    ) -> ActorPath {
        var path = ActorPath(from: door, at: start)
        path.walk(to: FloorPoint(x_m: gateway.x_m - 1.2, y_m: gateway.y_m), speed_m_s: pace_m_s)
        path.stay(.seconds(6))
        path.walk(to: FloorPoint(x_m: gateway.x_m - 0.3, y_m: gateway.y_m), speed_m_s: pace_m_s)
        path.stay(.seconds(5))
        path.walk(to: door, speed_m_s: pace_m_s)
        return path
    }

    /// A phone that changes its address 12 s after it came.
    private static func watchedPhone(
        _ identity: BeaconIdentity, _ path: ActorPath, random: inout RandomStream
    ) -> Actor {
        Actor(
            beacon: identity, kind: .phone, interval: .milliseconds(100), path: path,
            addresses: AddressSpan.rotating(for: path, at: [path.start + .seconds(12)], random: &random))
    }

    /// How often the first phone comes to a shop of several rooms. Its visit and the silence until its exit are shorter.
    static let firstPhonePeriod = TimeSpan.seconds(120)

    /// A visit of the scenario's first phone, `2/1`, on the same way to the gateway of a shop of several rooms.
    static func firstPhone(of rooms: Rooms, at start: Instant, random: inout RandomStream) -> Actor {
        let path = closeUp(to: rooms.middle(of: 0), from: rooms.door, at: start, pace_m_s: 1.4)
        return watchedPhone(BeaconIdentity(uuid: storeUUID, major: phoneMajor, minor: 1), path, random: &random)
    }

    /// The major of trolleys.
    static let cartMajor: UInt16 = 1
    /// The major of phones.
    static let phoneMajor: UInt16 = 2
}
