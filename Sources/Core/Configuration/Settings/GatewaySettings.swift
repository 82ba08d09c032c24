/// What the rules between the bytes and the messages go by: whom to listen to, how beacons are followed, what is watched.
package struct GatewaySettings: Hashable, Sendable {
    /// One adapter that listens, and how its RSSI compares with others'.
    package struct ListeningAdapter: Hashable, Sendable {
        package var adapter: RadioSettings.Adapter
        /// Added to every RSSI that it measures, before smoothing, dB.
        package var rssiOffset_db: Double
    }

    /// In the order of `RadioSettings.adapters`: a report says by its index who heard it.
    package var adapters: [ListeningAdapter]
    package var tracker: TrackerSettings
    package var distance: DistanceSettings
    package var regions: RegionSettings
    package var ranging: RangingSettings
    /// `nil` where the file says nothing of the place.
    package var location: LocationSettings?
}

/// `[regions]` and every `[[region]]`: what is watched, and what holds for regions that come by request.
package struct RegionSettings: Hashable, Sendable {
    /// What holds where a region does not say otherwise.
    var rules: BeaconRules
    var circleRules: CircleRules
    var limits: RegionLimits
    /// The octets that the id of a region may have which comes by a request: its topics are no longer than a broker takes.
    var maxRequestedID_bytes: Int
    /// Those of the file, in its order.
    package var configured: [MonitoredRegion]

    /// The regions of beacons among them. What is set comes before the circles.
    package var beacons: [BeaconRegion] {
        get {
            configured.compactMap { region in
                if case .beacon(let region) = region { region } else { nil }
            }
        }
        set { configured = newValue.map { .beacon($0) } + configured.filter(\.isCircle) }
    }
}
