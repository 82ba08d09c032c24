/// The weighing of a region's claims, and the effect of time.
extension StorePresence {
    /// The event that causes claims to be weighed.
    struct Evidence: Sendable {
        /// Whether a gateway has told an entry. A beacon without an entry was there before.
        var isCrossing = false
        /// The beginning of the stay, where it is earlier than `at`.
        var since: Instant?
        /// The time of the event.
        var at: Instant
    }

    /// Weighs a region's claims, and tells the change.
    ///
    /// - Parameter isLastCall: whether an entry dated in the past has waited for the later events of its gateway.
    mutating func weigh(_ slot: StoreRegionSlot, _ evidence: Evidence, isLastCall: Bool = false) {
        guard let evidence = admit(slot, evidence) else { return }
        if !isLastCall, let there = regions[slot].pastEntries {
            let caughtUpAt = there.map { gateways[$0].progress.catchesUpUntil }.max() ?? now
            if caughtUpAt > now {
                regions[slot].postpone(isCrossing: evidence.isCrossing, until: caughtUpAt)
                return schedule(slot)
            }
        }
        if holdsEntry(of: slot, isCrossing: evidence.isCrossing) { return schedule(slot) }
        if regions[slot].next.heldSince != nil {
            tellNext(of: slot, at: now, StoreGateways.Told(everythingUntil: now))
            return
        }
        let change = regions[slot].weigh(evidence, spans, now: now) ?? regions[slot].undecided(at: evidence.at)
        lateCount += regions[slot].takeGivenUp()
        if let change { tell(slot, change) }
        schedule(slot)
    }

    /// Makes an old entry wait for gateways that come back: one of them may have had the beacon inside before. While a
    /// gateway stays away, the entry waits for as long again as it is old, at most 30 s.
    ///
    /// - Returns: whether an entry waits.
    private mutating func holdsEntry(of slot: StoreRegionSlot, isCrossing: Bool) -> Bool {
        guard let begin = regions[slot].oldEntry(isCrossing: isCrossing, at: now, spans) else { return false }
        let since = regions[slot].next.heldSince ?? now
        let longest = min(min(since - begin, StoreGateways.firstWordWithin), spans.lateAfter - (since - begin))
        let told = regions[slot].gateways(thatToldUntil: begin)
        let due = min(gateways.caughtUpAt(now, but: told), since + longest)
        guard due > now || regions[slot].next.heldSince != nil else { return false }
        regions[slot].hold(entryAt: begin, from: since, until: due)
        return due > now
    }

    /// Does a region's due work: it is left, becomes unknown, or is weighed again.
    mutating func advance(_ slot: StoreRegionSlot, to due: Instant) {
        // The deadline may be long past where an exit becomes known late.
        let now = max(now, due)
        if regions[slot].lateDue <= now {
            tellLate(slot, gateways.told(at: now, lateAfter: spans.lateAfter), at: now)
            if regions[slot].presenceDue > now { return schedule(slot) }
        }
        if regions[slot].reweighing.due <= now {
            let isEntry = regions[slot].beginWeighing()
            // It was given enough time.
            if isEntry { lateCount += 1 }
            return weigh(slot, Evidence(isCrossing: isEntry, at: now), isLastCall: true)
        }
        // A gateway may have announced more events meanwhile.
        if regions[slot].next.heldSince != nil, holdsEntry(of: slot, isCrossing: false) {
            if let change = regions[slot].becomeUnknown(by: now) { tell(slot, change) }
            return schedule(slot)
        }
        tellNext(of: slot, at: now, gateways.told(at: now, lateAfter: spans.lateAfter))
    }

    /// Tells the next due change of a region.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    private mutating func tellNext(of slot: StoreRegionSlot, at now: Instant, _ told: StoreGateways.Told) -> Bool {
        let change = regions[slot].advance(to: now, told, spans)
        awaitLists(slot)
        if let change { tell(slot, change) }
        // A visit that was known already has begun.
        if let change, change.change.state == .inside {
            weigh(slot, Evidence(at: change.at))
        } else {
            schedule(slot)
        }
        return change != nil
    }

    /// Tells the late visits of a region whose time the gateways have told.
    mutating func tellLate(_ slot: StoreRegionSlot, _ told: StoreGateways.Told, at now: Instant) {
        while let stay = regions[slot].takeLate(told, spans, at: now) {
            let exit = stay.to + spans.exitAfter
            guard let output = regions[slot].lateVisit(stay, at: exit, gateways) else {
                lateCount += 1
                continue
            }
            note(.lateVisit(output))
        }
        lateCount += regions[slot].takeGivenUp()
        awaitLists(slot)
    }

    /// Tells the waiting changes of one region, because all gateways have told their events.
    mutating func settle(_ slot: StoreRegionSlot, at now: Instant) {
        let told = StoreGateways.Told(everythingUntil: now)
        tellLate(slot, told, at: now)
        while regions[slot].isUndecided || regions[slot].exitDue <= now, tellNext(of: slot, at: now, told) {}
    }

    /// Checks waiting exits again, because a gateway is back.
    mutating func lookAgain(at now: Instant) {
        let due = gateways.caughtUpAt(now)
        if due == .distantFuture { return }
        for slot in regions.slots where regions[slot].awaits(after: due) {
            regions[slot].look(at: due)
            schedule(slot)
        }
    }

    /// Tells a region's change.
    mutating func tell(_ slot: StoreRegionSlot, _ change: StoreRegion.Change) {
        regions[slot].noteTold()
        let region = regions[slot]
        let output = region.told(change.change, at: change.at, gateways)
        note(.changed(Changed(slot: slot, change: change, lastHeardAt: region.lastHeardAt, output: output)))
        noteOutside(slot)
    }

    /// Ends a region that no gateway monitors any more. Open stays end for subscribers, and its states are cleared.
    mutating func end(_ slot: StoreRegionSlot, at now: Instant) {
        let region = regions[slot]
        note(.ended(slot, region.endOfStay(at: now, gateways), at: now))
        if region.standing.presence != nil { endings.note(region.id, at: now, lateAfter: spans.lateAfter) }
        note(.released(release(slot)))
    }
}
