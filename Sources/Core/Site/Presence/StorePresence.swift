/// The presence in a store: each gateway's claims about each region instance, and the resulting states.
///
/// `StorePresence` does not know places. Its findings wait until `SiteEngine` takes them, after each region that was
/// touched. So zones are left and beacons placed by the presence at that moment.
struct StorePresence: Sendable {
    private(set) var gateways: StoreGateways
    /// The region instances that gateways have reported, pending ones included.
    private(set) var regions: StoreRegions
    /// States that name an event which has not arrived yet.
    private var early = EarlyStates()
    /// The messages that came too late to change anything.
    private(set) var lateCount: UInt64 = 0
    /// The findings that were not taken yet, in order.
    private var findings: [PresenceFinding] = []
    /// The latest time that it was given.
    private(set) var now: Instant

    init(_ spans: StoreRegion.Spans, _ limits: RegionLimits, _ gateways: StoreGateways, at now: Instant) {
        regions = StoreRegions(spans, limits)
        self.gateways = gateways
        self.now = now
    }

    private var spans: StoreRegion.Spans { regions.spans }

    mutating func takeFindings() -> [PresenceFinding] {
        defer { findings = [] }
        return findings
    }

    /// Counts a message that came too late to change anything.
    mutating func countLate() { lateCount += 1 }

    /// Counts a zone for which there was no room.
    mutating func countRefusedZone() { regions.countRefusedInstance() }

    // MARK: - Restart

    mutating func restore(_ record: RegionRecord) {
        guard let slot = restoredRegion(record.instance) else { return }
        let change = regions[slot].restore(record, at: now, unknownAt: now + spans.unknownAfter)
        if let stay = record.stay { regions[slot].caused(by: StoreRegion.Cause(of: stay, in: record)) }
        publish(slot, StoreRegion.Change(change: change, at: now))
        regions.schedule(slot)
    }

    /// Returns a region that an earlier process has stored. It exists at once.
    mutating func restoredRegion(_ id: RegionInstanceID) -> StoreRegionSlot? {
        if let known = regions.slot(of: id) { return known }
        guard id.discriminator == .whole || regions.instanceCount < regions.limits.maxInstances,
            let slot = region(id, isPresent: true, at: now)
        else { return nil }
        if regions[slot].pending != nil { regions.exists(slot) }
        return slot
    }

    // MARK: - Time

    var nextDeadline: Instant { min(min(regions.nextDue, early.due), min(regions.admissionDue, gateways.restatedDue)) }

    /// Takes the time of a message or a deadline.
    mutating func pass(to now: Instant) { self.now = max(self.now, now) }

    /// Does the first due work of the regions and their states. Other work is due by `isRestatementDue`.
    mutating func advance(to now: Instant) {
        if regions.admissionDue == now {
            for slot in regions.retries(at: now) { evaluate(slot, ClaimEvidence(at: now)) }
            while let slot = regions.takeLeft(at: now) { findings.append(.released(release(slot))) }
        } else if early.due == now {
            applyEarliest(at: now)
        } else if let slot = regions.takeFirstDue() {
            advance(slot, to: now)
        }
    }

    /// Returns whether a deadline is that of the admission, and a minute with surges has ended.
    func hasSurges(at now: Instant) -> Bool { regions.admissionDue == now && regions.hasSurges(at: now) }

    mutating func takeSurges() -> [EntryBudget.Surge] { regions.takeSurges() }

    // MARK: - Statuses and clocks of gateways

    /// Returns the index of a gateway, which it gets with its first message; `nil` for more than 64 gateways.
    mutating func gateway(_ id: String) -> GatewayIndex? { gateways.index(of: id) }

    /// Takes what a message shows of its gateway's clock and epoch.
    ///
    /// - Parameter showsClock: whether its time is the time of sending.
    mutating func receive(_ message: GatewayMessage, of gateway: GatewayIndex, _ arrival: Arrival, showsClock: Bool) {
        gateways.receive(message, of: gateway, arrival, showsClock: showsClock)
    }

    /// Takes a status. A gateway that cannot hear proves nothing from now on. The claims of a gateway whose radio was
    /// blind count again once it hears. A gateway that was away repeats everything, so its earlier claims do not count.
    ///
    /// - Returns: whether its claims prove more now, or less. Then the caller has each of them evaluated by
    ///   `receive(_:of:in:)`.
    mutating func receive(_ status: StoreGateways.Status, from gateway: GatewayIndex) -> Bool {
        progressed(gateway, at: now) { $0.connected(at: $1) }
        let wasAway = gateways[gateway].awaySince != nil
        let hasChanged = gateways.receive(status, of: gateway, at: now)
        gateways.awaitRestatement(of: gateway, at: now)
        if wasAway, status.isOnline { recheck(at: now) }
        return hasChanged || wasAway == status.isOnline
    }

    /// Applies a changed ability to hear to the claim of a gateway, if it has one.
    mutating func receive(_ status: StoreGateways.Status, of gateway: GatewayIndex, in slot: StoreRegionSlot) {
        guard regions[slot].claim(of: gateway) != nil else { return }
        regions[slot].change(gateway) { $0.take(status, offlineSince: gateways[gateway].offlineAt, at: now) }
        evaluate(slot, ClaimEvidence(at: now))
    }

    /// Takes a message of a gateway, and checks exits again that wait for one.
    private mutating func progressed(
        _ gateway: GatewayIndex, at now: Instant, _ change: (inout GatewayProgress, Instant) -> Void
    ) {
        let owedList = gateways[gateway].progress.owesList(at: now)
        change(&gateways[gateway].progress, now)
        if owedList { recheck(at: now) }
        guard regions.awaitsLists else { return }
        regions.listsArrived(until: gateways.reported(at: now, lateAfter: spans.lateAfter).until, at: now)
    }

    /// Checks waiting exits again, because a gateway is back.
    private mutating func recheck(at now: Instant) {
        let due = gateways.caughtUpAt(now)
        if due < .distantFuture { regions.recheck(at: due) }
    }

    // MARK: - Lists

    /// Prepares a list of a region's beacons. A gateway that was away had it inside before, and hears it now.
    ///
    /// - Returns: the region; `nil` where it does not exist. A pending region has no beacons yet.
    mutating func regionToList(
        _ instance: RegionInstanceID, _ list: ListedBeacons, from gateway: GatewayIndex, at now: Instant
    ) -> StoreRegionSlot? {
        guard let slot = region(instance, isPresent: false, at: now), regions[slot].pending == nil else { return nil }
        if !list.beacons.isEmpty, gateways.hearing.contains(gateway), let known = regions[slot].claim(of: gateway),
            known.isThere, known.deafSince != nil
        {
            claim(gateway, of: slot, known.numbers.epoch, statedAt: now) { _ in }
            evaluate(slot, ClaimEvidence(at: now))
        }
        return slot
    }

    /// Takes the arrival of a gateway's list of a region's beacons.
    mutating func listed(_ slot: StoreRegionSlot, isEmpty: Bool, by gateway: GatewayIndex, at now: Instant) {
        progressed(gateway, at: now) { $0.listed(slot, isEmpty: isEmpty, at: $1) }
    }

    /// Takes a report of a beacon of the region in a gateway's list.
    mutating func heard(_ slot: StoreRegionSlot, until instant: Instant) { regions[slot].heard(until: instant) }

    /// Takes an event of a zone of the region: the region is not left before it.
    mutating func zonePublished(of slot: StoreRegionSlot, at now: Instant) { regions[slot].zonePublished(at: now) }

    // MARK: - Events

    mutating func receive(_ event: ArrivedEvent, _ arrival: Arrival) {
        let (payload, gateway) = (event.payload, event.gateway)
        guard let slot = region(event.instance, isPresent: payload.exit == nil, at: arrival.now) else { return }
        progressed(gateway, at: arrival.now) { progress, now in
            progress.receive(arrival)
            progress.messageArrived(at: now)
            if payload.exit != nil { progress.remove(slot) }
        }
        let numbers = regions[slot].claim(of: gateway)?.numbers ?? SeenNumbers()
        if numbers.holds(payload.seq, of: payload.epoch) { return }  // Delivery is at least once.
        if let exit = payload.exit, exit.ending == .unmonitored {
            // No beacon left. The gateway has no claim any more, and had it inside until then.
            let cause = StoreRegion.Cause(of: event)
            if regions[slot].cause == nil { regions[slot].caused(by: cause) }
            let stay = StayLog.Stay(exit, writtenAt: payload.head.at, endedAt: arrival.event, by: cause)
            regions[slot].heard(until: stay.lastHeardAt)
            return endClaim(
                of: gateway, on: event.instance, heardUntil: stay.lastHeardAt, endedAt: stay.to, at: arrival.now)
        }
        claim(gateway, of: slot, payload.epoch, statedAt: nil) { $0.numbers.add(payload.seq, of: payload.epoch) }
        // Its state could not wait any longer and was applied without it. An exit still gives the stay.
        let isOvertaken = numbers.isOvertaken(payload.seq, of: payload.epoch)
        if arrival.isLate || (isOvertaken && payload.exit == nil) {
            // Within a visit whose entry is known, the state has given what the entry gives.
            if arrival.isLate || !regions[slot].machine.hasObservedEntry(by: arrival.event) { lateCount += 1 }
            return
        }
        if let exit = payload.exit {
            receive(exit, of: event, isOvertaken: isOvertaken, in: slot, arrival)
        } else {
            receiveEntry(event, in: slot, arrival)
        }
        evaluate(slot, ClaimEvidence(isCrossing: payload.exit == nil, at: arrival.event))
        let state = early.take(stateOf: payload, in: slot, gateway, presentEpoch: gateways[gateway].epoch)
        if let state { apply(state, at: arrival.now) }
    }

    private mutating func receiveEntry(_ event: ArrivedEvent, in slot: StoreRegionSlot, _ arrival: Arrival) {
        let cause = StoreRegion.Cause(of: event)
        endEarlierEpoch(before: event.payload.epoch, of: event.gateway, in: slot, statedFor: arrival.event)
        regions[slot].add(StayLog.Entry(at: arrival.event, cause: cause))
        claim(event.gateway, of: slot, event.payload.epoch, statedAt: arrival.now) {
            $0.enter(at: $0.count(event.payload.seq, of: event.payload.epoch, at: arrival.event))
        }
        if regions[slot].machine.presence == nil || regions[slot].cause == nil { regions[slot].caused(by: cause) }
        findings.append(.heard(slot, event, until: arrival.event, at: arrival.now))
    }

    /// - Parameter isOvertaken: whether the claim has changed with a later state.
    private mutating func receive(
        _ exit: EventPayload.Stay, of event: ArrivedEvent, isOvertaken: Bool, in slot: StoreRegionSlot,
        _ arrival: Arrival
    ) {
        let entry = regions[slot].machine.presence == nil ? nil : regions[slot].cause
        let cause = StoreRegion.Cause(of: event, ending: entry)
        let stay = StayLog.Stay(exit, writtenAt: event.payload.head.at, endedAt: arrival.event, by: cause)
        endEarlierEpoch(before: event.payload.epoch, of: event.gateway, in: slot, statedFor: stay.from)
        let known = isOvertaken ? nil : regions[slot].claim(of: event.gateway)
        if !isOvertaken {
            claim(event.gateway, of: slot, event.payload.epoch, statedAt: arrival.now) {
                $0.leave(at: $0.count(event.payload.seq, of: event.payload.epoch, at: stay.to))
            }
        }
        add(known?.stay(endedBy: stay) ?? stay, to: slot)
        regions[slot].heard(until: stay.lastHeardAt)
        // In a region of several beacons the exit names the first one, not the last.
        if event.instance.minor != nil {
            findings.append(.heard(slot, event, until: stay.lastHeardAt, at: arrival.now))
        }
        regions[slot].exited(withEvent: true)
        // While the end of the visit is undecided, the cause stays that of the open visit.
        if !regions[slot].isUndecided { regions[slot].caused(by: cause) }
    }

    // MARK: - States

    /// Takes a state. It is the present, however late it comes, unless a newer message is known. A state that names an
    /// event which may still come waits for it: after a line was down, states come first.
    mutating func receive(
        _ payload: StatePayload, of instance: RegionInstanceID, from gateway: GatewayIndex, _ arrival: Arrival
    ) {
        guard let slot = region(instance, isPresent: payload.state == .inside, at: arrival.now) else { return }
        let numbers = regions[slot].claim(of: gateway)?.numbers ?? SeenNumbers()
        guard !numbers.isOver(payload.epoch), payload.eventSeq >= numbers.appliedSeq(in: payload.epoch) else { return }
        progressed(gateway, at: arrival.now) { progress, now in
            progress.messageArrived(at: now)
            if payload.state != .inside { progress.remove(slot) }
        }
        early.remove(slot, gateway)
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
    private mutating func applyEarliest(at now: Instant) {
        // A state `inside` keeps the region inside, so it does not wait for the connection.
        let state = early.takeFirst(lateAfter: spans.lateAfter) { state in
            state.payload.state == .inside
                ? gateways[state.gateway].progress.catchesUpUntil : gateways.caughtUpAt(state.gateway, at: now)
        }
        if let state { apply(state, at: now) }
    }

    private mutating func apply(_ state: EarlyStates.State, at now: Instant) {
        let (slot, payload) = (state.region, state.payload)
        let stated = state.arrival.instant(payload.since)
        if payload.state == .inside {
            endEarlierEpoch(before: payload.epoch, of: state.gateway, in: slot, statedFor: stated)
        }
        let known = regions[slot].claim(of: state.gateway)
        // A stay of an earlier epoch ended without being watched.
        let isOtherEpoch = known?.stay.map { $0.epoch != payload.epoch } ?? false
        let hasEvent = isOtherEpoch || payload.eventSeq > (known?.numbers.appliedSeq(in: payload.epoch) ?? 0)
        // A change long ago does not alter history: it counts from now on.
        let arrival = state.arrival.now
        let since = arrival - stated > spans.lateAfter ? arrival : stated
        claim(state.gateway, of: slot, payload.epoch, statedAt: now) { claim in
            claim.numbers.overtake(payload.eventSeq, of: payload.epoch)
            let isThere: Bool? = payload.state == .unknown ? nil : payload.state == .inside
            claim.state(isThere, since: isThere == true ? stated : since, at: now)
        }
        if payload.state == .outside, let entered = known?.thereSince {
            let stay = StayLog.Stay(
                from: entered, to: since, lastHeardAt: entered, beginning: known?.stay?.beginning ?? .observed,
                ending: isOtherEpoch ? .inferred : .observed)
            add(stay, to: slot)
            regions[slot].exited(withEvent: hasEvent)
            regions[slot].caused(by: state.gateway)
        }
        evaluate(slot, ClaimEvidence(since: payload.state == .inside ? stated : nil, at: now))
    }

    // MARK: - Claims

    /// Changes a claim. A gateway that cannot hear proves nothing, even by a new claim.
    ///
    /// - Parameter statedAt: the time of the gateway's statement about the region; `nil` where there is none.
    private mutating func claim(
        _ gateway: GatewayIndex, of slot: StoreRegionSlot, _ epoch: String, statedAt: Instant?,
        _ change: (inout Claim) -> Void
    ) {
        let (deafSince, awaySince) = (gateways[gateway].deafSince, gateways[gateway].awaySince)
        regions[slot].change(gateway) { claim in
            if statedAt != nil || claim.numbers.epoch.isEmpty {
                (claim.deafSince, claim.awaySince) = (deafSince, awaySince)
            }
            claim.statedAt = statedAt ?? claim.statedAt
            claim.numbers.enter(epoch)
            change(&claim)
        }
        // Its status may have come before the messages of an earlier epoch.
        if statedAt != nil, let present = gateways[gateway].epoch, present != epoch {
            gateways.awaitRestatement(of: gateway, at: now)
        }
    }

    /// Ends the claim of a gateway that does not monitor a region any more. If it was the last gateway, the region
    /// ends.
    ///
    /// - Parameters:
    /// - last: its last report of a beacon of the region; `nil` where it gave none.
    /// - ended: the time at which it stopped monitoring the region; `nil` for now. Until then the region counts as
    ///   inside.
    mutating func endClaim(
        of gateway: GatewayIndex, on instance: RegionInstanceID, heardUntil last: Instant? = nil,
        endedAt ended: Instant? = nil, at now: Instant
    ) {
        guard let slot = regions.slot(of: instance) else { return }
        early.remove(slot, gateway)
        gateways[gateway].progress.remove(slot)
        let known = regions[slot].claim(of: gateway)
        guard regions[slot].pending != nil || known != nil else { return }
        if let entered = known?.thereSince {
            // A gateway that is replaced clears its states, and may publish an entry at once. That is one visit, as
            // after an exit.
            endStay(in: slot, enteredAt: entered, heardUntil: last, endedAt: ended ?? now + spans.exitAfter)
        }
        let isLast = regions[slot].claims.allSatisfy { $0.gateway == gateway }
        // A visit that had ended before is published with its own end.
        if isLast, regions[slot].pending == nil { publishWaiting(slot, at: now) }
        regions[slot].removeClaim(of: gateway)
        if !isLast {
            evaluate(slot, ClaimEvidence(at: now))
        } else if regions[slot].pending != nil {
            discard(slot)
        } else {
            end(slot, at: now)
        }
    }

    /// Ends a gateway's stay without an exit, and returns its end. Until then the region counts as inside.
    @discardableResult
    private mutating func endStay(
        in slot: StoreRegionSlot, enteredAt entered: Instant, heardUntil last: Instant? = nil, endedAt end: Instant,
        _ ending: RegionStay.Ending = .observed
    ) -> Instant {
        // A report after the end is of another gateway.
        let reported = regions[slot].machine.presence.flatMap { $0.lastHeardAt <= end ? $0.lastHeardAt : nil }
        let last = max(last ?? reported ?? entered, entered)
        let stay = StayLog.Stay(from: entered, to: max(last, end - spans.exitAfter), lastHeardAt: last, ending: ending)
        add(stay, to: slot)
        return stay.to
    }

    /// Adds an ended stay of a gateway. Late or excess stays are counted.
    private mutating func add(_ stay: StayLog.Stay, to slot: StoreRegionSlot) {
        if !regions.add(stay, to: slot, at: now) { lateCount += 1 }
    }

    /// Returns whether the next work is to end stays of earlier epochs.
    func isRestatementDue(at now: Instant) -> Bool {
        regions.admissionDue != now && early.due != now && gateways.restatedDue == now
    }

    /// Returns the next gateway whose time for repeating an earlier epoch has ended.
    mutating func takeRestated(at now: Instant) -> StoreGateways.Restated? { gateways.takeRestated(at: now) }

    /// Ends a gateway's stays of an earlier epoch that it did not repeat in time. What was outside is outside still.
    mutating func endEarlierEpochs(of gateway: StoreGateways.Restated, in slot: StoreRegionSlot, at now: Instant) {
        guard let known = regions[slot].claim(of: gateway.index), known.isThere || known.isGone,
            known.unknownSince == nil || known.numbers.epoch != gateway.epoch,
            known.stay?.epoch ?? known.numbers.epoch != gateway.epoch
        else { return }
        var end = known.goneAt ?? now
        if let stay = known.stay {
            end = endStay(in: slot, enteredAt: stay.since, endedAt: max(gateway.begin, stay.since), .inferred)
            regions[slot].exited(withEvent: true)
        }
        claim(gateway.index, of: slot, gateway.epoch, statedAt: now) { $0.state(false, since: end, at: now) }
        evaluate(slot, ClaimEvidence(at: now))
    }

    /// Ends a gateway's stay of an earlier epoch before a statement of the new one. The stay ends where the new epoch began,
    /// unless the statement is of the 30 s after that.
    private mutating func endEarlierEpoch(
        before epoch: String, of gateway: GatewayIndex, in slot: StoreRegionSlot, statedFor instant: Instant
    ) {
        guard let known = regions[slot].claim(of: gateway), let stay = known.stay, stay.epoch != epoch,
            !known.numbers.isOver(epoch), let begin = gateways[gateway].epochs.beginning(of: epoch),
            begin >= stay.since, instant - begin > StoreGateways.firstMessageWithin
        else { return }
        endEarlierEpochs(of: StoreGateways.Restated(index: gateway, epoch: epoch, begin: begin), in: slot, at: now)
    }

    // MARK: - Evaluation of claims

    /// Evaluates a region's claims, and publishes the change.
    ///
    /// - Parameter isLastCall: whether an entry dated in the past has waited for the later events of its gateway.
    private mutating func evaluate(_ slot: StoreRegionSlot, _ evidence: ClaimEvidence, isLastCall: Bool = false) {
        guard let evidence = admit(slot, evidence) else { return }
        if !isLastCall, let there = regions[slot].pastEntries {
            let caughtUpAt = there.map { gateways[$0].progress.catchesUpUntil }.max() ?? now
            if caughtUpAt > now {
                regions[slot].postpone(isCrossing: evidence.isCrossing, until: caughtUpAt)
                return regions.schedule(slot)
            }
        }
        if holdsEntry(of: slot, isCrossing: evidence.isCrossing) { return regions.schedule(slot) }
        if regions[slot].next.heldSince != nil {
            publishNext(of: slot, at: now, StoreGateways.Reported(everythingUntil: now))
            return
        }
        let change = regions[slot].evaluate(evidence, spans, now: now) ?? regions[slot].undecided(at: evidence.at)
        lateCount += regions[slot].takeGivenUp()
        if let change { publish(slot, change) }
        regions.schedule(slot)
    }

    /// Makes an old entry wait for gateways that come back: one of them may have had the beacon inside before. While a
    /// gateway stays away, the entry waits for as long again as it is old, at most 30 s.
    ///
    /// - Returns: whether an entry waits.
    private mutating func holdsEntry(of slot: StoreRegionSlot, isCrossing: Bool) -> Bool {
        guard let begin = regions[slot].oldEntry(isCrossing: isCrossing, at: now, spans) else { return false }
        let since = regions[slot].next.heldSince ?? now
        let longest = min(min(since - begin, StoreGateways.firstMessageWithin), spans.lateAfter - (since - begin))
        let reported = regions[slot].gateways(thatReportedUntil: begin)
        let due = min(gateways.caughtUpAt(now, but: reported), since + longest)
        guard due > now || regions[slot].next.heldSince != nil else { return false }
        regions[slot].hold(entryAt: begin, from: since, until: due)
        return due > now
    }

    /// Does a region's due work: it is left, becomes unknown, or is evaluated again.
    private mutating func advance(_ slot: StoreRegionSlot, to due: Instant) {
        // The deadline may be long past where an exit becomes known late.
        let now = max(now, due)
        if regions[slot].lateDue <= now {
            publishLate(slot, gateways.reported(at: now, lateAfter: spans.lateAfter), at: now)
            if regions[slot].presenceDue > now { return regions.schedule(slot) }
        }
        if regions[slot].reevaluation.due <= now {
            let isEntry = regions[slot].beginEvaluation()
            // It was given enough time.
            if isEntry { lateCount += 1 }
            return evaluate(slot, ClaimEvidence(isCrossing: isEntry, at: now), isLastCall: true)
        }
        // A gateway may have announced more events meanwhile.
        if regions[slot].next.heldSince != nil, holdsEntry(of: slot, isCrossing: false) {
            if let change = regions[slot].becomeUnknown(by: now) { publish(slot, change) }
            return regions.schedule(slot)
        }
        publishNext(of: slot, at: now, gateways.reported(at: now, lateAfter: spans.lateAfter))
    }

    // MARK: - Publication

    /// Publishes the next due change of a region.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    private mutating func publishNext(
        of slot: StoreRegionSlot, at now: Instant, _ reported: StoreGateways.Reported
    ) -> Bool {
        let change = regions[slot].advance(to: now, reported, spans)
        regions.awaitLists(slot)
        if let change { publish(slot, change) }
        // A visit that was known already has begun.
        if let change, change.change.state == .inside {
            evaluate(slot, ClaimEvidence(at: change.at))
        } else {
            regions.schedule(slot)
        }
        return change != nil
    }

    /// Publishes the late visits of a region whose time the gateways have reported.
    private mutating func publishLate(_ slot: StoreRegionSlot, _ reported: StoreGateways.Reported, at now: Instant) {
        while let stay = regions[slot].takeLate(reported, spans, at: now) {
            let output = regions[slot].lateVisit(stay, at: stay.to + spans.exitAfter, gateways)
            if let output { findings.append(.lateVisit(output)) } else { lateCount += 1 }
        }
        lateCount += regions[slot].takeGivenUp()
        regions.awaitLists(slot)
    }

    /// Publishes the waiting changes of one region, because all gateways have reported their events.
    mutating func publishWaiting(_ slot: StoreRegionSlot, at now: Instant) {
        let reported = StoreGateways.Reported(everythingUntil: now)
        publishLate(slot, reported, at: now)
        while regions[slot].isUndecided || regions[slot].exitDue <= now, publishNext(of: slot, at: now, reported) {}
    }

    private mutating func publish(_ slot: StoreRegionSlot, _ change: StoreRegion.Change) {
        regions[slot].published()
        let region = regions[slot]
        let output = region.output(of: change.change, at: change.at, gateways)
        findings.append(
            .changed(PresenceChange(slot: slot, change: change, lastHeardAt: region.lastHeardAt, output: output)))
        regions.left(slot)
    }

    /// Ends a region that no gateway monitors any more. Open stays end for subscribers, and its states are cleared.
    private mutating func end(_ slot: StoreRegionSlot, at now: Instant) {
        let region = regions[slot]
        findings.append(.ended(slot, region.endOfStay(at: now, gateways), at: now))
        if region.machine.presence != nil { regions.ended(slot, at: now) }
        findings.append(.released(release(slot)))
    }

    // MARK: - Admission

    /// Returns a region instance of a gateway's message.
    ///
    /// - Parameter isPresent: whether it is or was inside. Otherwise no instance of an expanded region is made.
    /// - Returns: `nil` where there is no such region, or no room for one.
    private mutating func region(_ id: RegionInstanceID, isPresent: Bool, at now: Instant) -> StoreRegionSlot? {
        if let known = regions.slot(of: id) { return known }
        guard id.discriminator != .whole else { return regions.insertPlain(id, at: now) }
        guard isPresent else { return nil }
        if let oldest = regions.oldestOfTooManyPending {
            // A newcomer may be real, even after a flood of others.
            regions.countRefusedInstance()
            discard(oldest)
        }
        return regions.insertPending(id, at: now)
    }

    /// Returns the evidence to evaluate; for a region that was pending, that of its first entry. Returns `nil` where the
    /// region does not exist, not even from now on.
    private mutating func admit(_ slot: StoreRegionSlot, _ evidence: ClaimEvidence) -> ClaimEvidence? {
        guard var entry = regions[slot].pending else { return evidence }
        guard regions[slot].claims.contains(where: \.isThere) else {
            // It was left before it was admitted, or its state still waits for its event.
            let isAwaited = gateways.indices.contains { early.waits(slot, $0) }
            if regions[slot].isMonitored, !isAwaited { discard(slot) }
            return nil
        }
        if entry.refusedInMinute == nil { entry.evidence = evidence }
        var admission = regions.admit(slot, entry, hasMadeRoom: false, at: now)
        if admission == .needsRoom {
            if let released = makeRoom() { findings.append(.released(released)) }
            admission = regions.admit(slot, entry, hasMadeRoom: true, at: now)
        }
        return admission == .admitted ? entry.evidence : nil
    }

    /// Deletes the instance that has been outside for longest; `nil` where there is none.
    mutating func makeRoom() -> ReleasedRegion? { regions.takeLongestOutside().map { release($0) } }

    /// Deletes a region that is outside. Its late visits are published before.
    private mutating func release(_ slot: StoreRegionSlot) -> ReleasedRegion {
        publishLate(slot, StoreGateways.Reported(everythingUntil: now), at: now)
        let released = ReleasedRegion(slot: slot, id: regions[slot].id)
        removeMessages(about: slot)
        regions.remove(slot, at: now)
        return released
    }

    private mutating func discard(_ slot: StoreRegionSlot) {
        removeMessages(about: slot)
        regions.discard(slot, at: now)
        findings.append(.discarded(slot))
    }

    private mutating func removeMessages(about slot: StoreRegionSlot) {
        for gateway in gateways.indices {
            early.remove(slot, gateway)
            gateways[gateway].progress.remove(slot)
        }
    }

    /// Returns what is wrong with the presence's state; for tests.
    func checkInvariants() -> [String] { regions.checkInvariants() + early.checkInvariants(regions) }
}
