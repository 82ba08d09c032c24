public import HCI
public import Location
public import Messages
public import Regions

/// What the engine has to tell, in the order in which it happened.
public enum GatewayOutput: Hashable, Sendable {
    /// A region's state changed, and what to store of it; `nil` while there is nothing to go on from.
    case transition(RegionTransition, record: RegionRecord?)
    /// What to store of the regions that are inside, every `StaySchedule.interval`.
    case stays([RegionRecord])
    case ranging(RangingReport)
    /// The radio is in another condition from that time on.
    case radio(CoveredRadio, at: Instant)
    case failure(RegionMonitoringFailure, at: Instant)
    case notice(RegionMonitoringNotice, at: Instant)
    /// A request registered a region, which is to outlive the process.
    case registered(RegionDefinition, region: String, at: Instant)
    /// Somebody is inside an instance that is monitored no more: the exit that ends that stay.
    case ended(RegionInstanceID, RegionEvent, at: Instant)
    /// A request ended the monitoring of a region, and these were its instances.
    case unregistered(region: String, instances: [RegionInstanceID], at: Instant)
    case answer(Answer)
    /// Where the gateway is.
    case location(PlacedFix, at: Instant)
    /// A fix that is told with others later, and has to outlive the process until then.
    case kept(Fix)
    /// The fixes that were kept.
    case track(TrackBatch, at: Instant)
    /// What can be said of the place.
    case locationStatus(LocationStatus, at: Instant)
}

/// What the engine has counted since it was made.
public struct GatewayFigures: Sendable {
    /// Advertising reports decoded, iBeacon or not.
    public var reports: UInt64
    /// iBeacon frames among them.
    public var beacons: UInt64
    /// Bytes that were skipped, by reason.
    public var rejects: RejectCounts
    /// Physical beacons counted so far.
    public var tracks: UInt64
    /// Physical beacons listed now.
    public var listedTracks: Int
    /// Region instances held.
    public var instances: Int
    /// Newcomers refused because `max_transmitters` were listed already.
    public var refusedTransmitters: UInt64
    /// Region instances refused, each region counted once.
    public var refusedInstances: UInt64
    /// Floods of the last minute or of this one.
    public var suspectedSpoofing: [SuspectedSpoofing]
    /// Adapters whose readings were none in the last whole minute.
    public var suspectReadings: [SuspectReadings]
    /// `nil` where the configuration says nothing of the place.
    public var location: LocationFigures?
}
