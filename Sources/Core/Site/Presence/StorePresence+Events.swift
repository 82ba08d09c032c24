/// A gateway's event, with its region and beacon.
struct ArrivedEvent: Sendable {
    var payload: EventPayload
    var instance: RegionInstanceID
    var identity: BeaconIdentity
    var observation: BeaconObservation
    var gateway: GatewayIndex
}

/// Events, and the states that name them.
extension StorePresence {
    mutating func receive(_ event: ArrivedEvent, _ arrival: Arrival) {
        let (payload, gateway) = (event.payload, event.gateway)
        guard let slot = region(event.instance, isPresent: payload.exit == nil, at: arrival.now) else { return }
        noteProgress(of: gateway, at: arrival.now) { progress, now in
            progress.note(arrival)
            progress.noteWord(at: now)
            if payload.exit != nil { progress.forget(slot) }
        }
        let numbers = regions[slot].claim(of: gateway)?.numbers ?? SeenNumbers()
        // Delivery is at least once, so an event may come again.
        if numbers.holds(payload.seq, of: payload.epoch) { return }
        if let exit = payload.exit, exit.ending == .unmonitored {
            // No beacon left. The gateway has no claim any more, and had it inside until then.
            regions[slot].cause = regions[slot].cause ?? StoreRegion.Cause(of: event)
            let last = arrival.event - max(payload.head.at - exit.lastHeardAt, .zero)
            regions[slot].heard(until: last)
            return withdraw(
                gateway, from: event.instance, heardUntil: last, endedAt: arrival.event, at: arrival.now)
        }
        claim(gateway, of: slot, payload.epoch, saidAt: nil) { $0.numbers.note(payload.seq, of: payload.epoch) }
        // Its state could not wait any longer and was applied without it. An exit still tells the stay.
        let isOvertaken = numbers.isOvertaken(payload.seq, of: payload.epoch)
        if arrival.isLate || (isOvertaken && payload.exit == nil) {
            // Within a visit whose entry is known, the state has told what the entry tells.
            let visit = regions[slot].standing.presence
            let isKnown = visit.map { $0.beginning == .observed && $0.enteredAt <= arrival.event } ?? false
            if arrival.isLate || !isKnown { lateCount += 1 }
            return
        }
        if let exit = payload.exit {
            receive(exit, of: event, isOvertaken: isOvertaken, in: slot, arrival)
        } else {
            receiveEntry(event, in: slot, arrival)
        }
        weigh(slot, Evidence(isCrossing: payload.exit == nil, at: arrival.event))
        let state = early.take(named: payload, of: slot, gateway, in: gateways[gateway].epoch?.name)
        if let state { apply(state, at: arrival.now) }
    }

    private mutating func receiveEntry(_ event: ArrivedEvent, in slot: StoreRegionSlot, _ arrival: Arrival) {
        let cause = StoreRegion.Cause(of: event)
        regions[slot].note(StayLog.Entry(at: arrival.event, cause: cause))
        claim(event.gateway, of: slot, event.payload.epoch, saidAt: arrival.now) { claim in
            let at = claim.count(event.payload.seq, of: event.payload.epoch, at: arrival.event)
            claim.enter(at: at)
        }
        if regions[slot].standing.presence == nil || regions[slot].cause == nil { regions[slot].cause = cause }
        note(.heard(slot, event, until: arrival.event, at: arrival.now))
    }

    /// - Parameter isOvertaken: whether the claim has changed with a later state.
    private mutating func receive(
        _ exit: EventPayload.Stay, of event: ArrivedEvent, isOvertaken: Bool, in slot: StoreRegionSlot,
        _ arrival: Arrival
    ) {
        let (payload, at) = (event.payload, arrival.event)
        let known = isOvertaken ? nil : regions[slot].claim(of: event.gateway)?.onlyEntry
        if !isOvertaken {
            claim(event.gateway, of: slot, payload.epoch, saidAt: arrival.now) { claim in
                let left = claim.count(payload.seq, of: payload.epoch, at: at)
                claim.leave(at: left)
            }
        }
        // The gateway's own clock gives the time before the exit. No report comes after the exit.
        let last = at - max(payload.head.at - exit.lastHeardAt, .zero)
        let entered = min(at - max(payload.head.at - exit.enteredAt, .zero), known ?? last, last)
        let entry = regions[slot].standing.presence == nil ? nil : regions[slot].cause
        let cause = StoreRegion.Cause(of: event, ending: entry)
        let stay = StayLog.Stay(
            from: entered, to: at, lastHeardAt: last, cause: cause, beginning: exit.beginning, ending: exit.ending)
        note(stay, of: slot)
        regions[slot].heard(until: last)
        // In a region of several beacons the exit names the first one, not the last.
        if event.instance.minor != nil { self.note(.heard(slot, event, until: last, at: arrival.now)) }
        regions[slot].noteExit(isTold: true)
        // While the end of the visit is undecided, the cause stays that of the open visit.
        if !regions[slot].isUndecided { regions[slot].cause = cause }
    }

    /// Takes a state. It is the present, however late it comes, unless newer news is known. A state that names an event
    /// which may still come waits for it: after a line was down, states come first.
    mutating func receive(
        _ payload: StatePayload, of instance: RegionInstanceID, from gateway: GatewayIndex, _ arrival: Arrival
    ) {
        guard let slot = region(instance, isPresent: payload.state == .inside, at: arrival.now) else { return }
        let numbers = regions[slot].claim(of: gateway)?.numbers ?? SeenNumbers()
        guard !numbers.isOver(payload.epoch), payload.eventSeq >= numbers.appliedSeq(in: payload.epoch) else { return }
        noteProgress(of: gateway, at: arrival.now) { progress, now in
            progress.noteWord(at: now)
            if payload.state != .inside { progress.forget(slot) }
        }
        early.forget(slot, gateway)
        let state = EarlyStates.State(region: slot, gateway: gateway, payload: payload, arrival: arrival)
        // A state of a new epoch names no event of the epoch before, and may come before these.
        let stay = regions[slot].claim(of: gateway)?.stay
        let endsEarlierEpoch = payload.state == .outside && stay.map { $0.epoch != payload.epoch } ?? false
        if payload.eventSeq > numbers.seenSeq(in: payload.epoch) || endsEarlierEpoch, !arrival.isLate {
            gateways[gateway].progress.catchUp(at: arrival.now)
            early.wait(state)
        } else {
            apply(state, at: arrival.now)
        }
    }

    /// Applies the earliest waiting state without its event, if it has waited for long enough.
    mutating func applyEarliest(at now: Instant) {
        // A state `inside` keeps the region inside, so it does not wait for the line.
        let state = early.takeFirst(lateAfter: spans.lateAfter) { state in
            state.payload.state == .inside
                ? gateways[state.gateway].progress.catchesUpUntil : gateways.caughtUpAt(state.gateway, at: now)
        }
        if let state { apply(state, at: now) }
    }

    /// Applies a state.
    private mutating func apply(_ state: EarlyStates.State, at now: Instant) {
        let (slot, payload) = (state.region, state.payload)
        let known = regions[slot].claim(of: state.gateway)
        // A stay of an earlier epoch ended without being watched.
        let isOtherEpoch = known?.stay.map { $0.epoch != payload.epoch } ?? false
        let isTold = isOtherEpoch || payload.eventSeq > (known?.numbers.appliedSeq(in: payload.epoch) ?? 0)
        // A change long ago does not alter history: it counts from now on.
        let told = state.arrival.instant(payload.since)
        let arrival = state.arrival.now
        let since = arrival - told > spans.lateAfter ? arrival : told
        claim(state.gateway, of: slot, payload.epoch, saidAt: now) { claim in
            claim.numbers.overtake(payload.eventSeq, of: payload.epoch)
            let isThere: Bool? = payload.state == .unknown ? nil : payload.state == .inside
            claim.state(isThere, since: isThere == true ? told : since, at: now)
        }
        if payload.state == .outside, let entered = known?.thereSince {
            note(
                StayLog.Stay(
                    from: entered, to: since, lastHeardAt: entered, beginning: known?.stay?.beginning ?? .observed,
                    ending: isOtherEpoch ? .inferred : .observed), of: slot)
            regions[slot].noteExit(isTold: isTold)
            regions[slot].cause?.gateway = state.gateway
        }
        weigh(slot, Evidence(since: payload.state == .inside ? told : nil, at: now))
    }
}

extension StoreRegion.Cause {
    /// - Parameter entry: the cause of the entry that an exit ends. Both name one beacon, so that a visit has a
    ///   beginning and an end.
    fileprivate init(of event: ArrivedEvent, ending entry: StoreRegion.Cause? = nil) {
        let observation =
            event.payload.exit == nil ? event.observation : .undetermined(rssi_dbm: event.observation.rssi_dbm)
        self.init(gateway: event.gateway, identity: entry?.identity ?? event.identity, observation: observation)
    }
}
