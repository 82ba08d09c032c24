/// Where the gateways of a store stand, as far as that is known: their zones, floors and places.
package struct StorePlan: Sendable {
    /// A zone, by its place in `names`: 0 to 63, because each is that of a gateway.
    package struct Zone: Hashable, Sendable {
        private let octet: UInt8

        var number: Int { Int(octet) }

        init(number: Int) { octet = UInt8(clamping: number) }
    }

    /// What is known of one gateway, by `GatewayIndex`.
    private struct Spot: Sendable {
        var zone: Zone
        var floor: Int
        var position: SiteSettings.PlanPoint?
        var offset_db: Double
    }

    private(set) var names: [String] = []
    private var spots: [Spot] = []

    package init(_ gateways: StoreGateways) { update(gateways) }

    /// Takes gateways in that are new.
    mutating func update(_ gateways: StoreGateways) {
        for gateway in gateways.all.dropFirst(spots.count) {
            let name = gateway.settings.zone
            let number = names.firstIndex(of: name) ?? names.count
            if number == names.count { names.append(name) }
            spots.append(
                Spot(
                    zone: Zone(number: number), floor: gateway.settings.floor, position: gateway.settings.position,
                    offset_db: gateway.settings.rssiOffset_db))
        }
    }

    func zone(of gateway: GatewayIndex) -> Zone { spots[gateway.number].zone }

    func floor(of gateway: GatewayIndex) -> Int { spots[gateway.number].floor }

    func position(of gateway: GatewayIndex) -> SiteSettings.PlanPoint? { spots[gateway.number].position }

    func offset_db(of gateway: GatewayIndex) -> Double { spots[gateway.number].offset_db }

    package func name(of zone: Zone) -> String { names[zone.number] }
}

/// A zone of a region of the store: inside while any beacon of the region is in the zone.
struct StoreZone: StoreInstance {
    let id: RegionInstanceID
    /// The region that it is a zone of.
    let region: StoreRegionSlot
    var standing: RegionStanding
    /// When an entry or an exit was told last: nothing that is told later is older.
    var toldAt = Instant.origin
    /// How many beacons of the region are there.
    var members = 0
    /// Of the beacon that was there last.
    var cause: StoreRegion.Cause?

    init(_ id: RegionInstanceID, of region: StoreRegionSlot, at now: Instant) {
        self.id = id
        self.region = region
        standing = RegionStanding(notices: RegionStanding.Notices(onEntry: true, onExit: true), at: now)
        // Nobody has heard of it before, so it was empty.
        _ = standing.begin(isSettling: false, isBlind: false, at: now)
    }

    /// Whether somebody is told to be there, by an earlier process, and nobody was found there since.
    var isDeserted: Bool { members == 0 && standing.presence != nil }

    /// A beacon is there.
    ///
    /// - Parameter wasThere: nobody has seen it come, so it is no crossing.
    mutating func enter(since: Instant, wasThere: Bool, at now: Instant) -> RegionStanding.Change? {
        members += 1
        if standing.presence != nil { return standing.heard(until: .distantFuture, at: now) }
        if wasThere { _ = standing.begin(isSettling: true, isBlind: false, at: now) }
        return standing.inside(since: since, at: now)
    }

    /// A beacon was there until then.
    mutating func leave(until last: Instant, at now: Instant) -> RegionStanding.Change? {
        members = max(0, members - 1)
        return members == 0 ? empty(until: last, at: now) : nil
    }

    /// Nobody is there any more.
    mutating func empty(until last: Instant, at now: Instant) -> RegionStanding.Change? {
        members = 0
        if let presence = standing.presence, !presence.isRestored {
            standing.perceived(at: max(presence.enteredAt, min(last, now)))
        }
        return standing.outside(at: max(now, standing.presence?.enteredAt ?? standing.since))
    }
}
