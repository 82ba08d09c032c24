import Beacons
import Configuration
import Gateway
import HCI
import Messages
internal import Regions

/// News of gateways comes in.
extension SiteEngine {
    /// A message came.
    ///
    /// - Parameters:
    ///   - now: when it arrived; everything that is due before has come to pass by `advance`.
    ///   - timebase: what the store's clock says of instants.
    package mutating func receive(
        _ news: GatewayNews, at now: Instant, _ timebase: Timebase, outputs: inout [GatewayOutput]
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
        if let head = news.head { note(head, of: gateway, arrival, isStatus: news.instance == nil) }
        switch news.content {
        case .status(let payload): receive(payload, from: gateway, at: now, outputs: &outputs)
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

    /// A message that could not be read.
    package mutating func receiveMalformed() { figures.malformed += 1 }

    private mutating func note(_ head: PayloadHead, of gateway: GatewayIndex, _ arrival: Arrival, isStatus: Bool) {
        gateways[gateway].isClockSynced = head.isClockSynced
        gateways[gateway].lastArrival = arrival.now
        if !isStatus, !arrival.isLate { gateways[gateway].clockOffset = arrival.told - arrival.now }
    }

    /// A gateway that can't hear any more proves nothing from now on. One whose radio was blind has stood by its words all the time, and
    /// they prove something again. One that was away says everything anew, so that nothing is made of what it said before.
    private mutating func receive(
        _ status: StatusPayload, from gateway: GatewayIndex, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        let status = StoreGateways.Status(isOnline: status.isOnline, radio: status.radio)
        guard gateways.note(status, of: gateway, at: now) else { return }
        for number in regions.indices where regions[number].claim(of: gateway) != nil {
            let offlineAt = gateways[gateway].offlineAt
            regions[number].change(gateway) { claim in
                if !status.hears {
                    claim.deafSince = now
                } else if offlineAt.map({ claim.saidAt > $0 }) ?? true {
                    claim.deafSince = nil
                }
            }
            weigh(number, isCrossing: false, at: now, outputs: &outputs)
        }
    }

    struct ArrivedEvent {
        var payload: EventPayload
        var instance: RegionInstanceID
        var identity: BeaconIdentity
        var observation: BeaconObservation
        var gateway: GatewayIndex
    }

    private mutating func receive(_ event: ArrivedEvent, _ arrival: Arrival, outputs: inout [GatewayOutput]) {
        let (payload, gateway) = (event.payload, event.gateway)
        guard let number = region(event.instance, isPresent: payload.exit == nil, at: arrival.now) else { return }
        if let exit = payload.exit, exit.ending == .unmonitored {
            // Nobody left: this gateway has nothing to say of it any more, and had it inside until then.
            regions[number].cause = regions[number].cause ?? cause(event, nil)
            regions[number].heard(until: arrival.event - (payload.head.at - exit.lastHeardAt))
            return withdraw(gateway, from: event.instance, at: arrival.now, outputs: &outputs)
        }
        let known = regions[number].claim(of: gateway)
        // At least once: the same event may come again.
        if let known, known.epoch == payload.epoch, payload.seq <= known.seenSeq { return }
        claim(gateway, of: number, payload.epoch, saidAt: nil) { $0.seenSeq = payload.seq }
        // Where its state could not wait for it any longer, that was told without it.
        let isOvertaken = known.map { $0.epoch == payload.epoch && payload.seq <= $0.appliedSeq } ?? false
        if arrival.isLate || isOvertaken {
            figures.late += 1
            return
        }
        let at = arrival.event
        claim(gateway, of: number, payload.epoch, saidAt: arrival.now) { claim in
            claim.appliedSeq = payload.seq
            claim.unknownSince = nil
            claim.say(payload.exit == nil ? .there : .gone(at: at), isExit: payload.exit != nil)
        }
        if let exit = payload.exit {
            // The gateway's own clock says how long before the exit that was.
            regions[number].heard(until: at - (payload.head.at - exit.lastHeardAt))
            regions[number].noteExit(isTold: true, isInferred: exit.ending == .inferred)
            regions[number].cause = cause(event, regions[number].standing.presence == nil ? nil : regions[number].cause)
        } else {
            if regions[number].standing.presence == nil || regions[number].cause == nil {
                regions[number].cause = cause(event, nil)
            }
            hear(event, number, arrival)
        }
        weigh(number, isCrossing: payload.exit == nil, at: at, outputs: &outputs)
        if let state = early.take(named: payload, of: number, gateway) {
            apply(state, at: arrival.now, outputs: &outputs)
        }
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
        let deafSince = gateways[gateway].deafSince
        regions[number].change(gateway) { claim in
            if saidAt != nil || claim.epoch.isEmpty { claim.deafSince = deafSince }
            claim.saidAt = saidAt ?? claim.saidAt
            claim.enter(epoch)
            change(&claim)
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
        let known = regions[number].claim(of: gateway)
        let (seenSeq, appliedSeq) =
            known.map { $0.epoch == payload.epoch ? ($0.seenSeq, $0.appliedSeq) : (0, 0) } ?? (0, 0)
        guard payload.eventSeq >= appliedSeq else { return }
        early.forget(number, gateway)
        if payload.eventSeq > seenSeq, payload.eventSeq > appliedSeq, !arrival.isLate {
            early.wait(state)
        } else {
            apply(state, at: arrival.now, outputs: &outputs)
        }
    }

    /// What a state says counts from now on.
    mutating func apply(_ state: EarlyStates.State, at now: Instant, outputs: inout [GatewayOutput]) {
        let (number, payload) = (state.number, state.payload)
        let known = regions[number].claim(of: state.gateway)
        // Whom an earlier epoch had inside has left while nobody watched.
        let isOtherEpoch = known.map { $0.isThere && $0.thereEpoch != payload.epoch } ?? false
        let isTold = isOtherEpoch || payload.eventSeq > (known?.appliedSeq ?? 0)
        // What has come to pass so long ago changes no history: it counts from now on.
        let told = state.arrival.instant(payload.since)
        let arrival = state.arrival.now
        let since = arrival - told > settings.lateAfter ? arrival : told
        claim(state.gateway, of: number, payload.epoch, saidAt: now) { claim in
            claim.appliedSeq = max(claim.appliedSeq, payload.eventSeq)
            if payload.state != .unknown { claim.unknownSince = nil }
            switch payload.state {
            case .unknown: claim.unknownSince = claim.unknownSince ?? now
            case .inside: claim.say(.there)
            case .outside: if !claim.isGone { claim.say(.gone(at: since)) }
            }
        }
        if payload.state == .outside, known?.isThere == true {
            regions[number].noteExit(isTold: isTold, isInferred: isOtherEpoch)
            regions[number].cause?.gateway = state.gateway
        }
        weigh(number, isCrossing: false, since: payload.state == .inside ? told : nil, at: now, outputs: &outputs)
    }

    /// A gateway monitors a region no more. Where it was the last one, nobody does.
    private mutating func withdraw(
        _ gateway: GatewayIndex, from instance: RegionInstanceID, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        guard let number = regionNumbers[instance] else { return }
        early.forget(number, gateway)
        guard regions[number].pending != nil || regions[number].claim(of: gateway) != nil else { return }
        regions[number].withdraw(gateway)
        if regions[number].pending != nil, !regions[number].isMonitored { return discard(number) }
        if regions[number].isMonitored {
            weigh(number, isCrossing: false, at: now, outputs: &outputs)
        } else {
            end(number, at: now, outputs: &outputs)
        }
    }
}
