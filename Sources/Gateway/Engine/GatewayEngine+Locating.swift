public import HCI
public import Location
import Regions

/// Where the gateway is, as far as the engine needs to know.
struct Whereabouts: Sendable {
    /// The last used fix, and when it came.
    var last: (fix: Fix, at: Instant)?
    /// What circles are monitored by; made with the first of them.
    var receiver: EvidenceSourceID?
    var isResting = false
}

/// Fixes come in. Without circles a fix is only remembered, for events to say where they happened.
extension GatewayEngine {
    /// Takes a fix that is used. What was due before comes first.
    ///
    /// - Parameter instant: when it came.
    public mutating func use(_ fix: Fix, at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        place.last = (fix, now)
        guard let receiver = place.receiver else { return }
        monitor.use(fix, from: receiver, at: now, transitions: &transitions, notices: &notices)
        if monitor.isInsideCircle { stays.heard(at: now) }
        takeTransitions(&outputs)
        takeFailures(&outputs)
    }

    /// The receiver rests on purpose: that no fix comes makes no state unknown.
    public mutating func receiverRests(at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        place.isResting = true
        if let receiver = place.receiver { monitor.rests(receiver, at: now) }
    }

    /// It listens again. From the start it does.
    public mutating func receiverListens(at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        place.isResting = false
        if let receiver = place.receiver { monitor.listens(receiver, at: now) }
    }

    /// Whether a circle's state is not decided or a crossing is under way, so that a receiver should not rest yet.
    public var isCrossingUndecided: Bool { monitor.isCrossingUndecided }

    /// What events say of the place: the last used fix, while it is young enough.
    var location: EventLocation? {
        guard let (fix, at) = place.last, now - at < EventLocation.maxAge else { return nil }
        return EventLocation(
            coordinate: fix.coordinate, horizontalAccuracy_m: fix.horizontalAccuracy_m, age: now - at)
    }

    /// What circles are monitored by. A gateway without circles has none, so that a report costs nothing more.
    mutating func receiver() -> EvidenceSourceID {
        if let receiver = place.receiver { return receiver }
        let receiver = monitor.addSource(canProbe: false)
        if place.isResting { monitor.rests(receiver, at: now) }
        place.receiver = receiver
        return receiver
    }
}
