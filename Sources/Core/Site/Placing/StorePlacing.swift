/// The slots of a beacon and of a region's zone in a store.
struct StoreBeaconSlot: SlotNumber, Comparable {
    let number: UInt32

    static func < (left: StoreBeaconSlot, right: StoreBeaconSlot) -> Bool { left.number < right.number }
}
struct StoreZoneSlot: SlotNumber {
    let number: UInt32
}

/// The places in a store: the beacons that are heard in its regions, their zones, and their lists.
///
/// `StorePlacing` uses `StorePresence`: it reads the states of regions, and notes there when an event of a zone was
/// told. `StorePresence` does not know it. `SiteEngine` passes the findings on.
struct StorePlacing: Sendable {
    /// The zones and beacons of one region.
    struct Region: Sendable {
        /// The zones that were ever occupied.
        var zones: [StoreZoneSlot] = []
        /// The beacons that are heard in it.
        var beacons: Set<StoreBeaconSlot> = []
        /// The beacons in the last list of each gateway.
        var lists: [GatewayIndex: Set<StoreBeaconSlot>] = [:]
        /// The last list of its beacons by any gateway.
        var listedAt: Instant?
    }

    /// The most beacons followed at a time.
    let maxBeacons: Int
    /// Whether devices that share an identity are told apart by their names, which all gateways give alike.
    let tellsDevices: Bool
    var plan: StorePlan
    /// The regions of `StorePresence` with zones or beacons.
    var regions: [StoreRegionSlot: Region] = [:]
    var zones = IdentifiedSlots<StoreZoneSlot, RegionInstanceID, StoreZone>()
    var beacons = IdentifiedSlots<StoreBeaconSlot, BeaconKey, StoreBeacon>()
    /// Beacons that are in no region, by the time of leaving. Those in a region again, or that left once more, are
    /// stale.
    var leftBeacons = TimerQueue<StoreBeaconSlot>()
    /// Identities shared by several devices.
    var sharedIdentities: Set<BeaconIdentity> = []
    /// The store's own number of the newest beacon.
    var lastTrack: TrackID = 0
    /// The beacons refused because there are `maxBeacons`, counted at each listing.
    var refusedBeacons: UInt64 = 0
    /// The time of the next locating and listing; `distantFuture` while no beacon is heard.
    var rangingDue = Instant.distantFuture
    /// The time at which restored zones are emptied unless a beacon is found in them.
    private var zonesResumedUntil = Instant.distantFuture

    init(_ gateways: StoreGateways, maxBeacons: Int, tellsDevices: Bool) {
        plan = StorePlan(gateways)
        self.maxBeacons = maxBeacons
        self.tellsDevices = tellsDevices
    }

    /// The time of the next deadline.
    var nextDeadline: Instant { min(rangingDue, zonesResumedUntil) }

    /// Does the first work that is due then.
    mutating func advance(to now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]) {
        if rangingDue == now { return range(at: now, &presence, outputs: &outputs) }
        zonesResumedUntil = .distantFuture
        emptyResumedZones(at: now, &presence, outputs: &outputs)
    }

    /// Restores a zone that an earlier process has stored.
    mutating func restore(
        _ record: RegionRecord, of region: StoreRegionSlot, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        let now = presence.now
        guard let slot = zone(record.instance, of: region, at: now, &presence, outputs: &outputs) else { return }
        let change: RegionStanding.Change
        switch record.occupancy {
        case .outside(let since): change = zones[slot].standing.restore(outsideSince: since)
        case .inside(let stay):
            change = zones[slot].standing.restore(stay, until: .distantFuture)
            zones[slot].cause = StoreRegion.Cause(of: stay, in: record)
            zonesResumedUntil = now + presence.spans.unknownAfter
        }
        tell(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// Returns a zone of a region that exists. There may be as many zones as instances.
    mutating func zone(
        _ id: RegionInstanceID, of region: StoreRegionSlot, at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) -> StoreZoneSlot? {
        if let known = zones.slot(of: id) { return known }
        if zones.count >= presence.admission.maxInstances {
            if let released = presence.makeRoom() { forget(released, at: presence.now, outputs: &outputs) }
            guard zones.count < presence.admission.maxInstances else {
                presence.admission.refused.maxInstances &+= 1
                return nil
            }
        }
        let slot = zones.insert(StoreZone(id, of: region, at: now), for: id)
        regions[region, default: Region()].zones.append(slot)
        return slot
    }

    /// Forgets a region that does not exist any more, with its zones.
    mutating func forget(_ released: StorePresence.Released, at now: Instant, outputs: inout [GatewayOutput]) {
        var gone: [RegionInstanceID] = []
        for zone in zones(of: released.slot) {
            let id = zones[zone].id
            gone.append(id)
            zones.remove(id, leaving: StoreZone(id, of: released.slot, at: now))
        }
        forgetBeacons(of: released.slot, at: now)
        outputs.append(.forgotten(gone + [released.id], at: now))
    }

    /// Removes all beacons from a region that does not exist any more.
    mutating func forgetBeacons(of region: StoreRegionSlot, at now: Instant) {
        for beacon in beacons(of: region).sorted() {
            remove(beacon, from: region, at: now)
            if beacons[beacon].regions.isEmpty { beacons[beacon].move(to: nil, since: now) }
        }
        regions[region] = nil
    }

    func zones(of region: StoreRegionSlot) -> [StoreZoneSlot] { regions[region]?.zones ?? [] }

    func beacons(of region: StoreRegionSlot) -> Set<StoreBeaconSlot> { regions[region]?.beacons ?? [] }
}
