import Configuration
import Gateway
import HCI
import Messages
internal import Regions

/// Time passes: regions are left, states become unknown, beacons are placed and listed.
extension SiteEngine {
    /// When `advance` has something to do next.
    package var nextDeadline: Instant {
        min(min(timers.nextDue, early.due), min(rangingDue, zonesResumedUntil), admission.due)
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
            let isCrossing = regions[number].beginWeighing()
            // It was given time enough.
            if isCrossing { figures.late += 1 }
            return weigh(number, isCrossing: isCrossing, at: now, isLastCall: true, outputs: &outputs)
        }
        let lateAfter = settings.lateAfter
        let toldUntil = gateways.toldUntil(at: now, lateAfter: lateAfter)
        let caughtUpAt = gateways.caughtUpAt(now)
        let change = regions[number].advance(
            to: now, toldUntil: toldUntil,
            lookAt: { due in caughtUpAt > now ? min(due + lateAfter, caughtUpAt) : due + (now - toldUntil) }, spans)
        guard let change else { return schedule(number) }
        emit(number, change, outputs: &outputs)
        noteOutside(number)
        // A visit that was known already has begun.
        if change.change.state == .inside {
            weigh(number, isCrossing: false, at: change.at, outputs: &outputs)
        } else {
            schedule(number)
        }
    }

    /// Tells every exit that waits for gateways: all have told what they had to.
    package mutating func settle(at now: Instant, outputs: inout [GatewayOutput]) {
        for number in regions.indices {
            while regions[number].isUndecided,
                let change = regions[number].advance(to: now, toldUntil: now, lookAt: { _ in .distantFuture }, spans)
            {
                emit(number, change, outputs: &outputs)
                noteOutside(number)
                if change.change.state == .inside { weigh(number, isCrossing: false, at: change.at, outputs: &outputs) }
            }
            schedule(number)
        }
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
