/// Visits to zones: what is told as beacons move, and as their regions are left or not known any more.
extension StorePlacing {
    /// A beacon is in another zone since the candidate began.
    mutating func move(
        _ beacon: StoreBeaconSlot, to candidate: StoreBeacon.Candidate, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        beacons[beacon].move(to: candidate.zone, since: candidate.since)
        tellZone(of: beacon, at: now, &presence, outputs: &outputs)
    }

    /// A beacon is not there any more, while others keep its region inside.
    mutating func leaveZone(
        _ beacon: StoreBeaconSlot, at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        guard beacons[beacon].zone != nil else { return }
        beacons[beacon].move(to: nil, since: beacons[beacon].listedAt)
        tellZone(of: beacon, at: now, &presence, outputs: &outputs)
    }

    /// Tells in which zone a beacon is, in each of its regions that is told inside and was not told so yet. It leaves the one before it
    /// enters the other.
    mutating func tellZone(
        of beacon: StoreBeaconSlot, at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let present = beacons[beacon].zone
        for region in beacons[beacon].regions where presence.regions[region].isToldInside {
            // The beacon may have left a region of its own before what was told of another region's zones.
            let now = max(now, presence.regions[region].zonesToldAt ?? now)
            let told = beacons[beacon].toldZone(in: region)
            guard told != present else { continue }
            if let told { leave(region, told, beacon, at: now, &presence, outputs: &outputs) }
            beacons[beacon].noteTold(present, in: region)
            guard let present else { continue }
            enter(region, present, beacon, wasElsewhere: told != nil, at: now, &presence, outputs: &outputs)
        }
    }

    private mutating func enter(
        _ region: StoreRegionSlot, _ zone: StorePlan.Zone, _ beacon: StoreBeaconSlot, wasElsewhere: Bool,
        at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let stay = presence.regions[region].standing.presence
        let id = presence.regions[region].id.inZone(plan.name(of: zone))
        guard let slot = self.zone(id, of: region, at: now, &presence, outputs: &outputs) else { return }
        emptyRestored(otherThan: slot, of: region, beacon, at: now, &presence, outputs: &outputs)
        // A visit names the beacon that began it.
        if zones[slot].members == 0 { zones[slot].cause = cause(of: beacon, in: zone, presence.regions[region]) }
        // Where nobody saw it come into the store, nobody saw it come into its first zone.
        let wasThere = !wasElsewhere && stay?.beginning == .partial
        let since = max(beacons[beacon].zoneSince, stay?.enteredAt ?? now)
        let change = zones[slot].enter(since: since, wasThere: wasThere, at: now)
        tell(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// A region of one beacon has it in one zone: where an earlier process had it, it is not any more.
    private mutating func emptyRestored(
        otherThan zone: StoreZoneSlot, of region: StoreRegionSlot, _ beacon: StoreBeaconSlot, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        guard presence.regions[region].id.minor != nil, beacons[beacon].key.device == nil else { return }
        for other in zones(of: region) where other != zone && zones[other].isDeserted {
            let change = zones[other].empty(until: now, at: now)
            tell(other, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// A beacon was in a zone until it was in another one, or until the gateways of the zone heard it last.
    private mutating func leave(
        _ region: StoreRegionSlot, _ zone: StorePlan.Zone, _ beacon: StoreBeaconSlot, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let id = presence.regions[region].id.inZone(plan.name(of: zone))
        guard let slot = zones.slot(of: id) else { return }
        let last = beacons[beacon].lastHeard(in: zone) ?? beacons[beacon].zoneSince
        if let level = strongest(of: beacon, in: zone), zones[slot].cause?.identity == beacons[beacon].key.identity {
            zones[slot].cause?.observation = .undetermined(
                rssi_dbm: level.level_dbm - plan.offset_db(of: level.gateway))
        }
        let change = zones[slot].leave(until: last, at: now)
        tell(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// How strongly the gateway of a zone hears a beacon that hears it best.
    private func strongest(of beacon: StoreBeaconSlot, in zone: StorePlan.Zone) -> HeardLevels.Level? {
        beacons[beacon].levels.levels.filter { plan.zone(of: $0.gateway) == zone }
            .max { $0.level_dbm < $1.level_dbm }
    }

    /// The gateway of the zone that hears the beacon best; where none lists it, one that has the region inside.
    private func cause(of beacon: StoreBeaconSlot, in zone: StorePlan.Zone, _ region: StoreRegion)
        -> StoreRegion.Cause
    {
        let identity = beacons[beacon].key.identity
        guard let best = strongest(of: beacon, in: zone) else {
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
            observation: listing?.observation
                ?? .undetermined(rssi_dbm: best.level_dbm - plan.offset_db(of: best.gateway)))
    }

    /// Tells of a zone's change, where there is one.
    mutating func tell(
        _ zone: StoreZoneSlot, _ change: RegionStanding.Change?, at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        guard let change else { return }
        if change.crossing != nil {
            zones[zone].toldAt = now
            presence.noteZoneTold(of: zones[zone].region, at: now)
        }
        outputs.append(zones[zone].told(change, at: now, presence.gateways))
    }
}

/// What becomes of zones as their region changes.
extension StorePlacing {
    /// A region has changed: its zones are left with it, before it, and known again after it.
    mutating func follow(
        _ changed: StorePresence.Changed, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let (region, now) = (changed.slot, changed.change.at)
        switch changed.change.change.state {
        case .outside where changed.change.isPast: leavePastZones(changed, &presence, outputs: &outputs)
        case .outside: leaveZones(changed, &presence, outputs: &outputs)
        case .unknown:
            for slot in zones(of: region) {
                let change = zones[slot].standing.unknown(at: now)
                tell(slot, change, at: now, &presence, outputs: &outputs)
            }
        case .inside: break
        }
        outputs.append(changed.output)
        guard changed.change.change.state == .inside else { return }
        // What was unknown is known again: who was in a zone still is, until somebody hears otherwise.
        for slot in zones(of: region) {
            let change = zones[slot].standing.known(at: now)
            tell(slot, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// A region is left: so are its zones, at the same time.
    private mutating func leaveZones(
        _ changed: StorePresence.Changed, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let (region, now) = (changed.slot, changed.change.at)
        for slot in zones(of: region) {
            guard zones[slot].standing.state != .outside || zones[slot].standing.presence != nil else { continue }
            let change = zones[slot].empty(until: lastHeard(in: slot, changed) ?? now, at: now)
            tell(slot, change, at: now, &presence, outputs: &outputs)
        }
        let isOfOneBeacon = presence.regions[region].id.minor != nil
        for beacon in beacons(of: region).sorted() {
            beacons[beacon].noteTold(nil, in: region)
            // Who has left a region of his own has left the store, whoever else keeps the others inside.
            if isOfOneBeacon, beacons[beacon].key.device == nil {
                leaveZone(beacon, at: now, &presence, outputs: &outputs)
            }
            remove(beacon, from: region, at: now)
            if beacons[beacon].regions.isEmpty { beacons[beacon].move(to: nil, since: now) }
        }
    }

    /// A region was left, and entered again since: so were the zones that nothing was told of since.
    private mutating func leavePastZones(
        _ changed: StorePresence.Changed, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let (region, instant) = (changed.slot, changed.change.at)
        for slot in zones(of: region) {
            guard let stay = zones[slot].standing.presence, stay.enteredAt <= instant, zones[slot].toldAt <= instant
            else { continue }
            let last = lastHeard(in: slot, changed) ?? instant
            let change = zones[slot].empty(until: min(last, instant), at: instant)
            tell(slot, change, at: instant, &presence, outputs: &outputs)
            for beacon in beacons(of: region) {
                let told = beacons[beacon].toldZone(in: region).map { plan.name(of: $0) }
                if told == zones[slot].id.zone { beacons[beacon].noteTold(nil, in: region) }
            }
        }
    }

    /// When the gateways of a zone heard a beacon of the region last that is there; where they listed none, when any gateway did.
    private func lastHeard(in zone: StoreZoneSlot, _ changed: StorePresence.Changed) -> Instant? {
        let name = zones[zone].id.zone
        let heard = beacons(of: changed.slot).compactMap { beacon -> Instant? in
            guard let told = beacons[beacon].toldZone(in: changed.slot), plan.name(of: told) == name else { return nil }
            return beacons[beacon].lastHeard(in: told)
        }
        return heard.max() ?? changed.lastHeardAt
    }

    /// Zones that an earlier process had somebody in, and nobody was found there since.
    mutating func emptyResumedZones(
        at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        for slot in zones.slots where zones[slot].isDeserted {
            let change = zones[slot].empty(until: now, at: now)
            tell(slot, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// No gateway monitors a region any more: the stays in its zones are over.
    func endStays(in region: StoreRegionSlot, at now: Instant, _ gateways: StoreGateways) -> [GatewayOutput] {
        zones(of: region).compactMap { zones[$0].endOfStay(at: now, gateways) }
    }
}
