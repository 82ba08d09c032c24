/// The beacons of a chain of stores, and what becomes of each of them: the world of the scenario `fleet`.
///
/// Each store has `perStore` registered beacons on shelves and trolleys. One in ten dies, one is taken to another
/// store, and strangers come. One store is deaf for a long time.
package struct BeaconFleet: Hashable, Sendable {
    /// The registered beacons of a store.
    static let perStore = 20
    /// The registered beacons of a store that die: of the battery and suddenly, by turns.
    static let deathsPerStore = 2
    /// The beacons that come to a store, stay for a while, and are in no register.
    static let strangersPerStore = 2
    /// The major of strangers. Registered beacons have the number of their store.
    static let strangersMajor: UInt16 = 60_000

    /// A stay in a store, counted from 0. A beacon sends from its first moment to the one before its last.
    struct Stay: Hashable, Sendable {
        var store: Int
        var from: Instant
        var until: Instant
    }

    struct Beacon: Hashable, Sendable {
        var identity: BeaconIdentity
        var kind: Actor.Kind
        /// The store of its register line; `nil` for a stranger.
        var home: Int?
        var interval: TimeSpan
        var address: DeviceAddress
        var battery: BeaconBattery
        var stays: [Stay]
        var diedAt: Instant?
    }

    var duration: TimeSpan
    package var stores: Int
    /// The beacons in the order of their stores.
    var beacons: [Beacon]
    /// The store in which no gateway hears anything for the time of `deaf`: the last one.
    var deafStore: Int
    var deaf: Range<Instant>

    /// Returns the beacons of a chain. One seed gives the same beacons with the same fate.
    package init(seed: UInt64, duration: TimeSpan, stores: Int) {
        self.duration = duration
        self.stores = max(1, stores)
        self.deafStore = self.stores - 1
        let begin = Instant.origin + .seconds(duration.seconds / 4)
        self.deaf = begin..<begin + min(.seconds(7 * 86_400), .seconds(duration.seconds * 7 / 12))
        self.beacons = []
        for store in 0..<self.stores {
            var random = RandomStream(seed: seed, index: store)
            beacons += registered(in: store, random: &random)
            for number in 1...Self.strangersPerStore {
                beacons.append(stranger(number, in: store, random: &random))
            }
        }
    }

    private func registered(in store: Int, random: inout RandomStream) -> [Beacon] {
        var fleet = (1...Self.perStore).map { minor in
            beacon(
                BeaconIdentity(
                    uuid: StoreScenario.storeUUID, major: UInt16(truncatingIfNeeded: store + 1),
                    minor: UInt16(truncatingIfNeeded: minor)),
                home: store, stay: Stay(store: store, from: .origin, until: .origin + duration), random: &random)
        }
        var others = Array(fleet.indices)
        for number in 0..<Self.deathsPerStore {
            let chosen = others.remove(at: random.below(others.count))
            fleet[chosen].die(at: instant(0.1..<0.6, random: &random), ofBattery: number % 2 == 0, random: &random)
        }
        if stores > 1 {
            let chosen = others.remove(at: random.below(others.count))
            let left = instant(0.15..<0.5, random: &random)
            let other = (store + 1 + random.below(stores - 1)) % stores
            // A van brings it there in some hours.
            let arrived = left + .seconds(random.uniform(0.005..<0.02) * duration.seconds)
            fleet[chosen].stays = [
                Stay(store: store, from: .origin, until: left),
                Stay(store: other, from: arrived, until: .origin + duration),
            ]
        }
        return fleet
    }

    private func stranger(_ number: Int, in store: Int, random: inout RandomStream) -> Beacon {
        let from = instant(0.1..<0.5, random: &random)
        let until = min(from + .seconds(random.uniform(0.1..<0.5) * duration.seconds), .origin + duration)
        return beacon(
            BeaconIdentity(
                uuid: StoreScenario.storeUUID, major: Self.strangersMajor,
                minor: UInt16(truncatingIfNeeded: store * Self.strangersPerStore + number)),
            home: nil, stay: Stay(store: store, from: from, until: until), random: &random)
    }

    private func beacon(
        _ identity: BeaconIdentity, home: Int?, stay: Stay, random: inout RandomStream
    ) -> Beacon {
        let formats = TelemetryFormat.allCases
        let battery = BeaconBattery(
            format: formats[Int(identity.minor) % formats.count], used_percent: random.uniform(0..<50),
            dailyUse_percent: random.uniform(0.2..<1.5))
        return Beacon(
            identity: identity, kind: random.chance(0.5) ? .cart : .shelf, home: home,
            interval: .seconds(random.uniform(40..<58)),
            address: DeviceAddress(bits: random.next() | 0xC000_0000_0000, type: .random), battery: battery,
            stays: [stay])
    }

    private func instant(_ share: Range<Double>, random: inout RandomStream) -> Instant {
        .origin + .seconds(random.uniform(share) * duration.seconds)
    }
}

extension BeaconFleet.Beacon {
    /// The time at which it leaves its first store for another one; `nil` for most.
    var movedAt: Instant? { stays.count > 1 ? stays[0].until : nil }
    /// The store that it is in from then on.
    var movedTo: Int? { stays.count > 1 ? stays[1].store : nil }

    /// - Parameter ofBattery: whether its battery ends; otherwise it just stops.
    fileprivate mutating func die(at instant: Instant, ofBattery: Bool, random: inout RandomStream) {
        diedAt = instant
        for index in stays.indices { stays[index].until = min(stays[index].until, instant) }
        guard ofBattery else { return }
        battery.used_percent = random.uniform(60..<80)
        battery.dailyUse_percent = (100 - battery.used_percent) * 86_400 / max(1, (instant - .origin).seconds)
    }
}
