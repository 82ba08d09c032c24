/// Visits to zones: what is told as beacons move, and as their regions are left or not known any more.
extension SiteEngine {
    /// A beacon is in another zone since the candidate began.
    mutating func move(
        _ index: Int, to candidate: StoreBeacon.Candidate, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        beacons[index].move(to: candidate.zone, since: candidate.since)
        tellZone(of: index, at: now, outputs: &outputs)
    }

    /// A beacon is not there any more, while others keep its region inside.
    mutating func leaveZone(_ index: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        guard beacons[index].zone != nil else { return }
        beacons[index].move(to: nil, since: beacons[index].listedAt)
        tellZone(of: index, at: now, outputs: &outputs)
    }

    /// Tells in which zone a beacon is, in each of its regions that is told inside and was not told so yet. It leaves the one before it
    /// enters the other.
    mutating func tellZone(of index: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        let present = beacons[index].zone
        for region in beacons[index].regions where regions[region].isToldInside {
            // The beacon may have left a region of its own before what was told of another region's zones.
            let now = max(now, regions[region].zonesToldAt ?? now)
            let told = beacons[index].toldZone(in: region)
            guard told != present else { continue }
            if let told { leave(region, told, index, at: now, outputs: &outputs) }
            beacons[index].noteTold(present, in: region)
            guard let present else { continue }
            let presence = regions[region].standing.presence
            guard let number = zone(regions[region].id.inZone(plan.name(of: present)), at: now, outputs: &outputs)
            else {
                continue
            }
            emptyRestored(otherThan: number, of: region, index, at: now, outputs: &outputs)
            // A visit names the beacon that began it.
            if zones[number].members == 0 { zones[number].cause = cause(of: index, in: present, region) }
            // Where nobody saw it come into the store, nobody saw it come into its first zone.
            let wasThere = told == nil && presence?.beginning == .partial
            let since = max(beacons[index].zoneSince, presence?.enteredAt ?? now)
            if let change = zones[number].enter(since: since, wasThere: wasThere, at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
    }

    /// A region of one beacon has it in one zone: where an earlier process had it, it is not any more.
    private mutating func emptyRestored(
        otherThan zone: Int, of region: Int, _ index: Int, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        guard regions[region].id.minor != nil, beacons[index].key.device == nil else { return }
        for other in regions[region].zones
        where other != zone && zones[other].members == 0 && zones[other].standing.presence != nil {
            if let change = zones[other].empty(until: now, at: now) {
                emit(zone: other, change, at: now, outputs: &outputs)
            }
        }
    }

    /// A beacon was in a zone until it was in another one, or until the gateways of the zone heard it last.
    private mutating func leave(
        _ region: Int, _ zone: StorePlan.Zone, _ index: Int, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        guard let number = zoneNumbers[regions[region].id.inZone(plan.name(of: zone))] else { return }
        let levels = levels(of: index, in: zone)
        let last = beacons[index].lastHeard(in: zone) ?? beacons[index].zoneSince
        if let level = levels.max(by: { $0.level_dbm < $1.level_dbm }),
            zones[number].cause?.identity == beacons[index].key.identity
        {
            zones[number].cause?.observation = .undetermined(
                rssi_dbm: level.level_dbm - plan.offset_db(of: level.gateway))
        }
        guard let change = zones[number].leave(until: last, at: now) else { return }
        emit(zone: number, change, at: now, outputs: &outputs)
    }

    /// How strongly the gateways of a zone hear a beacon.
    private func levels(of index: Int, in zone: StorePlan.Zone) -> [HeardLevels.Level] {
        beacons[index].levels.levels.filter { plan.zone(of: $0.gateway) == zone }
    }

    /// The gateway of the zone that hears the beacon best; where none lists it, one that has the region inside.
    private func cause(of index: Int, in zone: StorePlan.Zone, _ region: Int) -> StoreRegion.Cause {
        let identity = beacons[index].key.identity
        guard let best = levels(of: index, in: zone).max(by: { $0.level_dbm < $1.level_dbm }) else {
            if let cause = regions[region].cause, cause.identity == identity,
                cause.gateway.map({ plan.zone(of: $0) == zone }) ?? false
            {
                return cause
            }
            let there = regions[region].claims.first { $0.isThere && plan.zone(of: $0.gateway) == zone }
            return StoreRegion.Cause(
                gateway: there?.gateway, identity: identity, observation: .undetermined(rssi_dbm: nil))
        }
        let listing = beacons[index].listings.first { $0.gateway == best.gateway }
        return StoreRegion.Cause(
            gateway: best.gateway, identity: identity,
            observation: listing?.observation
                ?? .undetermined(rssi_dbm: best.level_dbm - plan.offset_db(of: best.gateway)))
    }

    /// A region is left: so are its zones, at the same time.
    mutating func leaveZones(of region: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        for number in regions[region].zones {
            guard zones[number].standing.state != .outside || zones[number].standing.presence != nil else { continue }
            if let change = zones[number].empty(until: lastHeard(in: number, of: region) ?? now, at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
        for index in regions[region].beacons.sorted() {
            beacons[index].noteTold(nil, in: region)
            // Who has left a region of his own has left the store, whoever else keeps the others inside.
            if regions[region].id.minor != nil, beacons[index].key.device == nil {
                leaveZone(index, at: now, outputs: &outputs)
            }
            remove(index, from: region, at: now)
            if beacons[index].regions.isEmpty { beacons[index].move(to: nil, since: now) }
        }
    }

    /// When the gateways of a zone heard a beacon of the region last that is there; where they listed none, when any gateway did.
    private func lastHeard(in zone: Int, of region: Int) -> Instant? {
        let name = zones[zone].id.zone
        let heard = regions[region].beacons.compactMap { index -> Instant? in
            guard let told = beacons[index].toldZone(in: region), plan.name(of: told) == name else { return nil }
            return beacons[index].lastHeard(in: told)
        }
        return heard.max() ?? regions[region].lastHeardAt
    }

    /// A region was left, and entered again since: so were the zones that nothing was told of since.
    mutating func leavePastZones(of region: Int, at instant: Instant, outputs: inout [GatewayOutput]) {
        for number in regions[region].zones {
            guard let presence = zones[number].standing.presence, presence.enteredAt <= instant,
                zones[number].toldAt <= instant
            else { continue }
            let last = lastHeard(in: number, of: region) ?? instant
            if let change = zones[number].empty(until: min(last, instant), at: instant) {
                emit(zone: number, change, at: instant, outputs: &outputs)
            }
            for index in regions[region].beacons {
                let told = beacons[index].toldZone(in: region).map { plan.name(of: $0) }
                if told == zones[number].id.zone { beacons[index].noteTold(nil, in: region) }
            }
        }
    }

    mutating func zonesBecomeUnknown(of region: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        for number in regions[region].zones {
            if let change = zones[number].standing.unknown(at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
    }

    /// What was unknown is known again: who was in a zone still is, until somebody hears otherwise.
    mutating func resumeZones(of region: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        for number in regions[region].zones {
            if let change = zones[number].standing.known(at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
    }

    /// Zones that an earlier process had somebody in, and nobody was found there since.
    mutating func emptyResumedZones(at now: Instant, outputs: inout [GatewayOutput]) {
        for number in zones.indices where zones[number].members == 0 && zones[number].standing.presence != nil {
            if let change = zones[number].empty(until: now, at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
    }
}
