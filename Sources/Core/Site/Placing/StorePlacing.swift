/// Where a beacon stands in a store, and a zone of a region.
struct StoreBeaconSlot: SlotNumber, Comparable {
    let number: UInt32

    static func < (left: StoreBeaconSlot, right: StoreBeaconSlot) -> Bool { left.number < right.number }
}
struct StoreZoneSlot: SlotNumber {
    let number: UInt32
}

/// What is placed in a store: the beacons that are heard in its regions, the zones that they are in, and the lists of them.
///
/// It stands on what is present. It reads how regions are, and says there when something was told of a zone; `StorePresence` knows
/// nothing of it, and `SiteEngine` carries over what was found there.
struct StorePlacing: Sendable {
    /// What is placed in one region.
    struct Region: Sendable {
        /// Its zones that anybody was ever in.
        var zones: [StoreZoneSlot] = []
        /// The beacons that are heard in it.
        var beacons: Set<StoreBeaconSlot> = []
        /// The beacons that each gateway listed last.
        var lists: [GatewayIndex: Set<StoreBeaconSlot>] = [:]
        /// When a gateway listed its beacons last.
        var listedAt: Instant?
    }

    /// Beacons that are placed at a time, at most.
    let maxBeacons: Int
    /// Whether devices that share an identity are told apart by their names, which the gateways give alike.
    let tellsDevices: Bool
    var plan: StorePlan
    /// Those of `StorePresence` that have anything placed in them.
    var regions: [StoreRegionSlot: Region] = [:]
    var zones = IdentifiedSlots<StoreZoneSlot, RegionInstanceID, StoreZone>()
    var beacons = IdentifiedSlots<StoreBeaconSlot, BeaconKey, StoreBeacon>()
    /// Beacons that are in no region, by when they left; stale where one is in a region again, or left once more.
    var leftBeacons = TimerQueue<StoreBeaconSlot>()
    /// Identities that several devices have been seen with.
    var sharedIdentities: Set<BeaconIdentity> = []
    /// The store's own number of the beacon that came last.
    var lastTrack: TrackID = 0
    /// Beacons that are not placed because there are `maxBeacons`, each time that they are listed.
    var refusedBeacons: UInt64 = 0
    /// When beacons are placed and listed next; `distantFuture` while none is heard.
    var rangingDue = Instant.distantFuture
    /// When zones that an earlier process has stored are empty unless somebody is found in them.
    private var zonesResumedUntil = Instant.distantFuture

    init(_ gateways: StoreGateways, maxBeacons: Int, tellsDevices: Bool) {
        plan = StorePlan(gateways)
        self.maxBeacons = maxBeacons
        self.tellsDevices = tellsDevices
    }

    /// When there is something to do next.
    var nextDeadline: Instant { min(rangingDue, zonesResumedUntil) }

    /// Does the first thing that is due then.
    mutating func advance(to now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]) {
        if rangingDue == now { return range(at: now, &presence, outputs: &outputs) }
        zonesResumedUntil = .distantFuture
        emptyResumedZones(at: now, &presence, outputs: &outputs)
    }

    /// What an earlier process has stored of a zone goes on.
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

    /// A zone of a region that exists. There may be as many zones as instances.
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

    /// A region exists no more, and neither do its zones.
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

    /// A region exists no more: no beacon is in it.
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
