/// A crossing of a region's boundary, and what made it.
package struct RegionEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case enter
        case exit(RegionStay)
    }

    var kind: Kind
    var cause: Cause
    /// Where the gateway was; `nil` where that is not known.
    package var location: EventLocation?
    /// Whose news decided it, where a store tells it; `nil` where the gateway tells what it heard itself.
    package var gateway: String?

    package init(_ kind: Kind, by cause: Cause, location: EventLocation? = nil, gateway: String? = nil) {
        self.kind = kind
        self.cause = cause
        self.location = location
        self.gateway = gateway
    }
}

/// Where the gateway was as an event came to pass: the last used fix.
package struct EventLocation: Hashable, Sendable {
    /// An older fix says nothing of an event.
    static let maxAge = TimeSpan.seconds(3_600)

    var coordinate: Coordinate
    /// The radius that holds the truth two times out of three. Metres.
    var horizontalAccuracy_m: Double
    /// How long before the event the fix came.
    var age: TimeSpan

    package init(coordinate: Coordinate, horizontalAccuracy_m: Double, age: TimeSpan) {
        self.coordinate = coordinate
        self.horizontalAccuracy_m = horizontalAccuracy_m
        self.age = age
    }
}

/// The stay that an exit ends.
package struct RegionStay: Hashable, Sendable {
    /// What is known of how a stay began.
    enum Beginning: Hashable, Sendable {
        /// Somebody was seen to enter.
        case observed
        /// Who is inside was there already as monitoring began: the stay is longer than known.
        case partial
    }

    /// What is known of how a stay ended.
    enum Ending: Hashable, Sendable {
        /// It was watched until the exit.
        case observed
        /// Nothing was heard since the agent was started: it ended while nobody listened.
        case inferred
        /// Nobody left: the region is monitored no more.
        case unmonitored
    }

    /// The entry; where somebody was there before monitoring began, when that was first heard.
    var enteredAt: Instant
    /// The last evidence that kept the region inside.
    var lastHeardAt: Instant
    var beginning: Beginning
    var ending: Ending

    /// From the entry to the last evidence; never negative.
    var dwell: TimeSpan { max(.zero, lastHeardAt - enteredAt) }

    init(
        enteredAt: Instant, lastHeardAt: Instant, beginning: Beginning = .observed, ending: Ending = .observed
    ) {
        self.enteredAt = enteredAt
        self.lastHeardAt = lastHeardAt
        self.beginning = beginning
        self.ending = ending
    }
}

/// Core Location's states of a region.
package enum RegionState: String, Sendable, CaseIterable {
    case unknown
    case inside
    case outside
}

/// A region's state became another one. The state and the event, if there is one, belong together: whoever stores one
/// stores both.
package struct RegionTransition: Hashable, Sendable {
    package var instance: RegionInstanceID
    var state: RegionState
    /// When the region came to be in this state.
    var since: Instant
    /// When that came to pass.
    package var at: Instant
    /// The crossing that made the change; `nil` where nothing was crossed: as monitoring begins, or as the radio goes
    /// blind and sees again.
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
