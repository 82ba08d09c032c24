/// Visits to zones: the events as beacons move, and as their regions are left or become unknown.
extension StorePlacing {
    /// Moves a beacon to the candidate's zone, since its time.
    mutating func move(
        _ beacon: StoreBeaconSlot, to candidate: StoreBeacon.Candidate, at now: Instant,
        _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        beacons[beacon].move(to: candidate.zone, since: candidate.since)
        tellZone(of: beacon, at: now, &presence, outputs: &outputs)
    }

    /// Removes a beacon from its zone that has left, while others keep its region inside.
    mutating func leaveZone(
        _ beacon: StoreBeaconSlot, at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        guard beacons[beacon].zone != nil else { return }
        beacons[beacon].move(to: nil, since: beacons[beacon].listedAt)
        tellZone(of: beacon, at: now, &presence, outputs: &outputs)
    }

    /// Tells the zone of a beacon in each of its inside regions that was not told it yet. The exit from the zone before
    /// comes first.
    mutating func tellZone(
        of beacon: StoreBeaconSlot, at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        let present = beacons[beacon].zone
        for region in beacons[beacon].regions where presence.regions[region].isToldInside {
            // The beacon may have left a region of its own before the last event of another region's zones.
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
        // If no gateway saw the beacon enter the store, none saw it enter its first zone.
        let wasThere = !wasElsewhere && stay?.beginning == .partial
        let since = max(beacons[beacon].zoneSince, stay?.enteredAt ?? now)
        let change = zones[slot].enter(since: since, wasThere: wasThere, at: now)
        tell(slot, change, at: now, &presence, outputs: &outputs)
    }

    /// Ends restored visits of a one-beacon region in other zones: the beacon is in one zone.
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

    /// Ends a beacon's stay in a zone: at its move to another one, or at the zone's last report.
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

    /// Returns the highest level of a beacon at a gateway of the zone.
    private func strongest(of beacon: StoreBeaconSlot, in zone: StorePlan.Zone) -> HeardLevels.Level? {
        beacons[beacon].levels.levels.filter { plan.zone(of: $0.gateway) == zone }
            .max { $0.level_dbm < $1.level_dbm }
    }

    /// Returns the gateway of the zone that hears the beacon best; where none lists it, one that has the region inside.
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

    /// Tells a zone's change, if there is one.
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

/// The effect of a region's changes on its zones.
extension StorePlacing {
    /// Follows a change of a region. Its zones are left before it, and become unknown and known with it.
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
        // The region is known again: the zones stay as they were until other evidence comes.
        for slot in zones(of: region) {
            let change = zones[slot].standing.known(at: now)
            tell(slot, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// Leaves the zones of a region that is left, at one time.
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

    /// Returns the last report by the gateways of a zone of a beacon of the region in it; where they listed none, that
    /// of any gateway. A report after the region's last one belongs to the next visit.
    private func lastHeard(in zone: StoreZoneSlot, _ changed: StorePresence.Changed) -> Instant? {
        let name = zones[zone].id.zone
        let heard = beacons(of: changed.slot).compactMap { beacon -> Instant? in
            guard let told = beacons[beacon].toldZone(in: changed.slot), plan.name(of: told) == name else { return nil }
            return beacons[beacon].lastHeard(in: told)
        }
        return [heard.max(), changed.lastHeardAt].compactMap(\.self).min()
    }

    /// Empties zones that an earlier process had occupied, and in which no beacon was found since.
    mutating func emptyResumedZones(
        at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]
    ) {
        for slot in zones.slots where zones[slot].isDeserted {
            let change = zones[slot].empty(until: now, at: now)
            tell(slot, change, at: now, &presence, outputs: &outputs)
        }
    }

    /// Ends the stays in the zones of a region that no gateway monitors any more.
    func endStays(in region: StoreRegionSlot, at now: Instant, _ gateways: StoreGateways) -> [GatewayOutput] {
        zones(of: region).compactMap { zones[$0].endOfStay(at: now, gateways) }
    }
}
