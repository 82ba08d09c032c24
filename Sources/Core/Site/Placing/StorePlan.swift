/// The known zones, floors and positions of a store's gateways.
struct StorePlan: Sendable {
    /// A zone: its index in `names`, 0 to 127. At most 64 have a gateway, and at most 64 others were walked.
    struct Zone: Hashable, Sendable {
        private let octet: UInt8

        var number: Int { Int(octet) }

        init(number: Int) { octet = UInt8(clamping: number) }
    }

    /// The place of one gateway, indexed by `GatewayIndex`.
    private struct Spot: Sendable {
        var zone: Zone
        var floor: Int
        var position: SiteSettings.PlanPoint?
        var offset_db: Double
    }

    private(set) var names: [String] = []
    private var spots: [Spot] = []
    /// The learned offsets by gateway. One that the configuration names counts instead.
    private var learned_db: [String: Double] = [:]
    /// The zone map, and the ids of the gateways to which it belongs.
    private var map = ZoneMap()
    private var ids: [String] = []
    /// The zone map as it weighs zones; `nil` without one.
    private(set) var vectors: ZoneVectors?
    /// The zones with a gateway, by their numbers.
    private var hasGateway: [Bool] = []
    /// The zones in which no beacon can be: they have no gateway, and are in no zone map any more.
    private(set) var vacant: [Int] = []

    init(_ gateways: StoreGateways) { update(gateways) }

    /// Adds new gateways.
    mutating func update(_ gateways: StoreGateways) {
        guard gateways.all.count > spots.count else { return }
        for gateway in gateways.all.dropFirst(spots.count) {
            let number = add(gateway.settings.zone)
            hasGateway[number] = true
            ids.append(gateway.settings.id)
            spots.append(
                Spot(
                    zone: Zone(number: number), floor: gateway.settings.floor, position: gateway.settings.position,
                    offset_db: offset_db(of: gateway.settings)))
        }
        if vectors != nil || !vacant.isEmpty { makeVectors() }
    }

    /// Returns the number of a zone, which it gets here if it is new.
    private mutating func add(_ name: String) -> Int {
        if let known = names.firstIndex(of: name) { return known }
        names.append(name)
        hasGateway.append(false)
        return names.count - 1
    }

    /// Uses another zone map from now on; `nil` for none.
    ///
    /// - Returns: the zones for which there is no room. A zone without a gateway that was walked once keeps its place until
    ///   the process ends.
    mutating func use(_ map: ZoneMap?) -> [String] {
        var refused: [String] = []
        for zone in map?.zones ?? [] where !names.contains(zone.name) {
            if hasGateway.count(where: { !$0 }) < ZoneMap.maxZones {
                _ = add(zone.name)
            } else {
                refused.append(zone.name)
            }
        }
        self.map = map ?? ZoneMap()
        makeVectors()
        return refused
    }

    private mutating func makeVectors() {
        let zones = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let made = ZoneVectors(map, zones: zones, ids: ids)
        vectors = made.isEmpty ? nil : made
        vacant = names.indices.filter { !hasGateway[$0] && vectors?.hasWalked($0) != true }
    }

    /// Returns whether a report by a gateway shows that a beacon is still in a zone: a gateway of the zone does, and one
    /// that heard the walk there.
    func isOwn(_ gateway: GatewayIndex, of zone: Zone) -> Bool {
        self.zone(of: gateway) == zone || vectors?.isWitness(gateway, of: zone.number) == true
    }

    /// Uses other learned offsets from now on.
    mutating func use(_ learned_db: [String: Double], _ gateways: StoreGateways) {
        self.learned_db = learned_db
        for (number, gateway) in gateways.all.enumerated() where number < spots.count {
            spots[number].offset_db = offset_db(of: gateway.settings)
        }
    }

    private func offset_db(of gateway: SiteSettings.Gateway) -> Double {
        gateway.rssiOffset_db ?? learned_db[gateway.id] ?? 0
    }

    var gatewayCount: Int { spots.count }

    func zone(of gateway: GatewayIndex) -> Zone { spots[gateway.number].zone }

    func floor(of gateway: GatewayIndex) -> Int { spots[gateway.number].floor }

    func position(of gateway: GatewayIndex) -> SiteSettings.PlanPoint? { spots[gateway.number].position }

    func offset_db(of gateway: GatewayIndex) -> Double { spots[gateway.number].offset_db }

    /// Returns a level without its gateway's offset, dBm.
    func received_dbm(_ level: HeardLevels.Level) -> Double { level.level_dbm - offset_db(of: level.gateway) }

    package func name(of zone: Zone) -> String { names[zone.number] }
}

/// A zone of a region of the store. It is inside while any beacon of the region is in the zone.
struct StoreZone: StoreInstance {
    let id: RegionInstanceID
    let region: StoreRegionSlot
    var machine: RegionStateMachine
    /// The last event of the zone: no later event has an earlier time.
    var publishedAt = Instant.origin
    /// The number of the region's beacons in it.
    var members = 0
    /// The data of the last beacon in it.
    var cause: StoreRegion.Cause?

    init(_ id: RegionInstanceID, of region: StoreRegionSlot, at now: Instant) {
        self.id = id
        self.region = region
        machine = RegionStateMachine(notices: RegionStateMachine.Notices(onEntry: true, onExit: true), at: now)
        // The zone is new, so it was empty.
        _ = machine.begin(isSettling: false, isBlind: false, at: now)
    }

    /// True if a restored zone is inside although no beacon was found in it since.
    var isDeserted: Bool { members == 0 && machine.presence != nil }

    /// Adds a beacon. A visit does not begin before the last event of the zone.
    ///
    /// - Parameter wasThere: whether no gateway saw it come, so that it is no crossing.
    mutating func enter(since: Instant, wasThere: Bool, at now: Instant) -> RegionStateMachine.Change? {
        members += 1
        if machine.presence != nil { return machine.heard(until: .distantFuture, at: now) }
        if wasThere { _ = machine.begin(isSettling: true, isBlind: false, at: now) }
        return machine.inside(since: max(since, publishedAt), at: now)
    }

    /// Removes a beacon that was in the zone until then.
    mutating func leave(until last: Instant, at now: Instant) -> RegionStateMachine.Change? {
        members = max(0, members - 1)
        return members == 0 ? empty(until: last, at: now) : nil
    }

    mutating func empty(until last: Instant, at now: Instant) -> RegionStateMachine.Change? {
        members = 0
        if let presence = machine.presence, !presence.isRestored {
            machine.perceived(at: max(presence.enteredAt, min(last, now)))
        }
        return machine.outside(at: max(now, machine.presence?.enteredAt ?? machine.since))
    }
}
