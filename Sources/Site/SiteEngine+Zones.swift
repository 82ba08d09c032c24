import Beacons
import Configuration
import Gateway
import HCI
import Messages
import Regions

/// Visits to zones: what is told as beacons move, and as their regions are left or not known any more.
extension SiteEngine {
    /// A beacon is in another zone since the candidate began. It leaves the one before it enters the other.
    mutating func move(
        _ index: Int, to candidate: StoreBeacon.Candidate, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        let former = beacons[index].zone
        let cause = cause(of: index, in: candidate.zone, at: now)
        for region in beacons[index].regions where regions[region].isToldInside {
            if let former { leave(region, former, until: candidate.since, at: now, outputs: &outputs) }
            // Where nobody saw it come into the store, nobody saw it come into its first zone.
            let wasThere = former == nil && regions[region].standing.presence?.beginning == .partial
            let number = zone(regions[region].id.inZone(plan.name(of: candidate.zone)), at: now)
            zones[number].cause = cause
            if let change = zones[number].enter(since: candidate.since, wasThere: wasThere, at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
        beacons[index].move(to: candidate.zone)
    }

    /// A beacon is not there any more, while others keep its region inside.
    mutating func leaveZone(_ index: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        guard let zone = beacons[index].zone else { return }
        for region in beacons[index].regions {
            leave(region, zone, until: beacons[index].listedAt, at: now, outputs: &outputs)
        }
        beacons[index].move(to: nil)
    }

    private mutating func leave(
        _ region: Int, _ zone: StorePlan.Zone, until last: Instant, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        guard let number = zoneNumbers[regions[region].id.inZone(plan.name(of: zone))],
            let change = zones[number].leave(until: last, at: now)
        else { return }
        emit(zone: number, change, at: now, outputs: &outputs)
    }

    /// The gateway of the zone that hears the beacon best.
    private func cause(of index: Int, in zone: StorePlan.Zone, at now: Instant) -> StoreRegion.Cause {
        let levels = beacons[index].levels.levels.filter { plan.zone(of: $0.gateway) == zone }
        let best = levels.max { $0.level_dbm < $1.level_dbm }
        let listing = beacons[index].listings.first { $0.gateway == best?.gateway }
        let observation =
            listing?.beacon.observation
            ?? .undetermined(rssi_dbm: best.map { $0.level_dbm - plan.offset_db(of: $0.gateway) })
        return StoreRegion.Cause(
            gateway: best?.gateway, identity: beacons[index].key.identity, observation: observation)
    }

    /// A region is left: so are its zones, at the same time.
    mutating func leaveZones(of region: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        let last = regions[region].lastHeardAt ?? now
        for number in regions[region].zones {
            guard zones[number].standing.state != .outside || zones[number].standing.presence != nil else { continue }
            if let change = zones[number].empty(until: last, at: now) {
                emit(zone: number, change, at: now, outputs: &outputs)
            }
        }
        for index in regions[region].beacons {
            beacons[index].regions.removeAll { $0 == region }
            if beacons[index].regions.isEmpty { beacons[index].move(to: nil) }
        }
        regions[region].beacons = []
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
