public import HCI

/// A transmitter whose identity resolving key is known, so that its rotation needs no guessing.
public struct KnownDevice: Hashable, Sendable {
    /// The operator's own name for it.
    public var name: String
    /// The identity resolving key, 16 octets, most significant first, as in the Core's sample data.
    public var identityResolvingKey: [UInt8]

    public init(name: String, identityResolvingKey: [UInt8]) {
        self.name = name
        self.identityResolvingKey = identityResolvingKey
    }
}

/// What `BeaconTracker` goes by.
public struct TrackerSettings: Hashable, Sendable {
    /// Transmitters kept at once; newcomers beyond it are refused.
    public var maxTransmitters: Int
    /// A transmitter silent for this long has proximity `unknown`.
    public var unknownAfter: TimeSpan
    /// A transmitter silent for this long leaves the ranged list.
    public var resolveAfter: TimeSpan
    /// The filter that distance and proximity are made from.
    public var distanceFilter: FilterSettings
    /// The filter that the RSSI thresholds of regions look at.
    public var regionFilter: FilterSettings
    /// `[[device]]`, in the order of the file: `Transmitter.device` is an index into it.
    public var devices: [KnownDevice]

    public init(
        maxTransmitters: Int, unknownAfter: TimeSpan, resolveAfter: TimeSpan, distanceFilter: FilterSettings,
        regionFilter: FilterSettings, devices: [KnownDevice]
    ) {
        self.maxTransmitters = maxTransmitters
        self.unknownAfter = unknownAfter
        self.resolveAfter = resolveAfter
        self.distanceFilter = distanceFilter
        self.regionFilter = regionFilter
        self.devices = devices
    }
}
