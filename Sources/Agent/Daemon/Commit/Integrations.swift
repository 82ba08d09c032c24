import Core

/// The gateway's messages in the formats of Home Assistant and OwnTracks. There are none where the configuration wants neither.
package struct Integrations {
    let discovery: HomeAssistantDiscovery?
    /// The most instances of expanded regions and zones that Home Assistant gets.
    let maxInstances: Int
    /// The ids of configured regions without ranging.
    let unranged: Set<String>
    let ownTracks: OwnTracks?
    private let topics: TopicTree

    /// Returns `nil` where the configuration wants neither format of the gateway or store.
    ///
    /// - Parameter topics: the topics of the gateway or store.
    init?(_ settings: Settings, _ topics: TopicTree, for kind: HomeAssistantDiscovery.Kind) {
        self.topics = topics
        discovery = settings.homeAssistant.map { wanted in
            HomeAssistantDiscovery(
                prefix: wanted.discoveryPrefix, topics: topics, kind: kind,
                place: kind == .store ? .unpublished : settings.publishedPlace,
                expanded: kind == .store ? [] : settings.gateway.regions.expanded,
                lists: kind == .store ? nil : settings.gateway.beacons, version: Version.current)
        }
        maxInstances = settings.homeAssistant?.maxInstances ?? 0
        let regions = settings.homeAssistant == nil ? [] : settings.gateway.regions.beacons
        unranged = Set(regions.lazy.filter { !$0.isRanged }.map(\.id))
        // A store does not move, so it is no device of OwnTracks.
        ownTracks =
            kind == .store
            ? nil
            : settings.ownTracks.map {
                OwnTracks(topic: $0.topic, rangingExpiry_s: Expiry.ranging_s(settings.gateway.ranging))
            }
        if discovery == nil, ownTracks == nil { return nil }
    }

    /// The first levels of all topics for integrations. Home Assistant's usual prefix is among them even where another
    /// prefix, or none, is configured: the broker may let every gateway write there.
    static func trees(of integrations: Integrations?) -> [String] {
        var trees = [HomeAssistantSettings.usualDiscoveryPrefix]
        if let prefix = integrations?.discovery?.prefix, !trees.contains(prefix) { trees.append(prefix) }
        if let ownTracks = integrations?.ownTracks { trees.append(ownTracks.topic) }
        return trees
    }

    /// Messages to publish as soon as the agent runs.
    var introduction: [Message] { discovery?.introduction ?? [] }

    /// Messages to publish before a message of the outbox.
    func companions(of message: NumberedMessage) -> [Message] { ownTracks?.messages(for: message, under: topics) ?? [] }

    /// The retained topic with the present state, where a message's companions are of the distant past.
    func present(after message: NumberedMessage, at now: WallTime) -> String? {
        guard let ownTracks, ownTracks.isPast(message, under: topics, at: now) else { return nil }
        return ownTracks.topic
    }

    /// Topics outside the gateway's own that stay in use.
    ///
    /// - Parameter held: the monitored instances.
    package func topics(holding held: some Sequence<RegionInstanceID>, includesPlace: Bool) -> Set<String> {
        var topics = Set(introduction.map(\.topic))
        if let discovery { for instance in held { topics.formUnion(discovery.topics(of: instance)) } }
        if includesPlace, let ownTracks { topics.insert(ownTracks.topic) }
        return topics
    }
}

/// The regions that Home Assistant got.
struct PublishedEntities {
    /// Regions published by this process.
    private var published: Set<RegionInstanceID> = []
    /// Instances of kinds that may have many, published by any process.
    private var admitted: Set<RegionInstanceID>
    /// The number of instances for which there was no room.
    private(set) var refusedCount = 0

    /// - Parameters:
    ///   - earlier: instances of an earlier process that this one continues. They stay with Home Assistant as far as
    /// there is room.
    ///   - isStored: whether there is a record under a key.
    init(_ integrations: Integrations?, earlier: [RegionInstanceID], isStored: (String) -> Bool) {
        guard let integrations, let discovery = integrations.discovery else {
            admitted = []
            return
        }
        let known = earlier.filter { instance in
            instance.isOneOfMany && discovery.topics(of: instance).contains { isStored(StoredClearance.key($0)) }
        }
        admitted = Set(known.prefix(integrations.maxInstances))
    }

    /// Returns whether Home Assistant may get this instance.
    func mayPublish(_ instance: RegionInstanceID) -> Bool { !instance.isOneOfMany || admitted.contains(instance) }

    /// Returns whether to publish this instance to Home Assistant now.
    mutating func admit(_ instance: RegionInstanceID, limit: Int) -> Bool {
        guard !published.contains(instance) else { return false }
        if instance.isOneOfMany, !admitted.contains(instance) {
            guard admitted.count < limit else {
                refusedCount += 1
                return false
            }
            admitted.insert(instance)
        }
        published.insert(instance)
        return true
    }

    /// Removes an instance that is not monitored any more.
    mutating func remove(_ instance: RegionInstanceID) {
        published.remove(instance)
        admitted.remove(instance)
    }
}

/// The warning that Home Assistant does not get all regions.
package struct EntityLimit: Hashable, Sendable, CustomStringConvertible {
    package var limit: Int

    package var description: String {
        "homeassistant: \(limit) instances of expanded regions and zones have entities, and there are more; new ones "
            + "have none: raise homeassistant.max_instances, or expand fewer regions"
    }
}

extension RegionInstanceID {
    /// True if reception decides how many instances of its kind there are.
    fileprivate var isOneOfMany: Bool { major != nil || zone != nil }
}

extension RegionSettings {
    /// The regions of the file that have an instance for each beacon, or for each major.
    fileprivate var expanded: [HomeAssistantDiscovery.ExpandedRegion] {
        beacons.filter { !$0.isOfPeople }.compactMap { region in
            switch region.expansion {
            case .none: nil
            case .major: HomeAssistantDiscovery.ExpandedRegion(id: region.id, levels: 1, uuid: region.uuid)
            case .minor: HomeAssistantDiscovery.ExpandedRegion(id: region.id, levels: 2, uuid: region.uuid)
            }
        }
    }
}

extension Settings {
    /// The part of the place that leaves the gateway.
    fileprivate var publishedPlace: HomeAssistantDiscovery.Place {
        guard privacy.location == .include else { return .unpublished }
        switch gateway.location?.source {
        case nil, .some(.none): return .unpublished
        case .fixed: return .fixed
        case .gpsd: return .moving
        }
    }
}

/// Messages outside the gateway's own topics.
extension Integrations {
    /// Publishes a region to Home Assistant, with the region's first state.
    func introduce(
        _ transition: RegionTransition, by writer: TransactionWriter, _ records: RecordTable,
        into draft: inout TransactionDraft
    ) {
        guard let discovery else { return }
        let refused = draft.published.entities.refusedCount
        if draft.published.entities.admit(transition.instance, limit: maxInstances) {
            let isCounted = transition.detail.kind.hasBeacons && !unranged.contains(transition.instance.region)
            let messages = discovery.introduction(of: transition.instance, isCounted: isCounted)
            for message in messages { writer.retain(message, at: transition.at, records, into: &draft) }
            // An earlier region of that name may have had more topics.
            for topic in discovery.topics(of: transition.instance)
            where !messages.contains(where: { $0.topic == topic }) {
                writer.clear(topic, at: transition.at, records, into: &draft)
            }
        } else if refused == 0, draft.published.entities.refusedCount > 0 {
            draft.dispatched.append(.init(at: transition.at, content: .entityLimit(EntityLimit(limit: maxInstances))))
        }
    }

    /// Removes the entities of a region that is not monitored any more.
    func remove(
        _ instance: RegionInstanceID, by writer: TransactionWriter, at instant: Instant, _ records: RecordTable,
        into draft: inout TransactionDraft
    ) {
        guard let discovery else { return }
        draft.published.entities.remove(instance)
        for topic in discovery.topics(of: instance) { writer.clear(topic, at: instant, records, into: &draft) }
    }

    /// Publishes the companions of a numbered message, before it.
    func publishCompanions(of message: NumberedMessage, at instant: Instant, into draft: inout TransactionDraft) {
        for companion in companions(of: message) { draft.publish(companion, at: instant) }
    }
}
