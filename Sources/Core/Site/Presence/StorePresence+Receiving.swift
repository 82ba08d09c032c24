/// The effect of gateways' messages on their claims.
extension StorePresence {
    /// Takes a status. A gateway that cannot hear proves nothing from now on. The claims of a gateway whose radio was
    /// blind count again once it hears. A gateway that was away repeats everything, so its earlier claims do not count.
    ///
    /// - Returns: whether its claims prove more now, or less. Then the caller weighs each of them by
    ///   `receive(_:of:in:)`.
    mutating func receive(_ status: StoreGateways.Status, from gateway: GatewayIndex) -> Bool {
        noteProgress(of: gateway, at: now) { $0.noteStatus(at: $1) }
        let wasAway = gateways[gateway].awaySince != nil
        let hasChanged = gateways.note(status, of: gateway, at: now)
        if wasAway, status.isOnline { lookAgain(at: now) }
        return hasChanged || wasAway == status.isOnline
    }

    /// Takes the news that a gateway's ability to hear has changed, for a region that it may claim.
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

    /// Notes a message of a gateway, and checks exits again that wait for one.
    mutating func noteProgress(
        of gateway: GatewayIndex, at now: Instant, _ change: (inout GatewayProgress, Instant) -> Void
    ) {
        let owedList = gateways[gateway].progress.owesList(at: now)
        change(&gateways[gateway].progress, now)
        if owedList { lookAgain(at: now) }
        guard awaitingLists.first != nil else { return }
        let told = gateways.told(at: now, lateAfter: spans.lateAfter).until
        while let next = awaitingLists.first, next.due <= told {
            awaitingLists.removeFirst()
            regions[next.subject].look(at: now)
            schedule(next.subject)
        }
    }

    /// Checks a waiting exit of a region again as soon as each gateway that lists beacons has told what happened until
    /// then.
    mutating func awaitLists(_ slot: StoreRegionSlot) {
        guard let due = regions[slot].awaitedUntil(spans) else { return }
        awaitingLists.set(slot, at: due)
        awaitingLists.throwOutStale(of: regions.slotCount) { [regions, spans] in
            regions[$0.subject].awaitedUntil(spans) == $0.due
        }
    }

    /// Changes a claim. A gateway that cannot hear proves nothing, even by a new claim.
    ///
    /// - Parameter saidAt: the time of the gateway's statement about the region; `nil` where there is none.
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
        // Its status may have come before the messages of an earlier epoch.
        if saidAt != nil, let present = gateways[gateway].epoch, present.name != epoch {
            gateways.awaitRestatement(of: gateway, at: now)
        }
    }

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
            claim(gateway, of: slot, known.numbers.epoch, saidAt: now) { _ in }
            weigh(slot, Evidence(at: now))
        }
        return slot
    }

    /// Notes a gateway's list of a region's beacons.
    mutating func noteList(of slot: StoreRegionSlot, isEmpty: Bool, from gateway: GatewayIndex, at now: Instant) {
        noteProgress(of: gateway, at: now) { $0.noteList(of: slot, isEmpty: isEmpty, at: $1) }
    }

    /// Withdraws the claim of a gateway that does not monitor a region any more. If it was the last gateway, the region
    /// ends.
    ///
    /// - Parameters:
    /// - last: its last report of a beacon of the region; `nil` where it told none.
    /// - ended: the time at which it stopped monitoring the region; `nil` for now. Until then the region counts as
    ///   inside.
    mutating func withdraw(
        _ gateway: GatewayIndex, from instance: RegionInstanceID, heardUntil last: Instant? = nil,
        endedAt ended: Instant? = nil, at now: Instant
    ) {
        guard let slot = regions.slot(of: instance) else { return }
        early.forget(slot, gateway)
        gateways[gateway].progress.forget(slot)
        let known = regions[slot].claim(of: gateway)
        guard regions[slot].pending != nil || known != nil else { return }
        if let entered = known?.thereSince {
            // A gateway that is replaced clears its states, and may tell an entry at once. That is one visit, as after
            // an exit.
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

    /// Ends a gateway's stay without an exit. Until its end the region counts as inside.
    ///
    /// - Returns: the end of the gateway's stay.
    @discardableResult
    private mutating func noteEnd(
        of slot: StoreRegionSlot, enteredAt entered: Instant, heardUntil last: Instant? = nil, endedAt end: Instant,
        _ ending: RegionStay.Ending = .observed
    ) -> Instant {
        let last = max(last ?? regions[slot].standing.presence?.lastHeardAt ?? entered, entered)
        let stay = StayLog.Stay(
            from: entered, to: max(last, end - spans.exitAfter), lastHeardAt: last, ending: ending)
        note(stay, of: slot)
        return stay.to
    }

    /// Ends a gateway's stays of an earlier epoch that it did not repeat in time.
    mutating func endEarlierEpochs(of gateway: StoreGateways.Restated, in slot: StoreRegionSlot, at now: Instant) {
        guard let known = regions[slot].claim(of: gateway.index), let stay = known.stay, stay.epoch != gateway.epoch,
            known.unknownSince == nil || known.numbers.epoch != gateway.epoch
        else { return }
        let end = noteEnd(of: slot, enteredAt: stay.since, endedAt: max(gateway.begin, stay.since), .inferred)
        claim(gateway.index, of: slot, gateway.epoch, saidAt: now) { $0.state(false, since: end, at: now) }
        regions[slot].noteExit(isTold: true)
        weigh(slot, Evidence(at: now))
    }
}
