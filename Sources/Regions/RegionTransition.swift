public import Beacons
public import HCI

/// Core Location's states of a region.
public enum RegionState: String, Sendable, CaseIterable {
    case unknown
    case inside
    case outside
}

/// A region's state became another one. The state and the event, if there is one, belong together: whoever stores one
/// stores both.
public struct RegionTransition: Hashable, Sendable {
    public var instance: RegionInstanceID
    public var state: RegionState
    /// When the region came to be in this state.
    public var since: Instant
    /// When that came to pass.
    public var at: Instant
    /// The crossing that made the change; `nil` where nothing was crossed: as monitoring begins, or as the radio goes
    /// blind and sees again.
    public var event: RegionEvent?

    public init(
        instance: RegionInstanceID, state: RegionState, since: Instant, at: Instant, event: RegionEvent? = nil
    ) {
        self.instance = instance
        self.state = state
        self.since = since
        self.at = at
        self.event = event
    }
}

/// A crossing of a region's boundary.
public struct RegionEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case enter
        case exit(RegionStay)
    }

    public var kind: Kind
    public var uuid: ProximityUUID
    /// What the region instance fixes; where it leaves it open, that of the beacon that caused the entry, at the exit too.
    public var major: UInt16
    public var minor: UInt16
    /// At an exit: the last smoothed RSSI, accuracy −1, proximity `unknown`.
    public var observation: BeaconObservation

    public init(
        kind: Kind, uuid: ProximityUUID, major: UInt16, minor: UInt16, observation: BeaconObservation
    ) {
        self.kind = kind
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.observation = observation
    }
}

/// The stay that an exit ends.
public struct RegionStay: Hashable, Sendable {
    /// The entry; where a beacon was there before monitoring began, when it was first heard.
    public var enteredAt: Instant
    /// The last report that kept the region inside.
    public var lastHeardAt: Instant
    /// The beacon was there already as monitoring began: the stay was longer than known.
    public var isPartial: Bool
    /// Nothing was heard since the agent was started: it left while nobody listened.
    public var isInferred: Bool
    /// Nobody left: the region is monitored no more.
    public var isUnmonitored: Bool

    /// From the entry to the last report; never negative.
    public var dwell: TimeSpan { max(.zero, lastHeardAt - enteredAt) }

    public init(
        enteredAt: Instant, lastHeardAt: Instant, isPartial: Bool, isInferred: Bool, isUnmonitored: Bool = false
    ) {
        self.enteredAt = enteredAt
        self.lastHeardAt = lastHeardAt
        self.isPartial = isPartial
        self.isInferred = isInferred
        self.isUnmonitored = isUnmonitored
    }
}

/// A registration or a newcomer that a limit refused. Core Location's `monitoringDidFailFor`.
public struct RegionMonitoringFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Cause: Hashable, Sendable {
        case tooManyRegions(limit: Int)
        case tooManyInstances(limit: Int)
        /// A beacon of the region is not tracked; the region itself is monitored.
        case tooManyTransmitters(limit: Int)
    }

    public var region: String
    public var cause: Cause

    public init(region: String, cause: Cause) {
        self.region = region
        self.cause = cause
    }

    public var description: String {
        switch cause {
        case .tooManyRegions(let limit):
            "regionMonitoringFailure: region \"\(region)\" is not monitored: there are \(limit) already; "
                + "raise regions.max_regions"
        case .tooManyInstances(let limit):
            "regionMonitoringFailure: region \"\(region)\" gets no further instance: there are \(limit) already; "
                + "raise regions.max_instances"
        case .tooManyTransmitters(let limit):
            "regionMonitoringFailure: a beacon of region \"\(region)\" is not tracked: there are \(limit) already; "
                + "raise radio.max_transmitters"
        }
    }
}
