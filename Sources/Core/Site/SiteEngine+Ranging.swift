/// Where beacons are: every second they are placed, and listed with their places.
extension SiteEngine {
    static let rangingInterval = TimeSpan.seconds(1)

    /// A gateway has listed beacons.
    mutating func list(
        _ list: ListedBeacons, of instance: RegionInstanceID, from gateway: GatewayIndex, _ arrival: Arrival,
        outputs: inout [GatewayOutput]
    ) {
        // What is pending has no beacons until it exists.
        guard let number = region(instance, isPresent: false, at: arrival.now), regions[number].pending == nil else {
            return
        }
        // A gateway that was away had it inside before, and hears it now.
        if !list.beacons.isEmpty, gateways.hearing.contains(gateway), let known = regions[number].claim(of: gateway),
            known.isThere, known.deafSince != nil
        {
            claim(gateway, of: number, known.numbers.epoch, saidAt: arrival.now) { _ in }
            weigh(number, isCrossing: false, at: arrival.now, outputs: &outputs)
        }
        if tellsDevices { for listed in list.beacons where listed.isDuplicate { tellApart(listed) } }
        var present: Set<Int> = []
        for listed in list.beacons {
            guard let index = beacon(key(of: listed), in: number) else { continue }
            let heardAt = arrival.event - .milliseconds(listed.age_ms)
            present.insert(index)
            regions[number].heard(until: min(heardAt, arrival.now))
            beacons[index].list(StoreBeacon.Listing(listed, by: gateway, at: arrival.now))
            if tellsDevices, beacons[index].isShared(at: arrival.now) { tellApart(listed) }
            beacons[index].heard(in: plan.zone(of: gateway), at: min(heardAt, arrival.now))
            guard let rssi_dbm = listed.observation.rssi_dbm, listed.observation.proximity != .unknown else { continue }
            beacons[index].levels.note(
                HeardLevels.Level(gateway: gateway, level_dbm: rssi_dbm + plan.offset_db(of: gateway), at: arrival.now))
        }
        for missing in regions[number].lists[gateway, default: []].subtracting(present) {
            beacons[missing].unlist(gateway)
        }
        regions[number].lists[gateway] = present
        noteProgress(of: gateway, at: arrival.now) { progress in
            progress.noteList(of: number, isEmpty: present.isEmpty, at: arrival.now)
        }
        regions[number].listedAt = arrival.now
        wake(at: arrival.now)
    }

    /// Who a listed beacon is. Devices of one identity that were told apart once are told apart from then on.
    private func key(of listed: ListedBeacon) -> BeaconKey {
        let device = BeaconKey(identity: listed.identity, device: listed.device)
        return sharedIdentities.contains(listed.identity) ? device : BeaconKey(identity: listed.identity, device: nil)
    }

    /// Several devices share an identity. Who was followed as the only one is the first of them that is listed.
    private mutating func tellApart(_ listed: ListedBeacon) {
        guard sharedIdentities.count < maxBeacons, sharedIdentities.insert(listed.identity).inserted,
            let number = beaconNumbers.removeValue(forKey: BeaconKey(identity: listed.identity, device: nil))
        else { return }
        let key = BeaconKey(identity: listed.identity, device: listed.device)
        beacons[number].key = key
        beacons[number].keepListings(of: listed.device)
        beaconNumbers[key] = number
    }

    /// An entry says how strongly a beacon is heard, also where no list comes.
    mutating func hear(_ event: ArrivedEvent, _ number: Int, _ arrival: Arrival) {
        // Which of several devices it was, an event does not say.
        guard !sharedIdentities.contains(event.identity),
            let index = beacon(BeaconKey(identity: event.identity, device: nil), in: number)
        else { return wake(at: arrival.now) }
        if let rssi_dbm = event.observation.rssi_dbm {
            beacons[index].levels.note(
                HeardLevels.Level(
                    gateway: event.gateway, level_dbm: rssi_dbm + plan.offset_db(of: event.gateway), at: arrival.now))
        }
        wake(at: arrival.now)
    }

    private mutating func wake(at now: Instant) {
        if rangingDue == .distantFuture { rangingDue = now + Self.rangingInterval }
    }

    /// The number of a beacon, which it gets where it is new; `nil` where there are too many.
    private mutating func beacon(_ key: BeaconKey, in region: Int) -> Int? {
        if let known = beaconNumbers[key] {
            if regions[region].beacons.insert(known).inserted { beacons[known].enter(region) }
            return known
        }
        let beacon = StoreBeacon(key, track: lastTrack + 1)
        guard let number = place(beacon) else { return nil }
        lastTrack += 1
        beacons[number].enter(region)
        beaconNumbers[key] = number
        regions[region].beacons.insert(number)
        return number
    }

    /// Keeps a new beacon. Where there are as many as there may be, it takes the place of the one that has left longest ago.
    private mutating func place(_ beacon: StoreBeacon) -> Int? {
        guard beacons.count >= maxBeacons else {
            beacons.append(beacon)
            return beacons.count - 1
        }
        while let left = leftBeacons.removeFirst() {
            let oldest = left.subject
            guard beacons[oldest].hasLeft(at: left.due) else { continue }
            beaconNumbers[beacons[oldest].key] = nil
            beacons[oldest] = beacon
            return oldest
        }
        figures.refusedBeacons += 1
        return nil
    }

    /// A beacon is in a region no more. One that is in none may give way to another.
    mutating func remove(_ index: Int, from region: Int, at now: Instant) {
        regions[region].beacons.remove(index)
        for gateway in regions[region].lists.keys { regions[region].lists[gateway]?.remove(index) }
        beacons[index].leave(region)
        guard beacons[index].regions.isEmpty else { return }
        beacons[index].leftAt = now
        leftBeacons.set(index, at: now)
        leftBeacons.throwOutStale(of: beacons.count) { [beacons] in beacons[$0.subject].hasLeft(at: $0.due) }
    }

    /// Places every beacon that is heard, and lists those of each region.
    mutating func range(at now: Instant, outputs: inout [GatewayOutput]) {
        var listed: [Int: [ListedBeacon]] = [:]
        var (isAnyHeard, isAnyListed) = (false, false)
        for index in beacons.indices where !beacons[index].regions.isEmpty {
            let current = beacons[index].levels.current(gateways.hearing, at: now)
            let isInside = beacons[index].regions.contains { regions[$0].isToldInside }
            isAnyHeard = isAnyHeard || !current.isEmpty || (isInside && beacons[index].zone == nil)
            place(index, current, at: now, outputs: &outputs)
            // One of its regions may have come to be told inside since it moved.
            tellZone(of: index, at: now, outputs: &outputs)
            guard let best = beacons[index].best(gateways.hearing, at: now) else { continue }
            let entry = entry(index, best, current, at: now)
            for number in beacons[index].regions {
                isAnyListed = true
                if listed[number] == nil {
                    listed[number] = []
                    listed[number]?.reserveCapacity(regions[number].beacons.count)
                }
                listed[number]?.append(entry)
            }
        }
        for number in listed.keys.sorted() {
            guard var beacons = listed.removeValue(forKey: number) else { continue }
            beacons.sort(by: ListedBeacon.isNearer)
            outputs.append(
                .listed(
                    ListedBeacons(
                        instance: regions[number].id, count: beacons.count { !$0.isResolving }, beacons: beacons),
                    at: now))
        }
        rangingDue = isAnyHeard || isAnyListed ? now + Self.rangingInterval : .distantFuture
    }

    private func entry(
        _ index: Int, _ best: StoreBeacon.Listing, _ levels: [HeardLevels.Level], at now: Instant
    ) -> ListedBeacon {
        var entry = best.beacon(beacons[index].key.identity, track: beacons[index].track)
        let sinceThen_ms = (now - best.at).microseconds / 1_000
        entry.age_ms = entry.age_ms > Int64.max / 2 ? entry.age_ms : entry.age_ms + sinceThen_ms
        if let zone = beacons[index].listedZone,
            beacons[index].confidence >= StoreBeacon.leastShown
        {
            entry.place = BeaconPlace(
                zone: plan.name(of: zone), confidence: min(beacons[index].confidence, 0.99),
                position: PositionEstimate.of(levels, in: zone, plan))
        }
        return entry
    }

    /// Finds out which zone a beacon is in, and tells of it where that is another one.
    private mutating func place(
        _ index: Int, _ levels: [HeardLevels.Level], at now: Instant, outputs: inout [GatewayOutput]
    ) {
        let inside = beacons[index].regions.filter { regions[$0].isToldInside }
        guard !inside.isEmpty else { return }
        guard !levels.isEmpty else {
            let isGone = beacons[index].isUnlisted(whereOthersAre: inside.compactMap { regions[$0].listedAt }.max())
            if isGone {
                leaveZone(index, at: now, outputs: &outputs)
                // Where nobody knows whether a region is inside, its zones are not told of either: there it stays until then.
                for region in beacons[index].regions where beacons[index].toldZone(in: region) == nil {
                    remove(index, from: region, at: now)
                }
                return
            }
            return presume(index, inside, at: now, outputs: &outputs)
        }
        let awaited = gateways.awaited(at: now)
        let shares = beacons[index].belief.weigh(
            levels, plan, gateways.hearing.subtracting(awaited), gateways.all.indices, at: now)
        guard let likeliest = shares.indices.max(by: { shares[$0] < shares[$1] }) else { return }
        // It may as well be with a gateway that has not spoken yet.
        let isOpen = !awaited.isEmpty && beacons[index].zone == nil && shares[likeliest] < StoreBeacon.sureEnough
        if isOpen { return }
        let held = beacons[index].zone.map { shares[$0.number] } ?? 0
        let zone = StorePlan.Zone(number: likeliest)
        let move = beacons[index].decide(
            (zone, shares[likeliest]), share: held,
            heardAt: levels.filter { plan.zone(of: $0.gateway) == zone }.map(\.at).max() ?? .origin,
            isListedInZone: levels.contains { plan.zone(of: $0.gateway) == beacons[index].zone }, at: now)
        if let move { self.move(index, to: move, at: now, outputs: &outputs) }
    }

    /// Where nobody lists a beacon, what the gateways claim of its region is all there is: it is with those that have it inside.
    private mutating func presume(_ index: Int, _ inside: [Int], at now: Instant, outputs: inout [GatewayOutput]) {
        guard let region = inside.first(where: { regions[$0].cause?.identity == beacons[index].key.identity }) else {
            return
        }
        let there = regions[region].claims.filter { $0.isThere && $0.unprovedSince == nil }
        let zones = Set(there.map { plan.zone(of: $0.gateway) })
        guard let first = zones.first, zones.count == 1 else { return }
        let share = beacons[index].zone == first ? StoreBeacon.presumed : 0
        let move = beacons[index].decide((first, StoreBeacon.presumed), share: share, at: now)
        if let move { self.move(index, to: move, at: now, outputs: &outputs) }
    }
}

extension ListedBeacon {
    /// Nearest first, unknown last; those alike by track, so that the order is always the same.
    fileprivate static func isNearer(_ left: ListedBeacon, _ right: ListedBeacon) -> Bool {
        let (leftUnknown, rightUnknown) = (
            left.observation.proximity == .unknown, right.observation.proximity == .unknown
        )
        if leftUnknown != rightUnknown { return rightUnknown }
        return (left.observation.accuracy_m, left.track) < (right.observation.accuracy_m, right.track)
    }
}
