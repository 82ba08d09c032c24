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
