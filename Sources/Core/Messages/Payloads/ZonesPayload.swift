/// The zone map of a store: the levels at its gateways of a beacon that was carried through each zone.
///
/// Levels are without the offsets of gateways. So the map stays right when an offset is learned anew.
package struct ZoneMap: Hashable, Sendable {
    /// The levels of one gateway in a zone.
    package struct Level: Hashable, Sendable {
        /// The gateway's id.
        var id: String
        /// The mean of all seconds. A second without a report counts as a level below all others.
        var level_dbm: Double
        /// The standard deviation of these levels.
        var spread_db: Double
        /// The seconds in which the gateway reported the beacon.
        var seconds: Int
    }

    package struct Zone: Hashable, Sendable {
        package var name: String
        /// The seconds of the walk in it.
        package var seconds: Int
        /// In the order of the ids; at least one.
        var levels: [Level]
    }

    static let maxZones = 64, maxGateways = 64
    /// The longest walk of a zone, seconds.
    static let maxSeconds = 86_400

    /// In the order of their names.
    package var zones: [Zone]

    package init(zones: [Zone] = []) { self.zones = zones }

    /// The ids of the gateways in it, in order.
    package var gateways: [String] { Set(zones.flatMap { $0.levels.map(\.id) }).sorted() }

    /// Returns this map with the zones of a newer one, which replace those of their names.
    func updated(with newer: ZoneMap) -> ZoneMap {
        let names = Set(newer.zones.map(\.name))
        return ZoneMap(zones: (zones.filter { !names.contains($0.name) } + newer.zones).sorted { $0.name < $1.name })
    }
}

/// `zones`: the zone map, which `beacond site walk` publishes and the store reads.
package struct ZonesPayload: ReadablePayload, Hashable {
    package var head: PayloadHead
    package var map: ZoneMap

    /// - Parameter now: the time of the walk's end.
    package init(_ map: ZoneMap, at now: Instant, _ timebase: Timebase) {
        self.map = map
        head = PayloadHead(at: timebase.wall(now), isClockSynced: timebase.isSynced)
    }

    /// Reads a retained message; `nil` for an empty one, which forgets the map.
    package static func map(_ octets: [UInt8]) throws(PayloadError) -> ZoneMap? {
        octets.isEmpty ? nil : try ZonesPayload(decoding: octets).map
    }

    /// Reads the fields of a recorded message; `nil` where it was cleared.
    package static func map(of fields: PayloadFields?) throws(PayloadError) -> ZoneMap? {
        guard let fields else { return nil }
        return try ZonesPayload(fields).map
    }

    /// Returns the retained message; an empty one where there is no zone.
    package func message(on topics: TopicTree) -> Message {
        Message(
            topic: topics.topic(.gateway(.zones)), payload: map.zones.isEmpty ? [] : encoded,
            MessageKind.zones.delivery)
    }
}

extension ZonesPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.head = head
        map = ZoneMap(zones: try fields.list("zones", ZoneMap.Zone.init))
        guard map.zones.count <= ZoneMap.maxZones else {
            throw PayloadError("zones", .tooLong(limit: ZoneMap.maxZones))
        }
        guard Set(map.zones.map(\.name)).count == map.zones.count else {
            throw PayloadError("zones", .mustBeOneOf("zones with different names"))
        }
        guard map.gateways.count <= ZoneMap.maxGateways else {
            throw PayloadError("gateways", .tooLong(limit: ZoneMap.maxGateways))
        }
    }

    package func write(to json: inout JSONWriter) {
        json.set("zones", objectsFor: map.zones) { zone, json in
            json.set("zone", zone.name)
            json.set("seconds", zone.seconds)
            json.set("gateways", objectsFor: zone.levels) { level, json in
                json.set("id", level.id)
                json.set("level_dbm", level.level_dbm, decimals: 1)
                json.set("spread_db", level.spread_db, decimals: 1)
                json.set("seconds", level.seconds)
            }
        }
    }
}

extension ZoneMap.Zone {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            name: try fields.level("zone"), seconds: try fields.integer("seconds", 1...ZoneMap.maxSeconds),
            levels: try fields.list("gateways", ZoneMap.Level.init))
        guard (1...ZoneMap.maxGateways).contains(levels.count), Set(levels.map(\.id)).count == levels.count else {
            throw PayloadError("gateways", .mustBeOneOf("1 to \(ZoneMap.maxGateways) different gateways"))
        }
    }
}

extension ZoneMap.Level {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            id: try fields.level("id"), level_dbm: try fields.number("level_dbm", -127...20),
            spread_db: try fields.number("spread_db", 0...60),
            seconds: try fields.integer("seconds", 0...ZoneMap.maxSeconds))
    }
}

/// The names of the zones that were walked, so that a later process keeps their visits until the broker sends the zone map.
package struct WalkedZones: Hashable, Sendable {
    private static let key = RecordPrefix.walked.rawValue

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
