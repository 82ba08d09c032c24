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
    /// Where the region is a circle: that, and how far from its centre the gateway was.
    package var circle: CircleObservation?

    package init(
        instance: RegionInstanceID, state: RegionState, since: Instant, at: Instant, event: RegionEvent? = nil,
        circle: CircleObservation? = nil
    ) {
        self.instance = instance
        self.state = state
        self.since = since
        self.at = at
        self.event = event
        self.circle = circle
    }
}
