public import HCI
public import Regions

/// What a request asks for. The raw value is the last level of its topic.
public enum RequestVerb: String, CaseIterable, Sendable {
    case state
    case range
    case monitor
    case stop
    case location
}

/// A request whose form is right. Whether it can be carried out is for the engine to say.
public enum Request: Hashable, Sendable {
    /// Core Location's `requestState(for:)`.
    case state(StateRequest)
    /// The beacons in range of one region instance, now; `nil` for numbers that name no instance of any region.
    case range(region: String, RegionInstanceID.Discriminator?)
    /// Core Location's `startMonitoring(for:)`.
    case monitor(RegionDefinition)
    /// Core Location's `stopMonitoring(for:)`.
    case stop(region: String)
    /// Core Location's `requestLocation()`: a fresh fix, and how long to wait for it.
    case location(timeout: TimeSpan)

    /// How long a request for a fix waits where it does not say. Seconds.
    static let locationTimeout_s = 30.0
}

/// Which states are asked for.
public struct StateRequest: Hashable, Sendable {
    /// States in one answer, at most.
    public static let maxLimit = 256

    /// `nil` for those of all regions.
    public var region: String?
    public var major: UInt16?
    public var minor: UInt16?
    /// 1 to `maxLimit`.
    public var limit: Int
    /// Where the page begins: 0, or what the answer before said as `next`.
    public var start: Int

    public init(
        region: String? = nil, major: UInt16? = nil, minor: UInt16? = nil, limit: Int = maxLimit, start: Int = 0
    ) {
        self.region = region
        self.major = major
        self.minor = minor
        self.limit = limit
        self.start = start
    }
}

/// A region as a request defines it: the keys of a `[[region]]` in JSON. What they may be, the configuration says.
public struct RegionDefinition: Hashable, Sendable {
    public var entries: [String: JSONValue]
    /// The request's own text, which is stored so that the region outlives the process.
    public var text: [UInt8]

    /// Its name, where it has one that is text.
    public var id: String? {
        if case .string(let id) = entries["id"] { id } else { nil }
    }

    /// Reads the JSON object of a `monitor` request, from the air or from the store.
    public init(text: [UInt8]) throws(RequestError) {
        entries = try RequestReader.object(text)
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) where value == .null {
            throw .notNull(key)
        }
        self.text = text
    }
}
