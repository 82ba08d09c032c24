/// What has changed is told, in the words of a gateway.
extension SiteEngine {
    /// Weighs a region's claims anew, and tells what has become of it.
    ///
    /// - Parameters:
    ///   - isLastCall: whether an entry that is dated in the past has waited for what its gateway tells after it.
    mutating func weigh(
        _ number: Int, isCrossing: Bool, since: Instant? = nil, at instant: Instant,
        isLastCall: Bool = false, outputs: inout [GatewayOutput]
    ) {
        var entry = PendingEntry(isCrossing: isCrossing, since: since, at: instant)
        guard isAdmitted(number, &entry, outputs: &outputs) else { return }
        if !isLastCall, let there = regions[number].pastEntries {
            let caughtUpAt = there.map { gateways[$0].progress.catchesUpUntil }.max() ?? now
            if caughtUpAt > now {
                regions[number].postpone(isCrossing: entry.isCrossing, until: caughtUpAt)
                return schedule(number)
            }
        }
        if holdsEntry(of: number, isCrossing: entry.isCrossing) { return schedule(number) }
        if regions[number].heldSince != nil {
            tellNext(of: number, at: now, StoreGateways.Told(everythingUntil: now), outputs: &outputs)
            return
        }
        let change =
            regions[number].weigh(
                spans, isCrossing: entry.isCrossing, since: entry.since, at: entry.at, now: now)
            ?? regions[number].undecided(at: entry.at)
        figures.late += regions[number].givenUp
        regions[number].givenUp = 0
        if let change { emit(number, change, outputs: &outputs) }
        schedule(number)
    }

    /// Has an old entry wait for gateways that come back at the same time: one of them may have had the beacon inside before. Where a
    /// gateway stays away the entry waits for as long again as it is old, and for 30 s at most.
    ///
    /// - Returns: whether an entry waits.
    mutating func holdsEntry(of number: Int, isCrossing: Bool) -> Bool {
        guard let begin = regions[number].oldEntry(isCrossing: isCrossing, at: now, spans) else { return false }
        let since = regions[number].heldSince ?? now
        let longest = min(min(since - begin, StoreGateways.firstWordWithin), spans.lateAfter - (since - begin))
        let told = regions[number].gateways(thatToldUntil: begin)
        let due = min(gateways.caughtUpAt(now, but: told), since + longest)
        guard due > now || regions[number].heldSince != nil else { return false }
        regions[number].hold(entryAt: begin, from: since, until: due)
        return due > now
    }

    /// Tells of a region's change. Its zones are left with it, before it.
    mutating func emit(_ number: Int, _ change: StoreRegion.Change, outputs: inout [GatewayOutput]) {
        regions[number].isTold = true
        switch change.change.state {
        case .outside where change.isPast: leavePastZones(of: number, at: change.at, outputs: &outputs)
        case .outside: leaveZones(of: number, at: change.at, outputs: &outputs)
        case .unknown: zonesBecomeUnknown(of: number, at: change.at, outputs: &outputs)
        case .inside: break
        }
        let region = regions[number]
        let transition = transition(region.id, change.change, region.cause, at: change.at)
        outputs.append(.transition(transition, record: record(region.id, region.standing, region.cause)))
        if change.change.state == .inside { resumeZones(of: number, at: change.at, outputs: &outputs) }
        noteOutside(number)
    }

    mutating func emit(
        zone number: Int, _ change: RegionStanding.Change, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        if change.crossing != nil { zones[number].toldAt = now }
        let zone = zones[number]
        if change.crossing != nil, let region = regionNumbers[zone.id.inZone(nil)] { regions[region].zonesToldAt = now }
        outputs.append(
            .transition(
                transition(zone.id, change, zone.cause, at: now),
                record: record(zone.id, zone.standing, zone.cause)))
    }

    private func transition(
        _ id: RegionInstanceID, _ change: RegionStanding.Change, _ cause: StoreRegion.Cause?, at now: Instant
    ) -> RegionTransition {
        // Without any gateway's event or list nobody knows which beacon it was.
        let event = change.crossing.flatMap { crossing in
            cause.map { RegionEvent(crossing, by: $0.told(at: crossing), gateway: name(of: $0.gateway)) }
        }
        return RegionTransition(instance: id, state: change.state, since: change.since, at: now, event: event)
    }

    private func name(of gateway: GatewayIndex?) -> String? { gateway.map { gateways[$0].settings.id } }

    /// What to store; `nil` while there is nothing to go on from.
    private func record(
        _ id: RegionInstanceID, _ standing: RegionStanding, _ cause: StoreRegion.Cause?
    ) -> RegionRecord? {
        let constraint = cause.map {
            BeaconIdentityConstraint(uuid: $0.identity.uuid, major: id.major, minor: id.minor)
        }
        switch standing.occupancy {
        case .unsettled: return nil
        case .outside(let since): return RegionRecord(instance: id, .beacon(of: constraint), .outside(since: since))
        case .inside(let presence):
            guard let cause else { return nil }
            let keeper = BeaconKeeper(
                major: cause.identity.major, minor: cause.identity.minor, rssi_dbm: cause.observation.rssi_dbm)
            let stay = RegionRecord.OpenStay(
                enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                keeper: .beacon(keeper))
            return RegionRecord(instance: id, .beacon(of: constraint), .inside(stay))
        }
    }

    /// The stays under way, to be stored.
    package var recordsOfStays: [RegionRecord] {
        regions.filter { $0.standing.presence != nil }.compactMap { record($0.id, $0.standing, $0.cause) }
            + zones.filter { $0.standing.presence != nil }.compactMap { record($0.id, $0.standing, $0.cause) }
    }

    /// How many region instances are held, zones among them.
    var instanceCount: Int {
        admission.plainCount + admission.instanceCount + zones.count - admission.freeZones.count
    }

    /// No gateway monitors a region any more: the stays under way are over for subscribers, and its states are cleared.
    mutating func end(_ number: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        for zone in regions[number].zones {
            endStay(zones[zone].id, zones[zone].standing, zones[zone].cause, at: now, outputs: &outputs)
        }
        endStay(
            regions[number].id, regions[number].standing, regions[number].cause, at: now, outputs: &outputs)
        if regions[number].standing.presence != nil {
            endings.note(regions[number].id, at: now, lateAfter: settings.lateAfter)
        }
        release(number, outputs: &outputs)
    }

    private func endStay(
        _ id: RegionInstanceID, _ standing: RegionStanding, _ cause: StoreRegion.Cause?, at now: Instant,
        outputs: inout [GatewayOutput]
    ) {
        guard standing.presence != nil, let record = record(id, standing, cause),
            var event = record.unmonitoredExit(at: now)
        else { return }
        event.gateway = name(of: cause?.gateway)
        outputs.append(.ended(id, event, at: now))
    }
}

extension StoreRegion.Cause {
    /// At an exit the beacon is not there any more, so how near it is nobody knows.
    fileprivate func told(at crossing: RegionEvent.Kind) -> RegionEvent.Cause {
        switch crossing {
        case .enter: .beacon(identity, observation)
        case .exit: .beacon(identity, .undetermined(rssi_dbm: observation.rssi_dbm))
        }
    }
}
