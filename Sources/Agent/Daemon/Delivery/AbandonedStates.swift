import Core

/// States of regions that are monitored no more, which the broker still has to clear.
///
/// Their records outlive them until then: a broker that is away now gets the clearing later, be it from another process,
/// which knows by such a record that there is something to clear.
struct AbandonedStates {
    /// States that wait to be cleared, at most. A flood of made-up beacons while the broker is away leaves as many as it likes. Those
    /// beyond are looked for at the broker instead; see `LeftoverSearch`.
    package static let limit = 16_384

    private let topics: TopicTree
    /// The key of the record that goes, by the topic that has to be cleared first.
    private var keys: [String: String] = [:]

    /// - Parameter formerTopics: of a gateway that this one was before it was moved.
    init(_ instances: [RegionInstanceID], formerTopics: [String], topics: TopicTree) {
        self.topics = topics
        for topic in formerTopics { add(topic: topic) }
        for instance in instances { add(instance) }
    }

    /// Whether there is no place for another one.
    var isFull: Bool { keys.count >= Self.limit }

    /// An instance is monitored no more.
    mutating func add(_ instance: RegionInstanceID) {
        keys[topics.state(instance)] = StoredRegion.key(instance)
    }

    /// An instance is monitored, perhaps again: its record stays. Returns the key of another record that wanted it cleared,
    /// where this gateway is again what it was once.
    mutating func remove(_ instance: RegionInstanceID) -> String? {
        guard !keys.isEmpty, let key = keys.removeValue(forKey: topics.state(instance)) else { return nil }
        return key == StoredRegion.key(instance) ? nil : key
    }

    /// Another topic is to be cleared, which no region's state is on.
    mutating func add(topic: String) { keys[topic] = StoredClearance.key(topic) }

    /// Something is said there again.
    mutating func remove(topic: String) { keys[topic] = nil }

    /// What an earlier region of that id has left behind: the next one begins without it.
    func keys(of region: String) -> [String] {
        keys.values.filter { StoredRegion.instance(ofKey: $0)?.region == region }
    }

    /// The keys of the records that go, now that the broker has cleared these topics.
    mutating func takeKeys(clearedTopics: [String]) -> [String] {
        clearedTopics.compactMap { keys.removeValue(forKey: $0) }
    }
}
