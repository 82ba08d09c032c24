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
        if tellsDevices { for listed in list.beacons where listed.isDuplicate { tellApart(listed) } }
        var present: Set<StoreBeaconSlot> = []
        for listed in list.beacons {
            guard let slot = beacon(key(of: listed), in: region) else { continue }
            let heardAt = arrival.event - .milliseconds(listed.age_ms)
            present.insert(slot)
            presence.regions[region].heard(until: min(heardAt, arrival.now))
            beacons[slot].list(StoreBeacon.Listing(listed, by: gateway, at: arrival.now))
            if tellsDevices, beacons[slot].isShared(at: arrival.now) { tellApart(listed) }
            beacons[slot].heard(in: plan.zone(of: gateway), at: min(heardAt, arrival.now))
            guard let rssi_dbm = listed.presentLevel_dbm else { continue }
            note(rssi_dbm, of: slot, by: gateway, at: arrival.now)
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
        // An event does not tell which of several devices it was.
        guard !sharedIdentities.contains(event.identity),
            let slot = event.payload.exit == nil ? beacon(key, in: region) : beacons.slot(of: key)
        else { return }
        beacons[slot].heard(in: plan.zone(of: event.gateway), at: min(last, now))
        guard event.payload.exit == nil, let rssi_dbm = event.observation.rssi_dbm else { return }
        note(rssi_dbm, of: slot, by: event.gateway, at: now)
    }

    private mutating func note(
        _ rssi_dbm: Double, of beacon: StoreBeaconSlot, by gateway: GatewayIndex, at now: Instant
    ) {
        beacons[beacon].levels.note(
            HeardLevels.Level(gateway: gateway, level_dbm: rssi_dbm + plan.offset_db(of: gateway), at: now))
    }

    private mutating func wake(at now: Instant) {
        if rangingDue == .distantFuture { rangingDue = now + Self.rangingInterval }
    }

    /// Returns the key of a listed beacon. Devices of one identity that were told apart once stay separate.
    private func key(of listed: ListedBeacon) -> BeaconKey {
        let device = BeaconKey(identity: listed.identity, device: listed.device)
        return sharedIdentities.contains(listed.identity) ? device : BeaconKey(identity: listed.identity, device: nil)
    }

    /// Separates the devices that share an identity. The beacon so far becomes the first device listed.
    private mutating func tellApart(_ listed: ListedBeacon) {
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
    mutating func remove(_ beacon: StoreBeaconSlot, from region: StoreRegionSlot, at now: Instant) {
        regions[region]?.beacons.remove(beacon)
        for gateway in regions[region]?.lists.keys.map({ $0 }) ?? [] { regions[region]?.lists[gateway]?.remove(beacon) }
        beacons[beacon].leave(region)
        guard beacons[beacon].regions.isEmpty else { return }
        beacons[beacon].leftAt = now
        leftBeacons.set(beacon, at: now)
        leftBeacons.throwOutStale(of: beacons.slotCount) { [beacons] in beacons[$0.subject].hasLeft(at: $0.due) }
    }
}
