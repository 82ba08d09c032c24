/// Time passes: regions are left, states become unknown, beacons are placed and listed.
extension SiteEngine {
    /// When `advance` has something to do next.
    package var nextDeadline: Instant {
        min(
            min(timers.nextDue, early.due), min(rangingDue, zonesResumedUntil), min(admission.due, gateways.restatedDue)
        )
    }

    /// Does what is due before `limit` and comes first, and returns when it was due; `nil` where nothing is.
    package mutating func advance(before limit: Instant, outputs: inout [GatewayOutput]) -> Instant? {
        let now = nextDeadline
        guard now < limit else { return nil }
        self.now = max(self.now, now)
        if admission.due == now {
            advanceAdmission(to: now, outputs: &outputs)
        } else if early.due == now {
            let state = early.takeFirst { gateways[$0].progress.catchesUpUntil }
            if let state { apply(state, at: now, outputs: &outputs) }
        } else if gateways.restatedDue == now {
            endEarlierEpochs(at: now, outputs: &outputs)
        } else if timers.nextDue == now {
            guard let timer = timers.removeFirst(), regions[timer.subject].due == timer.due else { return now }
            advance(region: timer.subject, to: now, outputs: &outputs)
        } else if rangingDue == now {
            range(at: now, outputs: &outputs)
        } else {
            zonesResumedUntil = .distantFuture
            emptyResumedZones(at: now, outputs: &outputs)
        }
        return now
    }

    /// A region is left, or nobody knows any more, or it is asked again.
    private mutating func advance(region number: Int, to due: Instant, outputs: inout [GatewayOutput]) {
        // What is due may be long past, where an exit is known late.
        let now = max(now, due)
        if regions[number].reweighDue <= now {
            let deferral = regions[number].beginWeighing()
            // It was given time enough.
            if deferral == .entry { figures.late += 1 }
            return weigh(number, isCrossing: deferral == .entry, at: now, isLastCall: true, outputs: &outputs)
        }
        // Meanwhile a gateway may have told that it has more to tell.
        if regions[number].heldSince != nil, holdsEntry(of: number, isCrossing: false) {
            if let change = regions[number].becomeUnknown(by: now) { emit(number, change, outputs: &outputs) }
            return schedule(number)
        }
        let told = gateways.told(at: now, lateAfter: settings.lateAfter)
        tellNext(of: number, at: now, told, outputs: &outputs)
    }

    /// Tells the next thing that is due of a region.
    ///
    /// - Returns: whether there was one.
    @discardableResult mutating func tellNext(
        of number: Int, at now: Instant, _ told: StoreGateways.Told, outputs: inout [GatewayOutput]
    ) -> Bool {
        let change = regions[number].advance(to: now, told, spans)
        if let change { emit(number, change, outputs: &outputs) }
        // A visit that was known already has begun.
        if let change, change.change.state == .inside {
            weigh(number, isCrossing: false, at: change.at, outputs: &outputs)
        } else {
            schedule(number)
        }
        return change != nil
    }

    /// Tells every exit that waits for gateways: all have told what they had to.
    package mutating func settle(at now: Instant, outputs: inout [GatewayOutput]) {
        for number in regions.indices { settle(number, at: now, outputs: &outputs) }
    }

    /// Tells what waits of one region.
    mutating func settle(_ number: Int, at now: Instant, outputs: inout [GatewayOutput]) {
        let told = StoreGateways.Told(everythingUntil: now)
        while regions[number].isUndecided || regions[number].exitDue <= now,
            tellNext(of: number, at: now, told, outputs: &outputs)
        {}
    }

    /// A gateway is not away any more: exits that wait for it are looked at again.
    mutating func lookAgain(at now: Instant) {
        let due = gateways.caughtUpAt(now)
        if due == .distantFuture { return }
        for number in regions.indices where regions[number].lookDue ?? .origin > due {
            regions[number].look(at: due)
            schedule(number)
        }
    }

    /// Does everything that is due up to an instant.
    package mutating func advance(through now: Instant, outputs: inout [GatewayOutput]) {
        while advance(before: now + TimeSpan(microseconds: 1), outputs: &outputs) != nil {}
    }
}
