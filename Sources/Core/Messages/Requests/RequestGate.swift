/// A message that the broker delivered to one of the agent's subscriptions.
package struct IncomingMessage: Hashable, Sendable {
    package enum Payload: Hashable, Sendable {
        case bytes([UInt8])
        /// The payload had `length` bytes, more than the limit, and was dropped.
        case oversize(length: Int)

        /// The payload; `nil` where it was dropped.
        package var octets: [UInt8]? { if case .bytes(let octets) = self { octets } else { nil } }
    }

    package var topic: String
    package var payload: Payload
    /// True if the message was published before the subscription. Such an old request must not be carried out.
    package var isRetained: Bool
    /// The topic for the answer (MQTT 5).
    var responseTopic: String?
    /// Data that the answer must repeat (MQTT 5).
    var correlationData: [UInt8]?

    package init(
        topic: String, payload: Payload, isRetained: Bool, responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }

    /// True if this only clears a retained request at the broker. With MQTT 3.1.1 the broker does not pass the flag on.
    var clearsRetained: Bool { isRetained && payload == .bytes([]) }
}

/// Decides which requests reach the engine. A request needs a valid form and an allowed answer topic, and requests must
/// not come too fast.
package struct RequestGate: Sendable {
    package enum Decision: Hashable, Sendable {
        case carryOut(Request, ReplyAddress)
        case refuse(RequestError, ReplyAddress)
        /// No answer: the request is one of too many, which was counted, or clears a retained request.
        case drop
    }

    /// The most octets of a payload.
    static let maxPayload_bytes = 4_096
    static let rate_per_s: Int64 = 10
    static let burst: Int64 = 20

    private let topics: TopicTree
    private let foreignTrees: [String]
    private var requests = TokenBucket(interval: .milliseconds(1_000 / Self.rate_per_s), burst: Self.burst)
    /// The rate of answers about too many requests: one a second.
    private var complaints = TokenBucket(interval: .seconds(1), burst: 1)
    /// The requests beyond the rate since the start.
    package private(set) var floodCount: UInt64 = 0

    /// - Parameter foreignTrees: the first levels of topics outside the prefix that the gateway writes in other
    ///   formats. No answer goes there.
    package init(topics: TopicTree, sparing foreignTrees: [String] = []) {
        self.topics = topics
        self.foreignTrees = foreignTrees
    }

    package mutating func admit(_ incoming: IncomingMessage, at now: Instant) -> Decision {
        let verb = topics.verb(ofRequest: incoming.topic)
        let (address, misdirection) = address(verb, incoming)
        guard requests.take(at: now) else { return refuseFlood(address, at: now) }
        if incoming.clearsRetained { return .drop }
        if let misdirection { return .refuse(misdirection, address) }
        do throws(RequestError) {
            return .carryOut(try read(verb, incoming), address)
        } catch {
            return .refuse(error, address)
        }
    }

    /// Refuses a request for which the queue to the engine has no room.
    package mutating func refuseFlood(_ address: ReplyAddress, at now: Instant) -> Decision {
        floodCount += 1
        return complaints.take(at: now) ? .refuse(.tooManyRequests, address) : .drop
    }

    /// Returns the address that the requester asked for. If it is not allowed, the refusal goes to the usual topic.
    private func address(_ verb: String, _ incoming: IncomingMessage) -> (ReplyAddress, RequestError?) {
        var address = ReplyAddress(verb: verb, topic: topics.response(verb))
        if let data = incoming.correlationData {
            guard data.count <= ReplyAddress.maxCorrelation_bytes else { return (address, .correlationTooLong) }
            address.correlationData = data
        }
        if let topic = incoming.responseTopic {
            guard topics.mayAnswer(on: topic, sparing: foreignTrees) else {
                return (address, .invalidResponseTopic(topics, sparing: foreignTrees))
            }
            address.topic = topic
        }
        return (address, nil)
    }

    private func read(_ name: String, _ incoming: IncomingMessage) throws(RequestError) -> Request {
        if incoming.isRetained { throw .retained }
        guard let verb = RequestVerb(rawValue: name) else { throw .unknownVerb }
        guard case .bytes(let payload) = incoming.payload, payload.count <= Self.maxPayload_bytes else {
            throw .tooLarge
        }
        return try RequestReader.read(verb, payload)
    }
}
