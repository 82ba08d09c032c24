/// A walk through the zones of a store with one beacon: what each gateway hears, second by second.
///
/// The walk has stretches. Each is a pass through one zone, and a zone may have several.
package struct ZoneWalk: Sendable {
    /// The levels of one second by gateway, dBm.
    typealias Levels = [String: Double]

    /// A pass through a zone.
    struct Stretch: Hashable, Sendable {
        var zone: String
        /// The seconds in which any gateway heard the beacon.
        var seconds: [Levels] = []
        /// The seconds in which none did.
        var silent = 0
    }

    /// The level of a gateway in one list.
    private struct Heard: Sendable {
        var level_dbm: Double
        var at: Instant
    }

    /// The seconds of a pass that do not count: gateways smooth what they heard on the way.
    static let settling = TimeSpan.seconds(2)
    /// The time after which a level does not count unless it is listed again. Gateways list unchanged levels every 10 s.
    static let memory = TimeSpan.seconds(12)
    /// A longer pause of the process is no part of the walk.
    private static let longestPause = TimeSpan.seconds(10)
    static let maxSeconds = 21_600
    static let maxStretches = 1_024
    private static let maxIdentities = 8

    private let target: BeaconIdentityConstraint
    /// The zone map before the walk.
    private var former = ZoneMap()
    private(set) var stretches: [Stretch] = []
    /// The zone of the present pass; `nil` between two.
    package private(set) var zone: String?
    /// The identities that match the target.
    private var identities: Set<BeaconIdentity> = []
    private var heard: [String: [RegionInstanceID: Heard]] = [:]
    /// The time until which several beacons send the identity.
    private var duplicatedUntil = Instant.origin
    private var nextSecond = Instant.distantFuture
    private var seconds = 0

    package init(_ target: BeaconIdentityConstraint) { self.target = target }

    /// Takes the zone map that the store has.
    package mutating func receive(_ former: ZoneMap?) { self.former = former ?? ZoneMap() }

    /// Takes a gateway's message.
    package mutating func receive(_ message: GatewayMessage, at now: Instant) {
        switch message.content {
        case .status(let payload) where !payload.isOnline: heard[message.gateway] = nil
        case .ranging(let payload): receive(payload.list, from: message.gateway, at: now)
        case .status, .event, .state, .cleared, .beacons: break
        }
    }

    private mutating func receive(_ list: ListedBeacons, from gateway: String, at now: Instant) {
        let matching = list.beacons.filter { target.matches($0.identity) }
        for beacon in matching where identities.count < Self.maxIdentities { identities.insert(beacon.identity) }
        if matching.contains(where: \.isDuplicate) { duplicatedUntil = now + Self.memory }
        guard heard[gateway] != nil || heard.count < ZoneMap.maxGateways else { return }
        let level_dbm = matching.lazy.compactMap(\.presentLevel_dbm).max()
        heard[gateway, default: [:]][list.instance] = level_dbm.map { Heard(level_dbm: $0, at: now) }
    }

    /// Begins a pass through a zone, and ends the one before.
    package mutating func enter(_ zone: String, at now: Instant) {
        self.zone = zone
        nextSecond = now + Self.settling + .seconds(1)
        if stretches.count < Self.maxStretches { stretches.append(Stretch(zone: zone)) }
    }

    /// Ends the pass.
    package mutating func leave() {
        zone = nil
        nextSecond = .distantFuture
    }

    /// Counts the seconds until then.
    package mutating func advance(to now: Instant) {
        guard nextSecond <= now else { return }
        if now - nextSecond > Self.longestPause { nextSecond = now }
        while nextSecond <= now {
            take(levels(at: nextSecond))
            nextSecond = nextSecond + .seconds(1)
        }
    }

    private mutating func take(_ levels: Levels) {
        guard let last = stretches.indices.last, stretches[last].zone == zone, seconds < Self.maxSeconds else { return }
        seconds += 1
        if levels.isEmpty { stretches[last].silent += 1 } else { stretches[last].seconds.append(levels) }
    }

    /// Returns whether several beacons send the identity now, so that the levels are of none of them.
    func isDuplicated(at now: Instant) -> Bool { now < duplicatedUntil }

    /// Returns the present level at each gateway that hears the beacon.
    func levels(at now: Instant) -> Levels {
        heard.compactMapValues { lists in
            lists.values.filter { now - $0.at <= Self.memory }.max { $0.at < $1.at }?.level_dbm
        }
    }
}

/// The result of a walk.
extension ZoneWalk {
    /// The beacons that match, where they are several.
    package var severalBeacons: [BeaconIdentity] {
        identities.count > 1 ? identities.sorted { ($0.major, $0.minor) < ($1.major, $1.minor) } : []
    }

    package var formerZones: [String] { former.zones.map(\.name) }

    /// The seconds of a zone that count.
    package func seconds(in zone: String) -> Int {
        stretches.reduce(0) { $0 + ($1.zone == zone ? $1.seconds.count : 0) }
    }

    package static var leastSeconds: Int { WalkedMap.leastSeconds }

    /// True if a zone was walked for long enough.
    package var hasZones: Bool { !WalkedMap(stretches).map.zones.isEmpty }

    /// The zone map of the store after the walk: zones that were walked now replace those of the former map.
    package var map: ZoneMap { former.updated(with: WalkedMap(stretches).map) }

    /// The zones that were walked now, and how surely the map tells each, by their names.
    package var picture: [WalkedZone] { WalkedMap(stretches).judged(beside: former) }
}
