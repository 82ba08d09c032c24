/// What a request asks for. The raw value is the last level of its topic.
enum RequestVerb: String, CaseIterable, Sendable {
    case state
    case range
    case monitor
    case stop
    case location
}

/// A request whose form is right. Whether it can be carried out is for the engine to say.
package enum Request: Hashable, Sendable {
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
package struct StateRequest: Hashable, Sendable {
    /// States in one answer, at most.
    static let maxLimit = 256

    /// `nil` for those of all regions.
    var region: String?
    var major: UInt16?
    var minor: UInt16?
    /// 1 to `maxLimit`.
    package var limit: Int
    /// Where the page begins: 0, or what the answer before said as `next`.
    package var start: Int

    init(
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
package struct RegionDefinition: Hashable, Sendable {
    var entries: [String: JSONValue]
    /// The request's own text, which is stored so that the region outlives the process.
    package var text: [UInt8]

    /// Its name, where it has one that is text.
    package var id: String? {
        if case .string(let id) = entries["id"] { id } else { nil }
    }

    /// Reads the JSON object of a `monitor` request, from the air or from the store.
    init(text: [UInt8]) throws(RequestError) {
        entries = try RequestReader.object(text)
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) where value == .null {
            throw .notNull(key)
        }
        self.text = text
    }
}
