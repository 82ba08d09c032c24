import Core

/// A gateway as the owner of its outbox. What begins all of its topics names it: another `prefix`, `site` or `id` is another
/// gateway.
package struct GatewayIdentity: OutboxOwner {
    private let topics: TopicTree

    package init(_ topics: TopicTree) { self.topics = topics }

    package var name: String { topics.root }

    package func owner(ofTopic topic: String) -> String? {
        // One's own is known without a doubt, whatever its regions are called.
        topic.utf8.starts(with: (name + "/region/").utf8) ? name : TopicTree.root(ofEventTopic: topic)
    }

    /// Of what a former gateway has stored nothing is gone on from. What it has retained at the broker is to be cleared.
    package func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord] {
        guard let left = TopicTree(root: former) else { return [] }
        let definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key)?.id }
        let instances =
            records.compactMap { StoredRegion.instance(ofKey: $0.key) }
            + definitions.map { RegionInstanceID(region: $0) }
        let earlier = records.compactMap { StoredClearance.topic(ofKey: $0.key) }
        let retained = Set(left.retainedOfGateway + instances.map(left.state) + earlier)
            // A gateway may become again what it was once.
            .subtracting(topics.retainedOfGateway)
        return retained.sorted().map { OutboxRecord(key: StoredClearance.key($0), value: []) }
    }
}

extension OutboxLimits {
    package init(_ settings: OutboxSettings) {
        self.init(maxEvents: settings.maxEvents, maxMiB: settings.max_MiB)
    }
}
