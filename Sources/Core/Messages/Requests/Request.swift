/// The verb of a request. The raw value is the last level of its topic.
enum RequestVerb: String, CaseIterable, Sendable {
    case state
    case range
    case monitor
    case stop
    case location
}

/// A request of valid form. The engine decides whether it can be carried out.
package enum Request: Hashable, Sendable {
    /// Core Location's `requestState(for:)`.
    case state(StateRequest)
    /// The beacons in range of one region instance now; `nil` for numbers that name no instance of any region.
    case range(region: String, RegionInstanceID.Discriminator?)
    /// Core Location's `startMonitoring(for:)`.
    case monitor(RegionDefinition)
    /// Core Location's `stopMonitoring(for:)`.
    case stop(region: String)
    /// Core Location's `requestLocation()`: a fresh fix, with a timeout.
    case location(timeout: TimeSpan)

    /// The default timeout of a request for a fix. Seconds.
    static let locationTimeout_s = 30.0
}

/// The filter and page of a request for states.
package struct StateRequest: Hashable, Sendable {
    /// The most states in one answer.
    static let maxLimit = 256

    /// The region; `nil` for all regions.
    var region: String?
    var major: UInt16?
    var minor: UInt16?
    /// 1 to `maxLimit`.
    package var limit: Int = Self.maxLimit
    /// The start of the page: 0, or `next` of the answer before.
    package var start: Int = 0
}

/// A region as a request defines it: the keys of a `[[region]]` in JSON. The configuration decides which values are
/// valid.
package struct RegionDefinition: Hashable, Sendable {
    var entries: [String: DocumentValue]
    /// The request's own text, which is stored so that the region outlives the process.
    package var text: [UInt8]

    /// The id, if the request has one that is text.
    package var id: String? {
        if case .string(let id) = entries["id"] { id } else { nil }
    }

    /// Reads the JSON object of a `monitor` request, received or stored.
    init(text: [UInt8]) throws(RequestError) {
        entries = try RequestReader.object(text)
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) where value == .null {
            throw .notNull(key)
        }
        self.text = text
    }
}

/// The destination of an answer.
package struct ReplyAddress: Hashable, Sendable {
    /// The last level of the request's topic, if it may be one of the agent's verbs.
    var verb: String
    package var topic: String
    /// The correlation data, by which the requester recognises its answer (MQTT 5).
    package var correlationData: [UInt8]?

    /// The most octets of correlation data that are sent back.
    static let maxCorrelation_bytes = 256
}

extension TopicTree {
    package var requestFilter: String { root + "/request/+" }

    /// Returns the last level of a request's topic, or `unknown` for a topic unlike the agent's.
    func verb(ofRequest topic: String) -> String {
        guard case .request(let verb)? = subject(of: topic), verb.utf8.count <= 32 else { return "unknown" }
        let isPlain = verb.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
        return isPlain ? verb : "unknown"
    }

    /// Returns whether an answer may go to a topic that the requester chose.
    ///
    /// Subscribers trust the gateway's messages on some topics. A requester must not write there. So below the prefix
    /// only this gateway's own `response/` is allowed. Topics of other formats that the gateway writes are not allowed
    /// either.
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

package struct Answer: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        /// The requested states, and the start of the next page, if there is one.
        case states([RegionStatus], next: Int?)
        case ranging(RangingReport)
        /// The region is monitored from now on, or was already, with this definition.
        case monitoring(region: String)
        /// The region is not monitored any more; so many instances ended.
        case stopped(region: String, instances: Int)
        /// The gateway's place.
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
