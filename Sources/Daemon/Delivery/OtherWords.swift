import Configuration
import Gateway
import HCI
import Location
import Messages
import Regions

/// The gateway's news in the words of others, where the configuration wants that. Where it does not, this is nothing.
package struct OtherWords {
    /// In Home Assistant's.
    let discovery: HomeAssistantDiscovery?
    /// Instances of expanded regions and zones that it is told of, at most.
    let maxInstances: Int
    let ownTracks: OwnTracks?
    private let topics: TopicTree

    /// Nothing but the gateway's own words.
    init(nothingBeside topics: TopicTree) {
        (discovery, maxInstances, ownTracks, self.topics) = (nil, 0, nil, topics)
    }

    /// - Parameter topics: of the gateway or store whose news they are.
    package init(_ settings: Settings, _ topics: TopicTree, for kind: HomeAssistantDiscovery.Kind) {
        self.topics = topics
        discovery = settings.homeAssistant.map { wanted in
            HomeAssistantDiscovery(
                prefix: wanted.discoveryPrefix, topics: topics, kind: kind,
                place: kind == .store ? .untold : settings.toldPlace, version: Version.current)
        }
        maxInstances = settings.homeAssistant?.maxInstances ?? 0
        // A store is no device that moves.
        ownTracks =
            kind == .store
            ? nil
            : settings.ownTracks.map {
                OwnTracks(topic: $0.topic, rangingExpiry_s: Expiry.ranging_s(settings.gateway.ranging))
            }
    }

    /// What is said as soon as the agent runs.
    var introduction: [Message] { discovery?.introduction ?? [] }

    /// What goes out before a message of the outbox.
    func companions(of message: NumberedMessage) -> [Message] {
        ownTracks?.words(for: message, under: topics) ?? []
    }

    /// Topics outside the gateway's own that go on to be told of.
    ///
    /// - Parameter held: what is monitored.
    func topics(holding held: some Sequence<RegionInstanceID>, tellsPlace: Bool) -> Set<String> {
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

    /// - Parameter earlier: what an earlier process has told of and this one goes on with.
    init(earlier: some Sequence<RegionInstanceID>) { admitted = Set(earlier.filter(\.isOneOfMany)) }

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
    var limit: Int

    package var description: String {
        "homeassistant: \(limit) instances of expanded regions and zones have entities, and there are more; those that come now "
            + "have none: raise homeassistant.max_instances, or expand fewer regions"
    }
}

extension RegionInstanceID {
    /// Whether what is heard decides how many there are of its kind.
    fileprivate var isOneOfMany: Bool { major != nil || zone != nil }
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
