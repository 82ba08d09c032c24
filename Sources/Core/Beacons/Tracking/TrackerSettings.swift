/// A transmitter whose identity resolving key is known, so that its rotation needs no guessing.
package struct KnownDevice: Hashable, Sendable {
    /// The operator's own name for it.
    package var name: String
    /// The identity resolving key, 16 octets, most significant first, as in the Core's sample data.
    var identityResolvingKey: [UInt8]

    package init(name: String, identityResolvingKey: [UInt8]) {
        self.name = name
        self.identityResolvingKey = identityResolvingKey
    }
}

/// What `BeaconTracker` goes by.
package struct TrackerSettings: Hashable, Sendable {
    /// Transmitters kept at once; newcomers beyond it are refused.
    var maxTransmitters: Int
    /// A transmitter silent for this long has proximity `unknown`.
    var unknownAfter: TimeSpan
    /// A transmitter silent for this long leaves the ranged list.
    var resolveAfter: TimeSpan
    /// The filter that distance and proximity are made from.
    var distanceFilter: FilterSettings
    /// The filter that the RSSI thresholds of regions look at.
    var regionFilter: FilterSettings
    /// `[[device]]`, in the order of the file: `Transmitter.device` is an index into it.
    package var devices: [KnownDevice]
}
