extension StoreScenario {
    package struct ChainStore: Hashable, Sendable {
        /// The rooms, each with a gateway in its middle.
        var rooms: Rooms
        /// The opening hours, from the beginning of each day of 24 hours. The first day begins with the scenario.
        var hours: Range<TimeSpan>
        /// The visitors, who arrive at random (Poisson) while the store is open.
        var visitorsPerHour = 60.0
        /// The trolleys, which are reused. A trolley that stands still is silent, as beacons with a motion sensor are.
        var carts = 30
        /// The devices of other people, iBeacons and not, by day and by night.
        var neighbours = 8

        package init(rooms: Rooms, hours: Range<TimeSpan>) {
            self.rooms = rooms
            self.hours = hours
        }
    }

    /// Returns a store with rooms on one floor or several, and with opening hours. People come with a trolley, with a
    /// phone that rotates its address, or with both. They go from room to room and up and down the stairs, and have
    /// left some minutes after closing.
    ///
    /// Phones have major 2 and a minor each until 65,535 have come; trolleys have major 1. One seed gives the same
    /// people for any listening gateway.
    ///
    /// - Parameter listening: the room whose gateway hears the capture.
    package static func chain(seed: UInt64, duration: TimeSpan, store: ChainStore, listening: Int) -> StoreScenario {
        let rooms = store.rooms
        var random = RandomStream(seed: seed)
        var actors = neighbours(
            around: rooms.middle(of: 0), duration: duration, count: store.neighbours, random: &random)
        var trolleys = Trolleys(count: store.carts, random: &random)
        var phones: UInt16 = 0
        for visit in visits(to: store, for: duration, random: &random) {
            let cart = random.chance(0.5) ? trolleys.take(for: visit) : nil
            if let cart { actors.append(cart) }
            guard cart == nil || random.chance(0.6) else { continue }
            phones = phones == .max ? 1 : phones + 1
            actors.append(
                Actor(
                    beacon: BeaconIdentity(uuid: storeUUID, major: phoneMajor, minor: phones), kind: .phone,
                    interval: .milliseconds(200), path: visit,
                    addresses: AddressSpan.rotatingEveryQuarterHour(for: visit, random: &random)))
        }
        var scenario = StoreScenario(
            name: "chain", duration: duration, gateway: rooms.middle(of: listening), actors: actors)
        scenario.rooms = rooms
        return scenario
    }

    /// Returns the paths of all visitors, in the order of arrival.
    private static func visits(
        to store: ChainStore, for duration: TimeSpan, random: inout RandomStream
    ) -> [ActorPath] {
        guard store.visitorsPerHour > 0 else { return [] }
        var visits: [ActorPath] = []
        var day = Instant.origin
        while day < .origin + duration {
            let closes = day + store.hours.upperBound
            var at = day + store.hours.lowerBound
            while true {
                at += .seconds(random.exponential(mean: 3600 / store.visitorsPerHour))
                guard at < closes, at < .origin + duration else { break }
                visits.append(visit(store.rooms, at: at, closes: closes, random: &random))
            }
            day += .seconds(86_400)
        }
        return visits
    }
}

/// A store's trolleys. Each keeps one identity and one address, and carries one visitor at a time.
private struct Trolleys {
    private var addresses: [DeviceAddress]
    /// The times at which the trolleys are back at the door.
    private var backAt: [Instant]

    init(count: Int, random: inout RandomStream) {
        // The two top bits 11: static random, which never rotates.
        addresses = (0..<max(0, count)).map { _ in DeviceAddress(bits: random.next() | 0xC000_0000_0000, type: .random)
        }
        backAt = addresses.map { _ in .origin }
    }

    /// Returns the first trolley at the door, as an actor on the visit's path; `nil` where all are in use.
    mutating func take(for visit: ActorPath) -> Actor? {
        // A trolley that was put back stands still for a while before the next visitor takes it.
        guard let index = backAt.firstIndex(where: { $0 + .seconds(60) <= visit.start || $0 == .origin }) else {
            return nil
        }
        backAt[index] = visit.end
        return Actor(
            beacon: BeaconIdentity(
                uuid: StoreScenario.storeUUID, major: StoreScenario.cartMajor,
                minor: UInt16(truncatingIfNeeded: index + 1)),
            kind: .cart, interval: .milliseconds(300), path: visit,
            addresses: [AddressSpan(address: addresses[index], from: visit.start, until: visit.end)])
    }
}
