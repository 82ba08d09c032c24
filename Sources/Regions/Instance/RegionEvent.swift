public import Beacons
public import HCI
public import Location

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
        /// The gateway itself, and where it was.
        case circle(CircleObservation)
    }

    public var kind: Kind
    public var cause: Cause
    /// Where the gateway was; `nil` where that is not known.
    public var location: EventLocation?
    /// Whose news decided it, where a store tells it; `nil` where the gateway tells what it heard itself.
    public var gateway: String?

    public init(_ kind: Kind, by cause: Cause, location: EventLocation? = nil, gateway: String? = nil) {
        self.kind = kind
        self.cause = cause
        self.location = location
        self.gateway = gateway
    }
}

/// Where the gateway was as an event came to pass: the last used fix.
public struct EventLocation: Hashable, Sendable {
    /// An older fix says nothing of an event.
    public static let maxAge = TimeSpan.seconds(3_600)

    public var coordinate: Coordinate
    /// The radius that holds the truth two times out of three. Metres.
    public var horizontalAccuracy_m: Double
    /// How long before the event the fix came.
    public var age: TimeSpan

    public init(coordinate: Coordinate, horizontalAccuracy_m: Double, age: TimeSpan) {
        self.coordinate = coordinate
        self.horizontalAccuracy_m = horizontalAccuracy_m
        self.age = age
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
