import Core

/// The gateway's news as Home Assistant and OwnTracks read them, where the configuration wants that. Without it, this holds nothing.
package struct Integrations {
    /// The entities of Home Assistant.
    let discovery: HomeAssistantDiscovery?
    /// Instances of expanded regions and zones that it is told of, at most.
    let maxInstances: Int
    /// The ids of configured regions whose beacons are not listed.
    let unranged: Set<String>
    let ownTracks: OwnTracks?
    private let topics: TopicTree

    /// No integration.
    package init(nothingBeside topics: TopicTree) {
        (discovery, maxInstances, unranged, ownTracks, self.topics) = (nil, 0, [], nil, topics)
    }

    /// - Parameter topics: of the gateway or store whose news they are.
    init(_ settings: Settings, _ topics: TopicTree, for kind: HomeAssistantDiscovery.Kind) {
        self.topics = topics
        discovery = settings.homeAssistant.map { wanted in
            HomeAssistantDiscovery(
                prefix: wanted.discoveryPrefix, topics: topics, kind: kind,
                place: kind == .store ? .untold : settings.toldPlace,
                expanded: kind == .store ? [] : settings.gateway.regions.expanded, version: Version.current)
        }
        maxInstances = settings.homeAssistant?.maxInstances ?? 0
        let regions = settings.homeAssistant == nil ? [] : settings.gateway.regions.beacons
        unranged = Set(regions.lazy.filter { !$0.isRanged }.map(\.id))
        // A store is no device that moves.
        ownTracks =
            kind == .store
            ? nil
            : settings.ownTracks.map {
                OwnTracks(topic: $0.topic, rangingExpiry_s: Expiry.ranging_s(settings.gateway.ranging))
            }
    }

    /// The first levels of the topics on which it may be said. Home Assistant's usual ones are among them where another prefix, or none, is
    /// configured: the broker may let every gateway write there.
    var trees: [String] {
        var trees = [HomeAssistantSettings.usualDiscoveryPrefix]
        if let prefix = discovery?.prefix, !trees.contains(prefix) { trees.append(prefix) }
        if let ownTracks { trees.append(ownTracks.topic) }
        return trees
    }

    /// What is said as soon as the agent runs.
    var introduction: [Message] { discovery?.introduction ?? [] }

    /// What goes out before a message of the outbox.
    func companions(of message: NumberedMessage) -> [Message] {
        ownTracks?.messages(for: message, under: topics) ?? []
    }

    /// The retained topic that says what is true now, where the companions of a message tell of what is long past.
    func present(after message: NumberedMessage, at now: WallTime) -> String? {
        guard let ownTracks, ownTracks.tellsPast(message, under: topics, at: now) else { return nil }
        return ownTracks.topic
    }

    /// Topics outside the gateway's own that go on to be told of.
    ///
    /// - Parameter held: what is monitored.
    package func topics(holding held: some Sequence<RegionInstanceID>, tellsPlace: Bool) -> Set<String> {
        var topics = Set(introduction.map(\.topic))
        if let discovery { for instance in held { topics.formUnion(discovery.topics(of: instance)) } }
        if tellsPlace, let ownTracks { topics.insert(ownTracks.topic) }
        return topics
    }
}

/// The regions that Home Assistant has been told of.
struct ToldEntities {
    /// By this process.
    private var told: Set<RegionInstanceID> = []
    /// Those of which there may be many, by any process.
    private var admitted: Set<RegionInstanceID>
    /// Those for which there was no room.
    private(set) var refusedCount = 0

    /// - Parameters:
    ///   - earlier: what an earlier process had and this one goes on with. What was told of it goes on too, as far as there is room.
    ///   - isStored: whether there is a record under a key.
    init(_ integrations: Integrations, earlier: [RegionInstanceID], isStored: (String) -> Bool) {
        guard let discovery = integrations.discovery else {
            admitted = []
            return
        }
        let told = earlier.filter { instance in
            instance.isOneOfMany && discovery.topics(of: instance).contains { isStored(StoredClearance.key($0)) }
        }
        admitted = Set(told.prefix(integrations.maxInstances))
    }

    /// Whether what was told of an instance goes on.
    func mayTell(_ instance: RegionInstanceID) -> Bool { !instance.isOneOfMany || admitted.contains(instance) }

    /// Returns whether it is to be told of now.
    mutating func admit(_ instance: RegionInstanceID, limit: Int) -> Bool {
        guard !told.contains(instance) else { return false }
        if instance.isOneOfMany, !admitted.contains(instance) {
            guard admitted.count < limit else {
                refusedCount += 1
                return false
            }
            admitted.insert(instance)
        }
        told.insert(instance)
        return true
    }

    /// It is monitored no more.
    mutating func forget(_ instance: RegionInstanceID) {
        told.remove(instance)
        admitted.remove(instance)
    }
}

/// There are more regions than Home Assistant is told of.
package struct EntityLimit: Hashable, Sendable, CustomStringConvertible {
    package var limit: Int

    package var description: String {
        "homeassistant: \(limit) instances of expanded regions and zones have entities, and there are more; those that come now "
            + "have none: raise homeassistant.max_instances, or expand fewer regions"
    }
}

extension RegionInstanceID {
    /// Whether what is heard decides how many there are of its kind.
    fileprivate var isOneOfMany: Bool { major != nil || zone != nil }
}

extension RegionSettings {
    /// The regions of the file that have an instance for each beacon, or each major.
    fileprivate var expanded: [HomeAssistantDiscovery.ExpandedRegion] {
        beacons.compactMap { region in
            switch region.expansion {
            case .none: nil
            case .major: HomeAssistantDiscovery.ExpandedRegion(id: region.id, levels: 1)
            case .minor: HomeAssistantDiscovery.ExpandedRegion(id: region.id, levels: 2)
            }
        }
    }
}

extension Settings {
    /// What of the place leaves the gateway.
    fileprivate var toldPlace: HomeAssistantDiscovery.Place {
        guard privacy.location == .include else { return .untold }
        switch gateway.location?.source {
        case nil, .some(.none): return .untold
        case .fixed: return .fixed
        case .gpsd: return .moving
        }
    }
}

/// Messages outside the gateway's own topics.
extension TransactionWriter {
    /// With its first state, Home Assistant is told of a region.
    func introduce(_ transition: RegionTransition, _ records: RecordTable, into draft: inout TransactionDraft) {
        guard let discovery = integrations.discovery else { return }
        let refused = draft.told.entities.refusedCount
        if draft.told.entities.admit(transition.instance, limit: integrations.maxInstances) {
            let isCounted =
                transition.detail.kind.hasBeacons && !integrations.unranged.contains(transition.instance.region)
            let told = discovery.introduction(of: transition.instance, isCounted: isCounted)
            for message in told { retain(message, at: transition.at, records, into: &draft) }
            // An earlier region of that name may have had more.
            for topic in discovery.topics(of: transition.instance) where !told.contains(where: { $0.topic == topic }) {
                clear(topic, at: transition.at, records, into: &draft)
            }
        } else if refused == 0, draft.told.entities.refusedCount > 0 {
            draft.dispatched.append(
                .init(at: transition.at, content: .entityLimit(EntityLimit(limit: integrations.maxInstances))))
        }
    }

    /// A region is monitored no more: neither are there entities of it.
    func withdraw(
        _ instance: RegionInstanceID, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft
    ) {
        guard let discovery = integrations.discovery else { return }
        draft.told.entities.forget(instance)
        for topic in discovery.topics(of: instance) { clear(topic, at: instant, records, into: &draft) }
    }

    /// Clears a topic on which something was said.
    private func clear(_ topic: String, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft)
    {
        guard draft.stores(StoredClearance.key(topic), records) else { return }
        draft.told.retained.release(topic)
        draft.say(composer.cleared(topic), at: instant)
    }

    /// The companions of a numbered message, which go out before it.
    func sayCompanions(of message: NumberedMessage, at instant: Instant, into draft: inout TransactionDraft) {
        for companion in integrations.companions(of: message) { draft.say(companion, at: instant) }
    }
}
