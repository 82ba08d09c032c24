/// News of gateways comes in.
extension SiteEngine {
    /// A message came.
    ///
    /// - Parameters:
    ///   - now: when it arrived; everything that is due before has come to pass by `advance`.
    ///   - timebase: what the store's clock says of instants.
    ///   - isRetained: whether the broker had kept it: then its arrival says nothing of the gateway's clock.
    package mutating func receive(
        _ news: GatewayNews, at now: Instant, _ timebase: Timebase, isRetained: Bool = false,
        outputs: inout [GatewayOutput]
    ) {
        if let instance = news.instance, !settings.regions.isEmpty, !settings.regions.contains(instance.region) {
            return
        }
        guard let gateway = gateways.index(of: news.gateway) else {
            figures.refusedGateways += 1
            return
        }
        self.now = max(self.now, now)
        plan.update(gateways)
        let arrival = Arrival(news.head, at: now, timebase, lateAfter: settings.lateAfter)
        // A will's time is that of its connection, so a status says nothing of the clock.
        if let head = news.head { note(head, of: gateway, arrival, showsClock: news.instance != nil && !isRetained) }
        if let instance = news.instance, !isJoined(news.content, of: instance, from: gateway, outputs: &outputs) {
            return
        }
        switch news.content {
        case .status(let payload):
            if payload.isOnline { gateways.note(epoch: payload.epoch, of: gateway, begin: arrival.event) }
            receive(payload, from: gateway, at: now, outputs: &outputs)
            gateways.awaitRestatement(of: gateway, at: now)
        case .cleared:
            if let instance = news.instance { withdraw(gateway, from: instance, at: now, outputs: &outputs) }
        case .event(let payload):
            guard let instance = news.instance, case .beacon(let identity, let observation) = payload.cause else {
                return
            }
            let event = ArrivedEvent(
                payload: payload, instance: instance, identity: identity, observation: observation, gateway: gateway)
            receive(event, arrival, outputs: &outputs)
        case .state(let payload):
            // A circle is where one gateway is; there is nothing to join.
            guard let instance = news.instance, payload.circle == nil else { return }
            receive(payload, of: instance, from: gateway, arrival, outputs: &outputs)
        case .ranging(let payload):
            guard let instance = news.instance else { return }
            if arrival.isLate {
                figures.late += 1
            } else {
                list(payload.list, of: instance, from: gateway, arrival, outputs: &outputs)
            }
        }
    }

    /// Whether a gateway's region is the store's region of that id. What it has told before is withdrawn where it is not.
    private mutating func isJoined(
        _ content: GatewayNews.Content, of instance: RegionInstanceID, from gateway: GatewayIndex,
        outputs: inout [GatewayOutput]
    ) -> Bool {
        if case .cleared = content {
            if instance.discriminator == .whole { owners.withdraw(gateway, region: instance.region) }
            return true
        }
        let decision = owners.decide(
            gateway, region: instance.region, content.uuid, limit: admission.maxRegions)
        switch decision {
        case .joined: return true
        case .refused: break
        case .refusedFirst(let owner, let known):
            if let uuid = content.uuid {
                let cause = RegionMonitoringNotice.Cause.otherUUID(
                    uuid, gateway: gateways[gateway].settings.id, known: known,
                    knownGateway: gateways[owner].settings.id)
                outputs.append(.notice(RegionMonitoringNotice(region: instance.region, cause), at: now))
            }
            let instances = regionNumbers.filter { $0.key.region == instance.region }.sorted { $0.value < $1.value }
            for (id, _) in instances { withdraw(gateway, from: id, at: now, outputs: &outputs) }
        }
        figures.malformed += 1
        return false
    }

    /// A message that could not be read.
    package mutating func receiveMalformed() { figures.malformed += 1 }

    private mutating func note(_ head: PayloadHead, of gateway: GatewayIndex, _ arrival: Arrival, showsClock: Bool) {
        gateways[gateway].isClockSynced = head.isClockSynced
        gateways[gateway].lastArrival = arrival.now
        if showsClock, !arrival.isLate { gateways[gateway].clockOffset = arrival.told - arrival.now }
    }

    /// A gateway that can't hear any more proves nothing from now on. One whose radio was blind has stood by its words all the time, and
    /// they prove something again. One that was away says everything anew, so that nothing is made of what it said before.
    private mutating func receive(
        _ status: StatusPayload, from gateway: GatewayIndex, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        let status = StoreGateways.Status(isOnline: status.isOnline, radio: status.radio)
        noteProgress(of: gateway, at: now) { $0.noteWord() }
        let wasAway = gateways[gateway].awaySince != nil
        let hasChanged = gateways.note(status, of: gateway, at: now)
        if wasAway, status.isOnline { lookAgain(at: now) }
        guard hasChanged || wasAway == status.isOnline else { return }
        for number in regions.indices where regions[number].claim(of: gateway) != nil {
            let offlineAt = gateways[gateway].offlineAt
            regions[number].change(gateway) { claim in
                let hasSpoken = offlineAt.map { claim.saidAt > $0 } ?? true
                if !status.hears {
                    claim.deafSince = claim.deafSince ?? now
                } else if hasSpoken {
                    claim.deafSince = nil
                }
                if !status.isOnline {
                    claim.awaySince = claim.awaySince ?? now
                } else if hasSpoken {
                    claim.awaySince = nil
                }
            }
            weigh(number, isCrossing: false, at: now, outputs: &outputs)
        }
    }

    /// Takes down that a gateway has said something. Exits that wait for a list which it owed are looked at again.
    mutating func noteProgress(
        of gateway: GatewayIndex, at now: Instant, _ change: (inout GatewayProgress) -> Void
    ) {
        let owedList = gateways.all[gateway.number].progress.owesList(at: now)
        change(&gateways.all[gateway.number].progress)
        if owedList { lookAgain(at: now) }
    }

    struct ArrivedEvent {
        package var payload: EventPayload
        package var instance: RegionInstanceID
        var identity: BeaconIdentity
        var observation: BeaconObservation
        package var gateway: GatewayIndex
    }

    private mutating func receive(_ event: ArrivedEvent, _ arrival: Arrival, outputs: inout [GatewayOutput]) {
        let (payload, gateway) = (event.payload, event.gateway)
        guard let number = region(event.instance, isPresent: payload.exit == nil, at: arrival.now) else { return }
        noteProgress(of: gateway, at: arrival.now) { progress in
            progress.note(arrival)
            progress.noteWord()
        }
        let numbers = regions[number].claim(of: gateway)?.numbers ?? SeenNumbers()
        // At least once: the same event may come again.
        if numbers.holds(payload.seq, of: payload.epoch) { return }
        if let exit = payload.exit, exit.ending == .unmonitored {
            // No beacon left: this gateway has nothing to say of it any more, and had it inside until then.
            regions[number].cause = regions[number].cause ?? cause(event, nil)
            let last = arrival.event - max(payload.head.at - exit.lastHeardAt, .zero)
            regions[number].heard(until: last)
            return withdraw(
                gateway, from: event.instance, heardUntil: last, endedAt: arrival.event, at: arrival.now,
                outputs: &outputs)
        }
        claim(gateway, of: number, payload.epoch, saidAt: nil) { $0.numbers.note(payload.seq, of: payload.epoch) }
        // Where its state could not wait for it any longer, that was told without it.
        if arrival.isLate || numbers.isOvertaken(payload.seq, of: payload.epoch) {
            figures.late += 1
            return
        }
        if let exit = payload.exit {
            receive(exit, of: event, in: number, arrival)
        } else {
            receiveEntry(event, in: number, arrival)
        }
        weigh(number, isCrossing: payload.exit == nil, at: arrival.event, outputs: &outputs)
        if let state = early.take(named: payload, of: number, gateway) {
            apply(state, at: arrival.now, outputs: &outputs)
        }
    }

    private mutating func receiveEntry(_ event: ArrivedEvent, in number: Int, _ arrival: Arrival) {
        let cause = cause(event, nil)
        regions[number].note(StayLog.Entry(at: arrival.event, cause: cause))
        claim(event.gateway, of: number, event.payload.epoch, saidAt: arrival.now) { claim in
            let at = claim.count(event.payload.seq, of: event.payload.epoch, at: arrival.event)
            claim.enter(at: at)
        }
        if regions[number].standing.presence == nil || regions[number].cause == nil { regions[number].cause = cause }
        hear(event, number, arrival)
    }

    private mutating func receive(_ exit: EventPayload.Stay, of event: ArrivedEvent, in number: Int, _ arrival: Arrival)
    {
        let (payload, at) = (event.payload, arrival.event)
        let known = regions[number].claim(of: event.gateway)?.onlyEntry
        claim(event.gateway, of: number, payload.epoch, saidAt: arrival.now) { claim in
            let left = claim.count(payload.seq, of: payload.epoch, at: at)
            claim.leave(at: left)
        }
        // The gateway's own clock says how long before the exit that was. Nothing is heard after it has left.
        let last = at - max(payload.head.at - exit.lastHeardAt, .zero)
        let entered = min(at - max(payload.head.at - exit.enteredAt, .zero), known ?? last, last)
        let entry = regions[number].standing.presence == nil ? nil : regions[number].cause
        let cause = cause(event, entry)
        let stay = StayLog.Stay(from: entered, to: at, lastHeardAt: last, cause: cause, beginning: exit.beginning)
        note(stay, of: number)
        regions[number].heard(until: last)
        regions[number].noteExit(isTold: true, isInferred: exit.ending == .inferred)
        // While it is not decided whether it has been left, the cause is that of the visit under way.
        if !regions[number].isUndecided { regions[number].cause = cause }
    }

    /// - Parameter entry: the cause of the entry that an exit ends: both name one beacon, so that a visit has a beginning and an end.
    private func cause(_ event: ArrivedEvent, _ entry: StoreRegion.Cause?) -> StoreRegion.Cause {
        let observation =
            event.payload.exit == nil
            ? event.observation : .undetermined(rssi_dbm: event.observation.rssi_dbm)
        return StoreRegion.Cause(
            gateway: event.gateway, identity: entry?.identity ?? event.identity, observation: observation)
    }

    /// Changes a claim. A gateway that can't hear proves nothing, also where its claim is new.
    ///
    /// - Parameter saidAt: when the gateway said something of the region that counts; `nil` where it did not.
    mutating func claim(
        _ gateway: GatewayIndex, of number: Int, _ epoch: String, saidAt: Instant?, _ change: (inout Claim) -> Void
    ) {
        let (deafSince, awaySince) = (gateways[gateway].deafSince, gateways[gateway].awaySince)
        regions[number].change(gateway) { claim in
            if saidAt != nil || claim.numbers.epoch.isEmpty {
                (claim.deafSince, claim.awaySince) = (deafSince, awaySince)
            }
            claim.saidAt = saidAt ?? claim.saidAt
            claim.numbers.enter(epoch)
            change(&claim)
        }
        // Its status may have come before what an earlier epoch has left.
        if saidAt != nil, let present = gateways[gateway].epoch, present.name != epoch {
            gateways.awaitRestatement(of: gateway, at: now)
        }
    }

    /// A state is the present, however late it comes, but for one that is older than what is known. One that names an event which
    /// may still come and count waits for it: after a line was down, states come first.
    private mutating func receive(
        _ payload: StatePayload, of instance: RegionInstanceID, from gateway: GatewayIndex, _ arrival: Arrival,
        outputs: inout [GatewayOutput]
    ) {
        guard let number = region(instance, isPresent: payload.state == .inside, at: arrival.now) else { return }
        let state = EarlyStates.State(number: number, gateway: gateway, payload: payload, arrival: arrival)
        let numbers = regions[number].claim(of: gateway)?.numbers ?? SeenNumbers()
        guard !numbers.isOver(payload.epoch), payload.eventSeq >= numbers.appliedSeq(in: payload.epoch) else { return }
        noteProgress(of: gateway, at: arrival.now) { $0.noteWord() }
        early.forget(number, gateway)
        if payload.eventSeq > numbers.seenSeq(in: payload.epoch), !arrival.isLate {
            gateways.all[gateway.number].progress.catchUp(at: arrival.now)
            early.wait(state)
        } else {
            apply(state, at: arrival.now, outputs: &outputs)
        }
    }

    /// What a state says counts from now on.
    mutating func apply(_ state: EarlyStates.State, at now: Instant, outputs: inout [GatewayOutput]) {
        let (number, payload) = (state.number, state.payload)
        let known = regions[number].claim(of: state.gateway)
        // What an earlier epoch had inside has left while nobody watched.
        let isOtherEpoch = known.map { $0.isThere && $0.thereEpoch != payload.epoch } ?? false
        let isTold = isOtherEpoch || payload.eventSeq > (known?.numbers.appliedSeq(in: payload.epoch) ?? 0)
        // What has come to pass so long ago changes no history: it counts from now on.
        let told = state.arrival.instant(payload.since)
        let arrival = state.arrival.now
        let since = arrival - told > settings.lateAfter ? arrival : told
        claim(state.gateway, of: number, payload.epoch, saidAt: now) { claim in
            claim.numbers.overtake(payload.eventSeq, of: payload.epoch)
            let isThere: Bool? = payload.state == .unknown ? nil : payload.state == .inside
            claim.state(isThere, since: isThere == true ? told : since, at: now)
        }
        if payload.state == .outside, let entered = known?.thereSince {
            let stay = StayLog.Stay(from: entered, to: since, lastHeardAt: entered, cause: nil)
            note(stay, of: number)
            regions[number].noteExit(isTold: isTold, isInferred: isOtherEpoch)
            regions[number].cause?.gateway = state.gateway
        }
        weigh(number, isCrossing: false, since: payload.state == .inside ? told : nil, at: now, outputs: &outputs)
    }

    /// A gateway monitors a region no more. Where it was the last one, nobody does.
    ///
    /// - Parameters:
    ///   - last: when it heard a beacon of the region last; `nil` where it did not say.
    ///   - ended: when it stopped to monitor the region; `nil` where that is now. Until then the region counts as inside.
    private mutating func withdraw(
        _ gateway: GatewayIndex, from instance: RegionInstanceID, heardUntil last: Instant? = nil,
        endedAt ended: Instant? = nil, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        guard let number = regionNumbers[instance] else { return }
        early.forget(number, gateway)
        let known = regions[number].claim(of: gateway)
        guard regions[number].pending != nil || known != nil else { return }
        if let entered = known?.thereSince {
            // A gateway that is replaced clears its states, and may tell an entry at once: that is one visit, as after an exit.
            noteEnd(of: number, enteredAt: entered, heardUntil: last, endedAt: ended ?? now + spans.exitAfter)
        }
        let isLast = regions[number].claims.allSatisfy { $0.gateway == gateway }
        // A visit that had ended before is told with its own end.
        if isLast, regions[number].pending == nil { settle(number, at: now, outputs: &outputs) }
        regions[number].withdraw(gateway)
        if !isLast {
            weigh(number, isCrossing: false, at: now, outputs: &outputs)
        } else if regions[number].pending != nil {
            discard(number)
        } else {
            end(number, at: now, outputs: &outputs)
        }
    }

    /// A gateway has something inside no more, and has told no exit. Until its end the region counts as inside.
    ///
    /// - Returns: the end of the gateway's stay.
    @discardableResult private mutating func noteEnd(
        of number: Int, enteredAt entered: Instant, heardUntil last: Instant? = nil, endedAt end: Instant
    ) -> Instant {
        let last = max(last ?? regions[number].standing.presence?.lastHeardAt ?? entered, entered)
        let stay = StayLog.Stay(from: entered, to: max(last, end - spans.exitAfter), lastHeardAt: last, cause: nil)
        note(stay, of: number)
        return stay.to
    }

    /// A gateway had something inside, and it left. What comes too late, or is too much, is counted.
    private mutating func note(_ stay: StayLog.Stay, of number: Int) {
        if regions[number].log.stays.count >= StayLog.few {
            // Thousands of instances are counted once a second at most.
            if now - staysCountedAt >= .seconds(1) {
                staysCountedAt = now
                hasManyStays = regions.reduce(0) { $0 + $1.log.stays.count } > admission.maxInstances
            }
            regions[number].log.limit = hasManyStays ? StayLog.few : StayLog.most
        }
        if !regions[number].note(stay, spans) { figures.late += 1 }
    }

    /// Ends what gateways had inside in an epoch before their present one, and did not say anew in time.
    mutating func endEarlierEpochs(at now: Instant, outputs: inout [GatewayOutput]) {
        while let (gateway, epoch, begin) = gateways.takeRestated(at: now) {
            for number in regions.indices {
                guard let claim = regions[number].claim(of: gateway), let entered = claim.thereSince,
                    claim.thereEpoch != epoch, claim.unknownSince == nil || claim.numbers.epoch != epoch
                else { continue }
                let end = noteEnd(of: number, enteredAt: entered, endedAt: max(begin, entered))
                self.claim(gateway, of: number, epoch, saidAt: now) { $0.state(false, since: end, at: now) }
                regions[number].noteExit(isTold: true, isInferred: true)
                weigh(number, isCrossing: false, at: now, outputs: &outputs)
            }
        }
    }
}

extension GatewayNews.Content {
    /// The UUID that it names, where it does.
    fileprivate var uuid: ProximityUUID? {
        switch self {
        case .event(let payload):
            if case .beacon(let identity, _) = payload.cause { identity.uuid } else { nil }
        case .ranging(let payload): payload.list.beacons.first?.identity.uuid
        case .status, .state, .cleared: nil
        }
    }
}
