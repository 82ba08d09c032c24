public import Beacons
public import HCI

/// A crossing of a region's boundary, and what made it.
public struct RegionEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case enter
        case exit(RegionStay)
    }

    /// What crossed the boundary, by the kind of the region.
    public enum Cause: Hashable, Sendable {
        /// The beacon that the region was entered by, at the exit too, and how near it is. At an exit: the last smoothed RSSI,
        /// accuracy −1, proximity `unknown`.
        case beacon(BeaconIdentity, BeaconObservation)
    }

    public var kind: Kind
    public var cause: Cause

    public init(_ kind: Kind, by cause: Cause) {
        self.kind = kind
        self.cause = cause
    }
}

/// The stay that an exit ends.
public struct RegionStay: Hashable, Sendable {
    /// What is known of how a stay began.
    public enum Beginning: Hashable, Sendable {
        /// Somebody was seen to enter.
        case observed
        /// Who is inside was there already as monitoring began: the stay is longer than known.
        case partial
    }

    /// What is known of how a stay ended.
    public enum Ending: Hashable, Sendable {
        /// It was watched until the exit.
        case observed
        /// Nothing was heard since the agent was started: it ended while nobody listened.
        case inferred
        /// Nobody left: the region is monitored no more.
        case unmonitored
    }

    /// The entry; where somebody was there before monitoring began, when that was first heard.
    public var enteredAt: Instant
    /// The last evidence that kept the region inside.
    public var lastHeardAt: Instant
    public var beginning: Beginning
    public var ending: Ending

    /// From the entry to the last evidence; never negative.
    public var dwell: TimeSpan { max(.zero, lastHeardAt - enteredAt) }

    public init(
        enteredAt: Instant, lastHeardAt: Instant, beginning: Beginning = .observed, ending: Ending = .observed
    ) {
        self.enteredAt = enteredAt
        self.lastHeardAt = lastHeardAt
        self.beginning = beginning
        self.ending = ending
    }
}
