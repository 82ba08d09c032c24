/// What the claims of a region come to, and what time makes of it.
extension StorePresence {
    /// What has happened because of which claims are weighed.
    struct Evidence: Sendable {
        /// Whether a gateway has told an entry; what is there without one was there before.
        var isCrossing = false
        /// Since when something is there, where that is earlier than `at`.
        var since: Instant?
        /// When it happened.
        var at: Instant
    }

    /// Weighs a region's claims anew, and tells what has become of it.
    ///
    /// - Parameter isLastCall: whether an entry that is dated in the past has waited for what its gateway tells after it.
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
        lateCount += regions[slot].givenUp
        regions[slot].givenUp = 0
        if let change { tell(slot, change) }
        schedule(slot)
    }

    /// Has an old entry wait for gateways that come back at the same time: one of them may have had the beacon inside before. Where a
    /// gateway stays away the entry waits for as long again as it is old, and for 30 s at most.
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

    /// A region is left, or nobody knows any more, or it is asked again.
    mutating func advance(_ slot: StoreRegionSlot, to due: Instant) {
        // What is due may be long past, where an exit is known late.
        let now = max(now, due)
        if regions[slot].reweighing.due <= now {
            let isEntry = regions[slot].beginWeighing()
            // It was given time enough.
            if isEntry { lateCount += 1 }
            return weigh(slot, Evidence(isCrossing: isEntry, at: now), isLastCall: true)
        }
        // Meanwhile a gateway may have told that it has more to tell.
        if regions[slot].next.heldSince != nil, holdsEntry(of: slot, isCrossing: false) {
            if let change = regions[slot].becomeUnknown(by: now) { tell(slot, change) }
            return schedule(slot)
        }
        tellNext(of: slot, at: now, gateways.told(at: now, lateAfter: spans.lateAfter))
    }

    /// Tells the next thing that is due of a region.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    private mutating func tellNext(of slot: StoreRegionSlot, at now: Instant, _ told: StoreGateways.Told) -> Bool {
        let change = regions[slot].advance(to: now, told, spans)
        if let change { tell(slot, change) }
        // A visit that was known already has begun.
        if let change, change.change.state == .inside {
            weigh(slot, Evidence(at: change.at))
        } else {
            schedule(slot)
        }
        return change != nil
    }

    /// Tells what waits of one region: all gateways have told what they had to.
    mutating func settle(_ slot: StoreRegionSlot, at now: Instant) {
        let told = StoreGateways.Told(everythingUntil: now)
        while regions[slot].isUndecided || regions[slot].exitDue <= now, tellNext(of: slot, at: now, told) {}
    }

    /// A gateway is not away any more: exits that wait for it are looked at again.
    mutating func lookAgain(at now: Instant) {
        let due = gateways.caughtUpAt(now)
        if due == .distantFuture { return }
        for slot in regions.slots where regions[slot].lookDue ?? .origin > due {
            regions[slot].look(at: due)
            schedule(slot)
        }
    }

    /// Tells of a region's change.
    mutating func tell(_ slot: StoreRegionSlot, _ change: StoreRegion.Change) {
        regions[slot].isTold = true
        let region = regions[slot]
        let output = region.told(change.change, at: change.at, gateways)
        note(.changed(Changed(slot: slot, change: change, lastHeardAt: region.lastHeardAt, output: output)))
        noteOutside(slot)
    }

    /// No gateway monitors a region any more: the stays under way are over for subscribers, and its states are cleared.
    mutating func end(_ slot: StoreRegionSlot, at now: Instant) {
        let region = regions[slot]
        note(.ended(slot, region.endOfStay(at: now, gateways), at: now))
        if region.standing.presence != nil { endings.note(region.id, at: now, lateAfter: spans.lateAfter) }
        note(.released(release(slot)))
    }
}
