/// `[site]` and every `[[site.gateway]]`: several gateways as one store.
package struct SiteSettings: Hashable, Sendable {
    /// One gateway of the store. Gateways that are not listed take part with these defaults.
    package struct Gateway: Hashable, Sendable {
        /// The gateway's id, its topic level.
        package var id: String
        var zone: String
        /// The position on the floor plan; `nil` where it is not set. Metres.
        var position: PlanPoint?
        var floor: Int
        /// The offset added to every level of this gateway, dB; `nil` where the configuration names none.
        var rssiOffset_db: Double?

        init(
            id: String, zone: String? = nil, position: PlanPoint? = nil, floor: Int = 0, rssiOffset_db: Double? = nil
        ) {
            self.id = id
            self.zone = zone ?? id
            self.position = position
            self.floor = floor
            self.rssiOffset_db = rssiOffset_db
        }
    }

    /// A point of a floor plan. Metres.
    struct PlanPoint: Hashable, Sendable {
        var x_m: Double
        var y_m: Double
    }

    /// The id under which the store publishes, in place of a gateway's.
    package static let gatewayID = "site"
    /// The most gateways of one store.
    static let maxGateways = 64

    /// The store: a level of every topic.
    package var id: String
    /// The ids of the regions to join; empty for all.
    var regions: Set<String>
    /// The time from the last gateway's exit to the store's exit.
    var leaveAfter: TimeSpan
    /// The age beyond which an arriving message changes no history.
    var lateAfter: TimeSpan
    /// The IANA name of the zone whose days are the store's; empty for that of the machine.
    package var timeZone: String
    /// The side of a cell of the heat map, metres; 0 for no heat map.
    var heatCell_m: Double
    /// The fewest different beacons of a cell that leaves the store.
    var heatMinimum: Int
    /// True if the store learns the offsets of its gateways.
    package var learns = false
    package var gateways: [Gateway]

    /// The zones of the listed gateways, in their order.
    package var zones: [String] {
        gateways.reduce(into: []) { zones, gateway in
            if !zones.contains(gateway.zone) { zones.append(gateway.zone) }
        }
    }
}

struct SiteTable: SettingsTable {
    static let tableName = "site"

    let id = Key(
        "id", default: nil, Rule<String>.topicLevel.orEmpty, "The store that is joined. Empty: that of `[gateway]`.")
    let regions = Key(
        "regions", default: [], Rule<[String]>.topicLevels, "The ids of the regions to join. Empty: all of them.")
    let leaveAfter = Key(
        "leave_after_s", default: .seconds(5), .seconds(0...3600),
        "Seconds after the last gateway's exit until the store's region is left.")
    let lateAfter = Key(
        "late_after_s", default: .seconds(30), .seconds(1...86400),
        "Seconds after which a gateway's message comes too late to change a state or visit.")
    let timeZone = Key(
        "time_zone", default: "", Rule<String>.timeZone,
        "The time zone whose days `today` counts, such as `Europe/Berlin`. Empty: that of the machine, in a replay UTC."
    )
    let heatCell = Key(
        "heat_cell_m", default: 0, Rule<Double>.cell,
        "The side of a cell of the floor plan in `heat`, metres. 0: no `heat`.")
    let heatMinimum = Key(
        "heat_minimum", default: 5, .integer(1...1_000),
        "The fewest different beacons of a cell that `heat` publishes; the others are counted together.")

    let learn = Key(
        "learn", default: false, .flag,
        "Whether the store learns the offsets of its gateways, and names those that were moved or covered.")

    func read(_ reader: inout TableReader, store: String) -> SiteSettings {
        SiteSettings(
            id: reader.value(id) ?? store, regions: Set(reader.value(regions)), leaveAfter: reader.value(leaveAfter),
            lateAfter: reader.value(lateAfter), timeZone: reader.value(timeZone), heatCell_m: reader.value(heatCell),
            heatMinimum: reader.value(heatMinimum), learns: reader.value(learn), gateways: [])
    }
}

struct SiteGatewayTable: SettingsTable {
    static let tableName = "site.gateway"
    static let isRepeated = true

    let id = Key("id", unset: "required", Rule<String>.topicLevel, "The gateway's level in topics.")
    let zone = Key("zone", default: nil, Rule<String>.topicLevel.orEmpty, "The zone that it hears for. Empty: its id.")
    let position = Key(
        "position", default: [], Rule<[Double]>.planPoint,
        "Its place on the floor plan, `[x, y]` in metres. Empty: unknown.")
    let floor = Key("floor", default: 0, .integer(-100...200), "The floor that it is on.")
    let rssiOffset = Key(
        "rssi_offset_db", unset: "learned, or 0", Rule<Double>.number(-40...40),
        "Added to every level that it publishes, dB. Without it the learned offset, or 0.")

    /// Returns `nil` where the id is missing or wrong, which the reader has recorded.
    func read(_ reader: inout TableReader, taken: inout Set<String>) -> SiteSettings.Gateway? {
        let id = reader.required(id)
        let (zone, position, floor) = (reader.value(zone), reader.value(position), reader.value(floor))
        let offset_db = reader.value(rssiOffset)
        guard let id else { return nil }
        if id == SiteSettings.gatewayID {
            reader.refuse(self.id, id, "must not be \"site\", which is the store's own id")
        }
        if !taken.insert(id).inserted {
            reader.refuse(self.id, id, "must be unique: another [[site.gateway]] has this id")
        }
        return SiteSettings.Gateway(
            id: id, zone: zone,
            position: position.count == 2 ? SiteSettings.PlanPoint(x_m: position[0], y_m: position[1]) : nil,
            floor: floor, rssiOffset_db: offset_db)
    }
}

extension Rule where Value == Double {
    /// A rule for the side of a cell, or 0.
    fileprivate static var cell: Rule {
        let side = number(0.5...100)
        var rule = side
        rule.allowed = "0, or \(side.allowed)"
        rule.read = { $0 == .integer(0) || $0 == .number(0) ? .value(0) : side.read($0) }
        return rule
    }
}

extension Rule where Value == String {
    /// The name of a time zone by its form. Which names there are, only the machine knows.
    fileprivate static var timeZone: Rule {
        text("an IANA name such as \"Europe/Berlin\" of at most 64 bytes, or empty") { name in
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            return name.isEmpty
                || name.utf8.count <= 64
                    && parts.allSatisfy { part in
                        !part.isEmpty && part.utf8.allSatisfy { Self.zoneOctets.contains($0) }
                    }
        }
    }

    private static var zoneOctets: Set<UInt8> {
        Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-".utf8)
    }
}

extension Rule where Value == [String] {
    /// A rule for ids of regions.
    fileprivate static var topicLevels: Rule {
        let level = Rule<String>.topicLevel
        return list("a list of at most 10,000 ids, each \(level.allowed)", of: level) { $0 <= 10_000 }
    }
}

extension Rule where Value == [Double] {
    /// A rule for two numbers, or none.
    fileprivate static var planPoint: Rule {
        list("two numbers from -10000 to 10000, as in [0.0, 4.2]", of: Rule<Double>.number(-10_000...10_000)) {
            $0 == 0 || $0 == 2
        }
    }
}

extension Settings {
    /// Returns the topics of a store's own messages.
    package func topics(of site: SiteSettings) -> TopicTree {
        TopicTree(prefix: identity.prefix, site: site.id, gateway: SiteSettings.gatewayID)
    }

    /// The site without a table in the file: every gateway of this gateway's store.
    package var siteDefaults: SiteSettings {
        let table = Tables.known.site
        var reader = TableReader(path: table.reference.name, table: table.reference, entries: [:])
        return table.keys.read(&reader, store: identity.site)
    }
}
