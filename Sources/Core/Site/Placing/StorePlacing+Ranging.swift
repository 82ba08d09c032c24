/// The places of beacons: every second they are located, and listed with their places.
extension StorePlacing {
    /// Locates every beacon that is heard, and lists those of each region.
    mutating func range(at now: Instant, _ presence: inout StorePresence, outputs: inout [GatewayOutput]) {
        var listed: [StoreRegionSlot: [ListedBeacon]] = [:]
        var (isAnyHeard, isAnyListed) = (false, false)
        for slot in beacons.slots where !beacons[slot].regions.isEmpty {
            let current = beacons[slot].levels.current(presence.gateways.hearing, at: now)
            let isInside = beacons[slot].regions.contains { presence.regions[$0].isToldInside }
            isAnyHeard = isAnyHeard || !current.isEmpty || (isInside && beacons[slot].zone == nil)
            place(slot, current, at: now, &presence, outputs: &outputs)
            // A region may have been told as inside since the beacon moved.
            tellZone(of: slot, at: now, &presence, outputs: &outputs)
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
                others: others(than: zone, of: slot), position: position)
        } else if let position {
            entry.place = BeaconPlace(zone: nil, confidence: 0, position: position)
        }
        return entry
    }

    /// Returns the likely zones of a beacon beside the one in its list.
    private func others(than zone: StorePlan.Zone, of slot: StoreBeaconSlot) -> [BeaconPlace.Likelihood] {
        // Most beacons are surely in their zone.
        guard beacons[slot].confidence < 1 - BeaconPlace.leastOther else { return [] }
        let likely = beacons[slot].belief.shares.enumerated().filter { number, share in
            number != zone.number && share >= BeaconPlace.leastOther
        }
        return likely.sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.prefix(BeaconPlace.maxOthers).map {
            BeaconPlace.Likelihood(zone: plan.names[$0.offset], confidence: $0.element)
        }
    }

    /// Locates a beacon's zone, and tells a change.
    private mutating func place(
        _ slot: StoreBeaconSlot, _ levels: [HeardLevels.Level], at now: Instant, _ presence: inout StorePresence,
        outputs: inout [GatewayOutput]
    ) {
        let inside = beacons[slot].regions.filter { presence.regions[$0].isToldInside }
        guard !inside.isEmpty else { return }
        guard !levels.isEmpty else {
            let lastList = inside.compactMap { regions[$0]?.listedAt }.max()
            guard beacons[slot].isUnlisted(whereOthersAre: lastList) else {
                return presume(slot, inside, at: now, &presence, outputs: &outputs)
            }
            leaveZone(slot, at: now, &presence, outputs: &outputs)
            // Where it is unknown whether a region is inside, its zones are not told either; the beacon stays there
            // until then.
            for region in beacons[slot].regions where beacons[slot].toldZone(in: region) == nil {
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
            heardAt: levels.filter { plan.zone(of: $0.gateway) == zone }.map(\.at).max() ?? .origin,
            at: now)
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

extension ListedBeacon {
    /// Orders the nearest first and unknown ones last. Equal ones are ordered by track, so that the order is
    /// repeatable.
    fileprivate static func isNearer(_ left: ListedBeacon, _ right: ListedBeacon) -> Bool {
        let (leftUnknown, rightUnknown) = (
            left.observation.proximity == .unknown, right.observation.proximity == .unknown
        )
        if leftUnknown != rightUnknown { return rightUnknown }
        return (left.observation.accuracy_m, left.track) < (right.observation.accuracy_m, right.track)
    }
}
