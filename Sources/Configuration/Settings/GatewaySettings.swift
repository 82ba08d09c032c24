public import Beacons
public import Location
public import Regions

/// What the rules between the bytes and the messages go by: whom to listen to, how beacons are followed, what is watched.
public struct GatewaySettings: Hashable, Sendable {
    /// One adapter that listens, and how its RSSI compares with others'.
    public struct ListeningAdapter: Hashable, Sendable {
        public var adapter: RadioSettings.Adapter
        /// Added to every RSSI that it measures, before smoothing, dB.
        public var rssiOffset_db: Double
    }

    /// In the order of `RadioSettings.adapters`: a report says by its index who heard it.
    public var adapters: [ListeningAdapter]
    public var tracker: TrackerSettings
    public var distance: DistanceSettings
    public var regions: RegionSettings
    public var ranging: RangingSettings
    /// `nil` where the file says nothing of the place.
    public var location: LocationSettings?
}

/// `[regions]` and every `[[region]]`: what is watched, and what holds for regions that come by request.
public struct RegionSettings: Hashable, Sendable {
    /// What holds where a region does not say otherwise.
    public var rules: BeaconRules
    public var circleRules: CircleRules
    public var limits: RegionLimits
    /// The octets that the id of a region may have which comes by a request: its topics are no longer than a broker takes.
    public var maxRequestedID_bytes: Int
    /// Those of the file, in its order.
    public var configured: [MonitoredRegion]

    /// The regions of beacons among them. What is set comes before the circles.
    public var beacons: [BeaconRegion] {
        get {
            configured.compactMap { region in
                if case .beacon(let region) = region { region } else { nil }
            }
        }
        set { configured = newValue.map { .beacon($0) } + configured.filter(\.isCircle) }
    }
}
