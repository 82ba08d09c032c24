import Core

/// The topics that the broker may retain of this gateway, as far as nobody wants them any more: stored minus wanted.
///
/// The outbox has a record for each topic before anything is said there: the region's own record for a state, a `StoredClearance` for any
/// other topic. An unwanted topic is cleared, and its record goes once the broker has cleared it. A broker that is away gets the clearing
/// later, also from another process. A topic without a record is found at the broker itself; see `LeftoverSearch`.
struct RetainedTopics {
    /// Unwanted topics, at most. A flood of made-up beacons while the broker is away leaves as many as it likes. The search at the broker
    /// finds those beyond.
    static let limit = 16_384

    private let tree: TopicTree
    /// The key of the record that goes, by the topic that has to be cleared first.
    private var unwanted: [String: String] = [:]

    /// - Parameters:
    ///   - stored: the records of earlier processes, and the instances in them that are not monitored any more.
    ///   - wanted: topics beside regions' states that this process goes on with.
    init(_ stored: StoredState, wanted: Set<String>, under tree: TopicTree) {
        self.tree = tree
        for topic in stored.otherTopics where !wanted.contains(topic) { release(topic) }
        for instance in stored.abandoned { release(instance) }
    }

    /// There is no room for another unwanted topic.
    var isFull: Bool { unwanted.count >= Self.limit }

    /// An instance is not monitored any more.
    mutating func release(_ instance: RegionInstanceID) {
        unwanted[tree.state(instance)] = StoredRegion.key(instance)
    }

    /// Nothing is said any more on a topic that is no region's state.
    mutating func release(_ topic: String) { unwanted[topic] = StoredClearance.key(topic) }

    /// An instance is monitored, perhaps again: its record stays.
    ///
    /// - Returns: the key of another record for its topic, which goes. It comes from a move of the gateway to another name and back.
    mutating func want(_ instance: RegionInstanceID) -> String? {
        guard !unwanted.isEmpty, let key = unwanted.removeValue(forKey: tree.state(instance)) else { return nil }
        return key == StoredRegion.key(instance) ? nil : key
    }

    /// Something is said again on a topic that is no region's state.
    mutating func want(_ topic: String) { unwanted[topic] = nil }

    /// The keys of the records that go, now that the broker has cleared these topics.
    mutating func takeKeys(clearedTopics: [String]) -> [String] {
        clearedTopics.compactMap { unwanted.removeValue(forKey: $0) }
    }

    /// The unwanted topics of this gateway, in the order in which they are to be cleared. Descriptions of an entity come before the state
    /// that they describe, so that Home Assistant makes nothing of an empty state.
    var own: [String] {
        let root = tree.root + "/"
        let described = unwanted.keys.filter { HomeAssistantDiscovery.describes($0, tree) }.sorted()
        return described + unwanted.keys.filter { $0.utf8.starts(with: root.utf8) }.sorted()
    }

    /// The unwanted topics of the gateway that this one was before it was moved. The broker may refuse to clear them.
    var former: [String] {
        let root = tree.root + "/"
        return unwanted.keys
            .filter { !$0.utf8.starts(with: root.utf8) && !HomeAssistantDiscovery.describes($0, tree) }.sorted()
    }
}
