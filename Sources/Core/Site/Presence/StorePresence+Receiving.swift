/// What gateways say of regions changes what they claim of them.
extension StorePresence {
    /// A gateway that can't hear any more proves nothing from now on. One whose radio was blind has stood by its words all the time, and
    /// they prove something again. One that was away says everything anew, so that nothing is made of what it said before.
    ///
    /// - Returns: whether what it claims of regions proves more now, or less: then each of them is weighed by `receive(_:of:in:)`.
    mutating func receive(_ status: StoreGateways.Status, from gateway: GatewayIndex) -> Bool {
        noteProgress(of: gateway, at: now) { $0.noteWord() }
        let wasAway = gateways[gateway].awaySince != nil
        let hasChanged = gateways.note(status, of: gateway, at: now)
        if wasAway, status.isOnline { lookAgain(at: now) }
        return hasChanged || wasAway == status.isOnline
    }

    /// Whether a gateway can hear has changed, and it may claim something of a region.
    mutating func receive(_ status: StoreGateways.Status, of gateway: GatewayIndex, in slot: StoreRegionSlot) {
        guard regions[slot].claim(of: gateway) != nil else { return }
        let offlineAt = gateways[gateway].offlineAt
        regions[slot].change(gateway) { claim in
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
        weigh(slot, Evidence(at: now))
    }

    /// Takes down that a gateway has said something. Exits that wait for a list which it owed are looked at again.
    mutating func noteProgress(
        of gateway: GatewayIndex, at now: Instant, _ change: (inout GatewayProgress) -> Void
    ) {
        let owedList = gateways[gateway].progress.owesList(at: now)
        change(&gateways[gateway].progress)
        if owedList { lookAgain(at: now) }
    }

    /// Changes a claim. A gateway that can't hear proves nothing, also where its claim is new.
    ///
    /// - Parameter saidAt: when the gateway said something of the region that counts; `nil` where it did not.
    mutating func claim(
        _ gateway: GatewayIndex, of slot: StoreRegionSlot, _ epoch: String, saidAt: Instant?,
        _ change: (inout Claim) -> Void
    ) {
        let (deafSince, awaySince) = (gateways[gateway].deafSince, gateways[gateway].awaySince)
        regions[slot].change(gateway) { claim in
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

    /// A gateway is about to list beacons of a region. One that was away had it inside before, and hears it now.
    ///
    /// - Returns: the region; `nil` where it does not exist, because what is pending has no beacons until it does.
    mutating func regionToList(
        _ instance: RegionInstanceID, _ list: ListedBeacons, from gateway: GatewayIndex, at now: Instant
    ) -> StoreRegionSlot? {
        guard let slot = region(instance, isPresent: false, at: now), regions[slot].pending == nil else { return nil }
        if !list.beacons.isEmpty, gateways.hearing.contains(gateway), let known = regions[slot].claim(of: gateway),
            known.isThere, known.deafSince != nil
        {
            claim(gateway, of: slot, known.numbers.epoch, saidAt: now) { _ in }
            weigh(slot, Evidence(at: now))
        }
        return slot
    }

    /// A gateway has listed the beacons of a region.
    mutating func noteList(of slot: StoreRegionSlot, isEmpty: Bool, from gateway: GatewayIndex, at now: Instant) {
        noteProgress(of: gateway, at: now) { $0.noteList(of: slot, isEmpty: isEmpty, at: now) }
    }

    /// A gateway monitors a region no more. Where it was the last one, nobody does.
    ///
    /// - Parameters:
    ///   - last: when it heard a beacon of the region last; `nil` where it did not say.
    ///   - ended: when it stopped to monitor the region; `nil` where that is now. Until then the region counts as inside.
    mutating func withdraw(
        _ gateway: GatewayIndex, from instance: RegionInstanceID, heardUntil last: Instant? = nil,
        endedAt ended: Instant? = nil, at now: Instant
    ) {
        guard let slot = regions.slot(of: instance) else { return }
        early.forget(slot, gateway)
        let known = regions[slot].claim(of: gateway)
        guard regions[slot].pending != nil || known != nil else { return }
        if let entered = known?.thereSince {
            // A gateway that is replaced clears its states, and may tell an entry at once: that is one visit, as after an exit.
            noteEnd(of: slot, enteredAt: entered, heardUntil: last, endedAt: ended ?? now + spans.exitAfter)
        }
        let isLast = regions[slot].claims.allSatisfy { $0.gateway == gateway }
        // A visit that had ended before is told with its own end.
        if isLast, regions[slot].pending == nil { settle(slot, at: now) }
        regions[slot].withdraw(gateway)
        if !isLast {
            weigh(slot, Evidence(at: now))
        } else if regions[slot].pending != nil {
            discard(slot)
        } else {
            end(slot, at: now)
        }
    }

    /// A gateway has something inside no more, and has told no exit. Until its end the region counts as inside.
    ///
    /// - Returns: the end of the gateway's stay.
    @discardableResult
    private mutating func noteEnd(
        of slot: StoreRegionSlot, enteredAt entered: Instant, heardUntil last: Instant? = nil, endedAt end: Instant
    ) -> Instant {
        let last = max(last ?? regions[slot].standing.presence?.lastHeardAt ?? entered, entered)
        let stay = StayLog.Stay(from: entered, to: max(last, end - spans.exitAfter), lastHeardAt: last, cause: nil)
        note(stay, of: slot)
        return stay.to
    }

    /// Ends what a gateway had inside in an epoch before its present one, and did not say anew in time.
    mutating func endEarlierEpochs(of gateway: StoreGateways.Restated, in slot: StoreRegionSlot, at now: Instant) {
        guard let known = regions[slot].claim(of: gateway.index), let stay = known.stay, stay.epoch != gateway.epoch,
            known.unknownSince == nil || known.numbers.epoch != gateway.epoch
        else { return }
        let end = noteEnd(of: slot, enteredAt: stay.since, endedAt: max(gateway.begin, stay.since))
        claim(gateway.index, of: slot, gateway.epoch, saidAt: now) { $0.state(false, since: end, at: now) }
        regions[slot].noteExit(isTold: true, isInferred: true)
        weigh(slot, Evidence(at: now))
    }
}
