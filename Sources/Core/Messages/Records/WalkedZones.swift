/// The names of the zones that were walked, so that a later process keeps their visits until the broker sends the zone map.
package struct WalkedZones: Hashable, Sendable {
    /// No region id has a slash in it, so this is the key of no state.
    private static let key = "/walked"

    package let names: [String]

    init(_ names: [String]) { self.names = names }

    /// Reads the record; `nil` for any other one.
    package init?(_ octets: [UInt8], key: String) {
        guard key == Self.key, octets.count <= 1 << 16 else { return nil }
        // No name has a control character.
        let names = String(decoding: octets, as: UTF8.self).split(separator: "\n").map(String.init)
        self.init(names.filter { TopicName.isLevel($0) })
    }
}

extension WalkedZones: MessageContent {
    /// A record of the names, and no message.
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        var publication = Publication([])
        if names.isEmpty {
            publication.removedKeys = [Self.key]
        } else {
            publication.records = [(Self.key, Array(names.joined(separator: "\n").utf8))]
        }
        return publication
    }
}
