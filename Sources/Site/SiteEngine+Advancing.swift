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
            if let state = early.takeFirst() { apply(state, at: now, outputs: &outputs) }
        } else if timers.nextDue == now {
            guard let timer = timers.removeFirst(), regions[timer.subject].due == timer.due else { return now }
            if let change = regions[timer.subject].advance(to: now) {
                emit(timer.subject, change, outputs: &outputs)
                noteOutside(timer.subject)
            }
            schedule(timer.subject)
        } else if rangingDue == now {
            range(at: now, outputs: &outputs)
        } else {
            zonesResumedUntil = .distantFuture
            emptyResumedZones(at: now, outputs: &outputs)
        }
        return now
    }

    /// Does everything that is due up to an instant.
    package mutating func advance(through now: Instant, outputs: inout [GatewayOutput]) {
        while advance(before: now + TimeSpan(microseconds: 1), outputs: &outputs) != nil {}
    }
}
