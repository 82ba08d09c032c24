/// The places in a store: the beacons that are heard in its regions, their zones, and their lists.
///
/// `StorePlacing` uses `StorePresence`: it reads the states of regions, and reports the events of zones to it. `StorePresence` does not know it. `SiteEngine` passes the findings on.
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

    let maxBeacons: Int
    /// True if devices that share an identity are distinguished by their names, which all gateways give alike.
    let distinguishesDevices: Bool
    private var plan: StorePlan
    /// The regions of `StorePresence` with zones or beacons.
    private var regions: [StoreRegionSlot: Region] = [:]
    private(set) var zones = IdentifiedSlots<StoreZoneSlot, RegionInstanceID, StoreZone>()
    private(set) var beacons = IdentifiedSlots<StoreBeaconSlot, BeaconKey, StoreBeacon>()
    /// Beacons that are in no region, by the time of leaving. Those in a region again, or that left once more, are
    /// stale.
    private var leftBeacons = TimerQueue<StoreBeaconSlot>()
    /// Identities shared by several devices.
    private var sharedIdentities: Set<BeaconIdentity> = []
    /// The store's own number of the newest beacon.
    private var lastTrack: TrackID = 0
    /// The beacons refused because there are `maxBeacons`, counted at each listing.
    private(set) var refusedBeacons: UInt64 = 0
    /// The time of the next locating and listing; `distantFuture` while no beacon is heard.
    private var rangingDue = Instant.distantFuture
    /// The time at which restored zones are emptied unless a beacon is found in them.
    private var zonesResumedUntil = Instant.distantFuture

    init(_ gateways: StoreGateways, maxBeacons: Int, distinguishesDevices: Bool) {
        plan = StorePlan(gateways)
        self.maxBeacons = maxBeacons
        self.distinguishesDevices = distinguishesDevices
    }

    /// Takes the gateways, of which a new one may bring a zone.
    mutating func update(_ gateways: StoreGateways) { plan.update(gateways) }

    /// Uses other learned offsets from now on.
    mutating func use(_ learned_db: [String: Double], _ gateways: StoreGateways) { plan.use(learned_db, gateways) }

    /// Uses another zone map from now on; `nil` for none. Returns the zones for which there is no room.
    mutating func use(_ map: ZoneMap?) -> [String] { plan.use(map) }

    var nextDeadline: Instant { min(rangingDue, zonesResumedUntil) }

    /// Does the first work that is due then.
    mutating func advance(to now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]) {
        if rangingDue == now { return range(at: now, &presence, outputs: &outputs) }
        zonesResumedUntil = .distantFuture
        emptyResumedZones(at: now, &presence, outputs: &outputs)
    }

    mutating func restore(
        _ record: RegionRecord, of region: StoreRegionSlot, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        let now = presence.now
        guard let slot = zone(record.instance, of: region, at: now, &presence, outputs: &outputs) else { return }
        let change: RegionStateMachine.Change
        switch record.occupancy {
        case .outside(let since): change = zones[slot].machine.restore(outsideSince: since)
        case .inside(let stay):
            change = zones[slot].machine.restore(stay, until: .distantFuture)
            zones[slot].cause = StoreRegion.Cause(of: stay, in: record)
            zonesResumedUntil = now + presence.regions.spans.unknownAfter
        }
        publish(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// Returns a zone of a region that exists. There may be as many zones as instances.
    private mutating func zone(
        _ id: RegionInstanceID, of region: StoreRegionSlot, at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) -> StoreZoneSlot? {
        if let known = zones.slot(of: id) { return known }
        if zones.count >= presence.regions.limits.maxInstances {
            if let released = presence.makeRoom() { remove(released, at: presence.now, outputs: &outputs) }
            guard zones.count < presence.regions.limits.maxInstances else {
                presence.countRefusedZone()
                return nil
            }
        }
        let slot = zones.insert(StoreZone(id, of: region, at: now), for: id)
        regions[region, default: Region()].zones.append(slot)
        return slot
    }

    /// Removes a region that does not exist any more, with its zones.
    mutating func remove(_ released: ReleasedRegion, at now: Instant, outputs: inout [GatewayOutput]) {
        var gone: [RegionInstanceID] = []
        for zone in zones(of: released.slot) {
            let id = zones[zone].id
            gone.append(id)
            zones.remove(id, leaving: StoreZone(id, of: released.slot, at: now))
        }
        removeBeacons(of: released.slot, at: now)
        outputs.append(.forgotten(gone + [released.id], at: now))
    }

    /// Removes all beacons from a region that does not exist any more.
    mutating func removeBeacons(of region: StoreRegionSlot, at now: Instant) {
        for beacon in beacons(of: region).sorted() {
            remove(beacon, from: region, at: now)
            if beacons[beacon].regions.isEmpty { beacons[beacon].move(to: nil, since: now) }
        }
        regions[region] = nil
    }

    private func zones(of region: StoreRegionSlot) -> [StoreZoneSlot] { regions[region]?.zones ?? [] }

    private func beacons(of region: StoreRegionSlot) -> Set<StoreBeaconSlot> { regions[region]?.beacons ?? [] }
}

/// The beacons of a region and their levels, from gateways' lists.
extension StorePlacing {
    static let rangingInterval = TimeSpan.seconds(1)

    /// Takes a gateway's list of a region's beacons.
    ///
    /// - Returns: whether it names any beacon that the store follows.
    mutating func list(
        _ list: ListedBeacons, of region: StoreRegionSlot, from gateway: GatewayIndex, _ arrival: Arrival,
        _ presence: inout StorePresence
    ) -> Bool {
        if distinguishesDevices { for listed in list.beacons where listed.isDuplicate { distinguish(listed) } }
        var present: Set<StoreBeaconSlot> = []
        for listed in list.beacons {
            guard let slot = beacon(key(of: listed), in: region) else { continue }
            let heardAt = arrival.event - .milliseconds(listed.age_ms)
            present.insert(slot)
            presence.heard(region, until: min(heardAt, arrival.now))
            beacons[slot].list(StoreBeacon.Listing(listed, by: gateway, at: arrival.now))
            if distinguishesDevices, beacons[slot].isShared(at: arrival.now) { distinguish(listed) }
            beacons[slot].heard(by: gateway, plan, at: min(heardAt, arrival.now))
            guard let rssi_dbm = listed.presentLevel_dbm else { continue }
            record(rssi_dbm, of: slot, by: gateway, at: arrival.now)
        }
        for missing in (regions[region]?.lists[gateway] ?? []).subtracting(present) {
            beacons[missing].unlist(gateway)
        }
        regions[region, default: Region()].lists[gateway] = present
        regions[region]?.listedAt = arrival.now
        wake(at: arrival.now)
        return !present.isEmpty
    }

    /// Takes an event of a beacon: the level in an entry, for beacons without a list, and the last report.
    mutating func hear(
        _ event: ArrivedEvent, in region: StoreRegionSlot, until last: Instant, at now: Instant
    ) {
        defer { wake(at: now) }
        let key = BeaconKey(identity: event.identity, device: nil)
        // An event does not show which of several devices it was.
        guard !sharedIdentities.contains(event.identity),
            let slot = event.payload.exit == nil ? beacon(key, in: region) : beacons.slot(of: key)
        else { return }
        beacons[slot].heard(by: event.gateway, plan, at: min(last, now))
        guard event.payload.exit == nil, let rssi_dbm = event.observation.rssi_dbm else { return }
        record(rssi_dbm, of: slot, by: event.gateway, at: now)
    }

    private mutating func record(
        _ rssi_dbm: Double, of beacon: StoreBeaconSlot, by gateway: GatewayIndex, at now: Instant
    ) {
        beacons[beacon].levels.record(
            HeardLevels.Level(gateway: gateway, level_dbm: rssi_dbm + plan.offset_db(of: gateway), at: now))
    }

    private mutating func wake(at now: Instant) {
        if rangingDue == .distantFuture { rangingDue = now + Self.rangingInterval }
    }

    /// Returns the key of a listed beacon. Devices of one identity that were distinguished once stay separate.
    private func key(of listed: ListedBeacon) -> BeaconKey {
        let device = BeaconKey(identity: listed.identity, device: listed.device)
        return sharedIdentities.contains(listed.identity) ? device : BeaconKey(identity: listed.identity, device: nil)
    }

    /// Separates the devices that share an identity. The beacon so far becomes the first device listed.
    private mutating func distinguish(_ listed: ListedBeacon) {
        let only = BeaconKey(identity: listed.identity, device: nil)
        guard sharedIdentities.count < maxBeacons, sharedIdentities.insert(listed.identity).inserted,
            let slot = beacons.slot(of: only)
        else { return }
        let key = BeaconKey(identity: listed.identity, device: listed.device)
        beacons.rename(only, to: key)
        beacons[slot].key = key
        beacons[slot].keepListings(of: listed.device)
    }

    /// Returns a beacon of a region, a new one where there is none; `nil` where there are too many.
    private mutating func beacon(_ key: BeaconKey, in region: StoreRegionSlot) -> StoreBeaconSlot? {
        guard let slot = beacons.slot(of: key) ?? newBeacon(key) else { return nil }
        if regions[region, default: Region()].beacons.insert(slot).inserted { beacons[slot].enter(region) }
        return slot
    }

    /// Adds a beacon. Where there are too many, it replaces the one that left longest ago.
    private mutating func newBeacon(_ key: BeaconKey) -> StoreBeaconSlot? {
        if beacons.count >= maxBeacons, !dropOldest() {
            refusedBeacons += 1
            return nil
        }
        lastTrack += 1
        return beacons.insert(StoreBeacon(key, track: lastTrack), for: key)
    }

    /// Drops the beacon that left longest ago. Returns whether there was one.
    private mutating func dropOldest() -> Bool {
        while let left = leftBeacons.removeFirst() {
            let oldest = beacons[left.subject]
            guard oldest.hasLeft(at: left.due) else { continue }
            beacons.remove(oldest.key, leaving: StoreBeacon(oldest.key, track: oldest.track))
            return true
        }
        return false
    }

    /// Removes a beacon from a region. A beacon in no region may give way to another.
    private mutating func remove(_ beacon: StoreBeaconSlot, from region: StoreRegionSlot, at now: Instant) {
        regions[region]?.beacons.remove(beacon)
        for gateway in regions[region]?.lists.keys.map({ $0 }) ?? [] { regions[region]?.lists[gateway]?.remove(beacon) }
        beacons[beacon].leave(region)
        guard beacons[beacon].regions.isEmpty else { return }
        beacons[beacon].leftAt = now
        leftBeacons.set(beacon, at: now)
        leftBeacons.throwOutStale(of: beacons.slotCount) { [beacons] in beacons[$0.subject].hasLeft(at: $0.due) }
    }
}

/// The places of beacons: every second they are located, and listed with their places.
extension StorePlacing {
    /// Locates every beacon that is heard, and lists those of each region.
    private mutating func range(at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]) {
        var listed: [StoreRegionSlot: [ListedBeacon]] = [:]
        var (isAnyHeard, isAnyListed) = (false, false)
        for slot in beacons.slots where !beacons[slot].regions.isEmpty {
            let current = beacons[slot].levels.current(presence.gateways.hearing, at: now)
            let isInside = beacons[slot].regions.contains { presence.regions[$0].isPublishedInside }
            isAnyHeard = isAnyHeard || !current.isEmpty || (isInside && beacons[slot].zone == nil)
            place(slot, current, at: now, &presence, outputs: &outputs)
            // A region may have been published as inside since the beacon moved.
            publishZone(of: slot, at: now, &presence, outputs: &outputs)
            guard let best = beacons[slot].best(presence.gateways.hearing, at: now) else { continue }
            let entry = entry(slot, best, current, at: now)
            for region in beacons[slot].regions {
                isAnyListed = true
                if listed[region] == nil {
                    listed[region] = []
                    listed[region]?.reserveCapacity(beacons(of: region).count)
                }
                listed[region]?.append(entry)
            }
        }
        for region in listed.keys.sorted() {
            guard var beacons = listed.removeValue(forKey: region) else { continue }
            beacons.sort(by: ListedBeacon.isNearer)
            let list = ListedBeacons(
                instance: presence.regions[region].id, count: beacons.count { !$0.isResolving }, beacons: beacons)
            outputs.append(.message(list, at: now))
        }
        rangingDue = isAnyHeard || isAnyListed ? now + Self.rangingInterval : .distantFuture
    }

    /// Returns the levels of each moving beacon without offsets, the gateway that hears it best first.
    func levelsOfMoving(_ hearing: GatewaySet, at now: Instant) -> [[(gateway: GatewayIndex, level_dbm: Double)]] {
        beacons.slots.map { slot in
            beacons[slot].levelsWhileMoving(hearing, at: now).map { ($0.gateway, plan.received_dbm($0)) }
        }
    }

    private func entry(
        _ slot: StoreBeaconSlot, _ best: StoreBeacon.Listing, _ levels: [HeardLevels.Level], at now: Instant
    ) -> ListedBeacon {
        var entry = best.beacon(beacons[slot].key.identity, track: beacons[slot].track)
        let sinceThen_ms = (now - best.at).microseconds / 1_000
        entry.age_ms = entry.age_ms > Int64.max / 2 ? entry.age_ms : entry.age_ms + sinceThen_ms
        let zone = beacons[slot].confidence >= StoreBeacon.leastShown ? beacons[slot].listedZone : nil
        // A beacon between the gateways has no likely zone, and its position is known best.
        let position = PositionEstimate.of(levels, in: zone ?? beacons[slot].listedZone, plan)
        if let zone {
            entry.place = BeaconPlace(
                zone: plan.name(of: zone), confidence: min(beacons[slot].confidence, 0.99),
                others: beacons[slot].others(than: zone, plan.names), position: position)
        } else if let position {
            entry.place = BeaconPlace(zone: nil, confidence: 0, position: position)
        }
        return entry
    }

    /// Locates a beacon's zone, and publishes a change.
    private mutating func place(
        _ slot: StoreBeaconSlot, _ levels: [HeardLevels.Level], at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        let inside = beacons[slot].regions.filter { presence.regions[$0].isPublishedInside }
        guard !inside.isEmpty else { return }
        guard !levels.isEmpty else {
            let lastList = inside.compactMap { regions[$0]?.listedAt }.max()
            guard beacons[slot].isUnlisted(whereOthersAre: lastList) else {
                return presume(slot, inside, at: now, &presence, outputs: &outputs)
            }
            leaveZone(slot, at: now, &presence, outputs: &outputs)
            // Where it is unknown whether a region is inside, its zones are not published either; the beacon stays there
            // until then.
            for region in beacons[slot].regions where beacons[slot].publishedZone(in: region) == nil {
                remove(slot, from: region, at: now)
            }
            return
        }
        let gateways = presence.gateways
        let awaited = gateways.awaited(at: now)
        let shares = beacons[slot].belief.weigh(
            levels, plan, gateways.hearing.subtracting(awaited), gateways.indices, at: now)
        guard let likeliest = shares.indices.max(by: { shares[$0] < shares[$1] }) else { return }
        // The beacon may be at a gateway that has not spoken yet.
        let isOpen = !awaited.isEmpty && beacons[slot].zone == nil && shares[likeliest] < StoreBeacon.sureEnough
        if isOpen { return }
        let held = beacons[slot].zone.map { shares[$0.number] } ?? 0
        let zone = StorePlan.Zone(number: likeliest)
        let move = beacons[slot].decide(
            (zone, shares[likeliest]), share: held,
            heardAt: levels.filter { plan.isOwn($0.gateway, of: zone) }.map(\.at).max() ?? .origin, at: now)
        if let move { self.move(slot, to: move, at: now, &presence, outputs: &outputs) }
    }

    /// Assumes a zone for a beacon that no gateway lists: that of the gateways that have its region inside.
    private mutating func presume(
        _ slot: StoreBeaconSlot, _ inside: [StoreRegionSlot], at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        let identity = beacons[slot].key.identity
        guard let region = inside.first(where: { presence.regions[$0].cause?.identity == identity }) else { return }
        let there = presence.regions[region].claims.filter { $0.isThere && $0.unprovedSince == nil }
        let zones = Set(there.map { plan.zone(of: $0.gateway) })
        guard let first = zones.first, zones.count == 1 else { return }
        let share = beacons[slot].zone == first ? StoreBeacon.presumed : 0
        let move = beacons[slot].decide((first, StoreBeacon.presumed), share: share, at: now)
        if let move { self.move(slot, to: move, at: now, &presence, outputs: &outputs) }
    }
}

/// Visits to zones: the events as beacons move, and as their regions are left or become unknown.
extension StorePlacing {
    /// Moves a beacon to the candidate's zone, since its time.
    private mutating func move(
        _ beacon: StoreBeaconSlot, to candidate: StoreBeacon.Candidate, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        beacons[beacon].move(to: candidate.zone, since: candidate.since)
        publishZone(of: beacon, at: now, &presence, outputs: &outputs)
    }

    /// Removes a beacon from its zone that has left, while others keep its region inside.
    private mutating func leaveZone(
        _ beacon: StoreBeaconSlot, at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        guard beacons[beacon].zone != nil else { return }
        beacons[beacon].move(to: nil, since: beacons[beacon].listedAt)
        publishZone(of: beacon, at: now, &presence, outputs: &outputs)
    }

    /// Publishes the zone of a beacon in each of its inside regions that was not published yet. The exit from the zone before
    /// comes first.
    private mutating func publishZone(
        of beacon: StoreBeaconSlot, at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let present = beacons[beacon].zone
        for region in beacons[beacon].regions where presence.regions[region].isPublishedInside {
            // The beacon may have left a region of its own before the last event of another region's zones.
            let now = max(now, presence.regions[region].zonesPublishedAt ?? now)
            let published = beacons[beacon].publishedZone(in: region)
            guard published != present else { continue }
            if let published { leave(region, published, beacon, at: now, &presence, outputs: &outputs) }
            beacons[beacon].published(present, in: region)
            guard let present else { continue }
            enter(region, present, beacon, wasElsewhere: published != nil, at: now, &presence, outputs: &outputs)
        }
    }

    private mutating func enter(
        _ region: StoreRegionSlot, _ zone: StorePlan.Zone, _ beacon: StoreBeaconSlot, wasElsewhere: Bool,
        at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let stay = presence.regions[region].machine.presence
        let id = presence.regions[region].id.inZone(plan.name(of: zone))
        guard let slot = self.zone(id, of: region, at: now, &presence, outputs: &outputs) else { return }
        emptyRestored(otherThan: slot, of: region, beacon, at: now, &presence, outputs: &outputs)
        // A visit names the beacon that began it.
        if zones[slot].members == 0 { zones[slot].cause = cause(of: beacon, in: zone, presence.regions[region]) }
        // If no gateway saw the beacon enter the store, none saw it enter its first zone.
        let wasThere = !wasElsewhere && stay?.beginning == .partial
        let since = max(beacons[beacon].zoneSince, stay?.enteredAt ?? now)
        let change = zones[slot].enter(since: since, wasThere: wasThere, at: now)
        publish(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// Ends restored visits of a one-beacon region in other zones: the beacon is in one zone.
    private mutating func emptyRestored(
        otherThan zone: StoreZoneSlot, of region: StoreRegionSlot, _ beacon: StoreBeaconSlot, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        guard presence.regions[region].id.minor != nil, beacons[beacon].key.device == nil else { return }
        for other in zones(of: region) where other != zone && zones[other].isDeserted {
            let change = zones[other].empty(until: now, at: now)
            publish(other, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// Ends a beacon's stay in a zone: at its move to another one, or at the zone's last report.
    private mutating func leave(
        _ region: StoreRegionSlot, _ zone: StorePlan.Zone, _ beacon: StoreBeaconSlot, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let id = presence.regions[region].id.inZone(plan.name(of: zone))
        guard let slot = zones.slot(of: id) else { return }
        let last = beacons[beacon].lastHeard(in: zone) ?? beacons[beacon].zoneSince
        if let level = beacons[beacon].strongest(in: zone, plan),
            zones[slot].cause?.identity == beacons[beacon].key.identity
        {
            zones[slot].cause?.observation = .undetermined(rssi_dbm: plan.received_dbm(level))
        }
        let change = zones[slot].leave(until: last, at: now)
        publish(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// Returns the gateway of the zone that hears the beacon best; where none lists it, one that has the region inside.
    private func cause(of beacon: StoreBeaconSlot, in zone: StorePlan.Zone, _ region: StoreRegion)
        -> StoreRegion.Cause
    {
        let identity = beacons[beacon].key.identity
        guard let best = beacons[beacon].strongest(in: zone, plan) else {
            if let cause = region.cause, cause.identity == identity,
                cause.gateway.map({ plan.zone(of: $0) == zone }) ?? false
            {
                return cause
            }
            let there = region.claims.first { $0.isThere && plan.zone(of: $0.gateway) == zone }
            return StoreRegion.Cause(
                gateway: there?.gateway, identity: identity, observation: .undetermined(rssi_dbm: nil))
        }
        let listing = beacons[beacon].listings.first { $0.gateway == best.gateway }
        return StoreRegion.Cause(
            gateway: best.gateway, identity: identity,
            observation: listing?.observation ?? .undetermined(rssi_dbm: plan.received_dbm(best)))
    }

    /// Publishes a zone's change, if there is one.
    private mutating func publish(
        _ zone: StoreZoneSlot, _ change: RegionStateMachine.Change?, at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        guard let change else { return }
        if change.crossing != nil {
            zones[zone].publishedAt = now
            presence.zonePublished(of: zones[zone].region, at: now)
        }
        outputs.append(zones[zone].output(of: change, at: now, presence.gateways))
    }
}

/// The effect of a region's changes on its zones.
extension StorePlacing {
    /// Follows a change of a region. Its zones are left before it, and become unknown and known with it.
    mutating func follow(
        _ changed: PresenceChange, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let (region, now) = (changed.slot, changed.change.at)
        switch changed.change.change.state {
        case .outside where changed.change.isPast: leavePastZones(changed, &presence, outputs: &outputs)
        case .outside: leaveZones(changed, &presence, outputs: &outputs)
        case .unknown:
            for slot in zones(of: region) {
                let change = zones[slot].machine.unknown(at: now)
                publish(slot, change, at: now, &presence, outputs: &outputs)
            }
        case .inside: break
        }
        outputs.append(changed.output)
        guard changed.change.change.state == .inside else { return }
        // The region is known again: the zones stay as they were until other evidence comes.
        for slot in zones(of: region) {
            let change = zones[slot].machine.known(at: now)
            publish(slot, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// Leaves the zones of a region that is left, at one time.
    private mutating func leaveZones(
        _ changed: PresenceChange, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let (region, now) = (changed.slot, changed.change.at)
        for slot in zones(of: region) {
            guard zones[slot].machine.state != .outside || zones[slot].machine.presence != nil else { continue }
            let change = zones[slot].empty(until: lastHeard(in: slot, changed) ?? now, at: now)
            publish(slot, change, at: now, &presence, outputs: &outputs)
        }
        let isOfOneBeacon = presence.regions[region].id.minor != nil
        for beacon in beacons(of: region).sorted() {
            beacons[beacon].published(nil, in: region)
            // A beacon that has left its one-beacon region has left the store, even if others keep the other regions
            // inside.
            if isOfOneBeacon, beacons[beacon].key.device == nil {
                leaveZone(beacon, at: now, &presence, outputs: &outputs)
            }
            remove(beacon, from: region, at: now)
            if beacons[beacon].regions.isEmpty { beacons[beacon].move(to: nil, since: now) }
        }
    }

    /// Leaves the zones of a region that was left and entered again since, except those with events since.
    private mutating func leavePastZones(
        _ changed: PresenceChange, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let (region, instant) = (changed.slot, changed.change.at)
        for slot in zones(of: region) {
            guard let stay = zones[slot].machine.presence, stay.enteredAt <= instant, zones[slot].publishedAt <= instant
            else { continue }
            let last = lastHeard(in: slot, changed) ?? instant
            let change = zones[slot].empty(until: min(last, instant), at: instant)
            publish(slot, change, at: instant, &presence, outputs: &outputs)
            for beacon in beacons(of: region) {
                let published = beacons[beacon].publishedZone(in: region).map { plan.name(of: $0) }
                if published == zones[slot].id.zone { beacons[beacon].published(nil, in: region) }
            }
        }
    }

    /// Returns the last report by the gateways of a zone of a beacon of the region in it; where they listed none, that
    /// of any gateway. A report after the region's last one belongs to the next visit.
    private func lastHeard(in zone: StoreZoneSlot, _ changed: PresenceChange) -> Instant? {
        let name = zones[zone].id.zone
        let heard = beacons(of: changed.slot).compactMap { beacon -> Instant? in
            guard let published = beacons[beacon].publishedZone(in: changed.slot), plan.name(of: published) == name
            else { return nil }
            return beacons[beacon].lastHeard(in: published)
        }
        return [heard.max(), changed.lastHeardAt].compactMap(\.self).min()
    }

    /// Empties zones that an earlier process had occupied, and in which no beacon was found since.
    private mutating func emptyResumedZones(
        at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        for slot in zones.slots where zones[slot].isDeserted {
            let change = zones[slot].empty(until: now, at: now)
            publish(slot, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// Ends the stays in the zones of a region that no gateway monitors any more.
    func endStays(in region: StoreRegionSlot, at now: Instant, _ gateways: StoreGateways) -> [GatewayOutput] {
        zones(of: region).compactMap { zones[$0].endOfStay(at: now, gateways) }
    }
}

/// The checks of the state, for tests.
extension StorePlacing {
    /// Returns what is wrong between zones, beacons and the regions of the presence.
    func checkInvariants(_ presence: StorePresence) -> [String] {
        var broken: [String] = []
        let known = Set(presence.regions.slots(where: { _ in true }))
        for (slot, region) in regions {
            if !known.contains(slot) { broken.append("the places of a region remain after its end") }
            for beacon in region.beacons where !beacons[beacon].regions.contains(slot) {
                broken.append("a beacon is in a region that it does not know")
            }
            if region.lists.values.contains(where: { !$0.isSubset(of: region.beacons) }) {
                broken.append("a list names a beacon that is not in the region")
            }
        }
        for slot in beacons.slots
        where beacons[slot].regions.contains(where: { regions[$0]?.beacons.contains(slot) != true }) {
            broken.append("a beacon knows a region in which it is not")
        }
        let zoneCount = regions.values.reduce(0) { $0 + $1.zones.count }
        if zoneCount != zones.count { broken.append("\(zones.count) zones exist, \(zoneCount) belong to regions") }
        if beacons.count > maxBeacons { broken.append("\(beacons.count) beacons are followed") }
        return broken
    }
}
