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

/// Where the answer to a request goes.
package struct ReplyAddress: Hashable, Sendable {
    /// The last level of the request's topic, as far as it can be one of ours.
    var verb: String
    package var topic: String
    /// What the requester knows its answer by (MQTT 5).
    package var correlationData: [UInt8]?

    package init(verb: String, topic: String, correlationData: [UInt8]? = nil) {
        self.verb = verb
        self.topic = topic
        self.correlationData = correlationData
    }

    /// Octets of correlation data that are carried back, at most.
    static let maxCorrelation_bytes = 256
}

extension TopicTree {
    /// What to subscribe to for requests.
    package var requestFilter: String { root + "/request/+" }

    /// The last level of a request's topic, or `unknown` for one that none of ours looks like.
    func verb(ofRequest topic: String) -> String {
        guard case .request(let verb)? = subject(of: topic), verb.utf8.count <= 32 else { return "unknown" }
        let isPlain = verb.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
        return isPlain ? verb : "unknown"
    }

    /// Whether an answer may go to a topic that the requester chose.
    ///
    /// The broker trusts the gateway's word on some topics. A requester must not choose what stands there. So below the prefix
    /// only this gateway's own `response/` is allowed, and nothing at or below the trees in which it speaks in others' words.
    ///
    /// - Parameter foreignTrees: the first levels of topics outside the prefix that only the gateway itself writes.
    func mayAnswer(on topic: String, sparing foreignTrees: [String]) -> Bool {
        guard (1...TopicName.maxTopic_bytes).contains(topic.utf8.count),
            TopicName.levels(of: topic.utf8) <= TopicName.maxLevels, !topic.hasPrefix("$"),
            !topic.unicodeScalars.contains(where: { TopicName.isWildcard($0) || TopicName.isForbidden($0) })
        else { return false }
        let levels = topic.utf8
        if levels.starts(with: (root + "/response/").utf8) { return true }
        return !([prefix] + foreignTrees).contains { tree in
            levels.elementsEqual(tree.utf8) || levels.starts(with: (tree + "/").utf8)
        }
    }
}

/// What became of a request.
package struct Answer: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        /// States that were asked for, and where the next page begins, if there is one.
        case states([RegionStatus], next: Int?)
        case ranging(RangingReport)
        /// A region is monitored from now on, or was already, just so.
        case monitoring(region: String)
        /// A region is monitored no more; so many instances went with it.
        case stopped(region: String, instances: Int)
        /// Where the gateway is.
        case location(PlacedFix)
        case refused(RequestError)
    }

    package var address: ReplyAddress
    package var at: Instant
    package var result: Result

    package init(address: ReplyAddress, at: Instant, result: Result) {
        self.address = address
        self.at = at
        self.result = result
    }
}
