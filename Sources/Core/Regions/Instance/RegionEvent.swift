/// A crossing of a region's boundary, and its cause.
package struct RegionEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case enter
        case exit(RegionStay)
    }

    var kind: Kind
    var cause: Cause
    /// The gateway's place; `nil` where it is not known.
    package var location: EventLocation?
    /// The gateway whose message decided it, in a store's event; `nil` in a gateway's own event.
    package var gateway: String?

    package init(_ kind: Kind, by cause: Cause, location: EventLocation? = nil, gateway: String? = nil) {
        self.kind = kind
        self.cause = cause
        self.location = location
        self.gateway = gateway
    }

    /// The stay of a store's exit that became known late; `nil` for any other event.
    package var lateStay: RegionStay? {
        if case .exit(let stay) = kind, stay.isLate { stay } else { nil }
    }
}

/// The gateway's place at the time of an event: the last used fix.
package struct EventLocation: Hashable, Sendable {
    /// The age beyond which a fix does not describe an event.
    static let maxAge = TimeSpan.seconds(3_600)

    var coordinate: Coordinate
    /// The radius that contains the true place two times out of three. Metres.
    var horizontalAccuracy_m: Double
    /// The time from the fix to the event.
    var age: TimeSpan

    package init(coordinate: Coordinate, horizontalAccuracy_m: Double, age: TimeSpan) {
        self.coordinate = coordinate
        self.horizontalAccuracy_m = horizontalAccuracy_m
        self.age = age
    }
}

/// The stay that an exit ends.
package struct RegionStay: Hashable, Sendable {
    /// The knowledge about the beginning of a stay.
    enum Beginning: Hashable, Sendable {
        /// The entry was observed.
        case observed
        /// The stay had begun before monitoring did, so it is longer than known.
        case partial
    }

    /// The knowledge about the end of a stay.
    enum Ending: Hashable, Sendable {
        /// The source watched until the exit.
        case observed
        /// No report came since the start of the agent: the stay ended while the agent was not running.
        case inferred
        /// No exit happened: the region is not monitored any more.
        case unmonitored
    }

    /// The entry; for a beacon that was there before monitoring began, its first report.
    var enteredAt: Instant
    /// The last evidence that kept the region inside.
    var lastHeardAt: Instant
    var beginning: Beginning
    var ending: Ending
    /// Whether a store learned of it after it had told a later visit. Then no entry was told.
    var isLate: Bool

    /// The time from the entry to the last evidence; never negative.
    var dwell: TimeSpan { max(.zero, lastHeardAt - enteredAt) }

    init(
        enteredAt: Instant, lastHeardAt: Instant, beginning: Beginning = .observed, ending: Ending = .observed,
        isLate: Bool = false
    ) {
        self.enteredAt = enteredAt
        self.lastHeardAt = lastHeardAt
        self.beginning = beginning
        self.ending = ending
        self.isLate = isLate
    }
}

/// Core Location's states of a region.
package enum RegionState: String, Sendable, CaseIterable {
    case unknown
    case inside
    case outside
}

/// A change of a region's state. The state and its event, if there is one, belong together and must be stored together.
package struct RegionTransition: Hashable, Sendable {
    package var instance: RegionInstanceID
    var state: RegionState
    /// The time from which the region is in this state.
    var since: Instant
    /// The time of the change.
    package var at: Instant
    /// The crossing that made the change. `nil` where no boundary was crossed: as monitoring begins, or as the radio
    /// goes blind and sees again.
    package var event: RegionEvent?
    package var detail: RegionDetail

    package init(
        instance: RegionInstanceID, state: RegionState, since: Instant, at: Instant, event: RegionEvent? = nil,
        detail: RegionDetail = .beacon
    ) {
        self.instance = instance
        self.state = state
        self.since = since
        self.at = at
        self.event = event
        self.detail = detail
    }
}
