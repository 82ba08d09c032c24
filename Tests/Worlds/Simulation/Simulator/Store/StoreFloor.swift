@testable import Core

/// The floor of a store, with one gateway in each of its zones: the visitors' ways, and the reception.
struct StoreFloor {
    /// A person with a beacon.
    struct Visitor {
        /// A stay in one zone.
        struct Stop {
            var zone: Int
            var span: Range<Instant>
        }

        var identity: BeaconIdentity
        var address: DeviceAddress
        var interval: TimeSpan
        /// In order of time. Between two stops the visitor may be outside the store.
        var stops: [Stop]

        func zone(at instant: Instant) -> Int? { stops.first { $0.span.contains(instant) }?.zone }
    }

    private(set) var visitors: [Visitor] = []
    let zoneCount: Int
    /// Whether walls stop all beacons of other zones.
    private let hasWalls: Bool
    private var chance: Chance

    init(seed: UInt64, zones: Int, duration: TimeSpan) {
        chance = Chance(seed: seed, stream: "floor")
        zoneCount = zones
        hasWalls = chance.happens(0.4)
        for number in 1...chance.number(2...4) {
            visitors.append(
                Visitor(
                    identity: BeaconIdentity(uuid: Shop.uuid, major: 1, minor: UInt16(number)),
                    address: Device.staticAddress(&chance), interval: chance.span(0.5, 1.1), stops: []))
            visitors[number - 1].stops = stops(until: .origin + duration)
        }
    }

    /// Visits of one or several zones each; a visitor who is there at the end stays for good.
    private mutating func stops(until end: Instant) -> [Visitor.Stop] {
        var stops: [Visitor.Stop] = []
        var at = Instant.origin + chance.spread(0.5, 60)
        while at < end {
            for _ in 0..<chance.number(1...4) where at < end {
                let leaves = at + (chance.happens(0.15) ? chance.span(1, 6) : chance.spread(10, 120))
                let zone = chance.number(0...zoneCount - 1)
                stops.append(Visitor.Stop(zone: zone, span: at..<(leaves < end ? leaves : .distantFuture)))
                at = leaves
            }
            at += chance.spread(3, 90)
        }
        return stops
    }

    /// The time of a visitor's next advertisement.
    mutating func nextTime(_ visitor: Int, after now: Instant) -> Instant {
        now + visitors[visitor].interval + chance.span(0, 0.01)
    }

    /// The level at which the gateway of each zone hears a visitor now, dBm; `nil` where it does not.
    mutating func levels_dbm(of visitor: Int, at now: Instant) -> [Int8?] {
        let place = visitors[visitor].zone(at: now)
        return (0..<zoneCount).map { zone in
            // The same random numbers are drawn, whichever gateway hears it.
            let (noise_db, isLost) = (chance.number(-4...4), chance.happens(0.05))
            guard let place, !isLost else { return nil }
            switch abs(place - zone) {
            case 0: return Int8(-52 + noise_db)
            case 1 where !hasWalls: return Int8(-70 + noise_db)
            case 2 where !hasWalls: return Int8(-84 + noise_db)
            default: return nil
            }
        }
    }
}

/// The times at which each gateway of a store truly heard each beacon.
struct HearingLog {
    private struct Pair: Hashable {
        var identity: BeaconIdentity
        var gateway: Int
    }

    private var times: [Pair: [Instant]] = [:]

    mutating func record(_ identity: BeaconIdentity, by gateway: Int, at now: Instant) {
        times[Pair(identity: identity, gateway: gateway), default: []].append(now)
    }

    /// Whether a beacon was heard within that time.
    func has(_ identity: BeaconIdentity, by gateway: Int, from first: Instant, to last: Instant) -> Bool {
        let times = times[Pair(identity: identity, gateway: gateway)] ?? []
        return times.last { $0 <= last }.map { $0 >= first } ?? false
    }
}
