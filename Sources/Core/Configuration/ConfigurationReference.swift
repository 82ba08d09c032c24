/// All tables of `config.toml`, in the order of the default file and of errors. There is one of it, so it is a class: the compiler's copies
/// of such a large struct made 200 KB of code.
final class Tables: Sendable {
    /// A table's keys for reading, and their reference.
    final class Entry<Keys: SettingsTable>: Sendable {
        let keys: Keys
        let reference: ReferenceTable

        init(_ keys: Keys) {
            self.keys = keys
            self.reference = ReferenceTable(keys)
        }
    }

    let gateway = Entry(GatewayTable())
    let radio = Entry(RadioTable())
    let receiver = Entry(ReceiverTable())
    let rotation = Entry(RotationTable())
    let smoothing = Entry(SmoothingTable())
    let distance = Entry(DistanceTable())
    let regions = Entry(RegionsTable())
    let region = Entry(RegionTable())
    let ranging = Entry(RangingTable())
    let device = Entry(DeviceTable())
    let beacons = Entry(BeaconsTable())
    let location = Entry(LocationTable())
    let mqtt = Entry(MQTTTable())
    let outbox = Entry(OutboxTable())
    let privacy = Entry(PrivacyTable())
    let commands = Entry(CommandsTable())
    let health = Entry(HealthTable())
    let site = Entry(SiteTable())
    let siteGateway = Entry(SiteGatewayTable())
    let homeAssistant = Entry(HomeAssistantTable())
    let ownTracks = Entry(OwnTracksTable())
    let advertise = Entry(AdvertiseTable())
    let capture = Entry(CaptureTable())
    let log = Entry(LogTable())
    let fleet = Entry(FleetTable())

    static let known = Tables()
}

/// A table with any keys.
private protocol AnyTable {
    var reference: ReferenceTable { get }
}

extension Tables.Entry: AnyTable {}

/// The reference of `config.toml`.
enum ConfigurationReference {
    /// All tables and keys, in the order of the default file.
    static let tables = Mirror(reflecting: Tables.known).children.compactMap {
        ($0.value as? any AnyTable)?.reference
    }

    /// Returns a name for the path of a key: quoted and shortened where it is not plain.
    static func path(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.utf8.count <= 60 && name.utf8.allSatisfy(isBareKeyOctet)
        return isPlain ? name : name.quoted
    }

    /// Returns whether TOML allows an octet in a key without quotation marks.
    static func isBareKeyOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A key of `config.toml` in the reference.
struct KeyDescription: Hashable, Sendable {
    /// The value that holds where the file does not set a key.
    enum Default: Hashable, Sendable {
        /// The default as in the file.
        case value(String)
        /// No value of its own, and the reason: `required`, `any`.
        case none(String)
    }

    package let name: String
    let `default`: Default
    /// The allowed values, to follow "must be".
    let allowed: String
    /// One sentence, with the unit.
    let meaning: String
}

/// A table of `config.toml` in the reference.
struct ReferenceTable: Hashable, Sendable {
    package let name: String
    /// True if it may be repeated, in double brackets.
    let isRepeated: Bool
    let keys: [KeyDescription]

    /// The table has secrets. A mistyped key in it may have one as its value, so no error shows that.
    var hasSecrets: Bool { name == DeviceTable.tableName }

    /// `[radio]` or `[[region]]`.
    var heading: String { isRepeated ? "[[\(name)]]" : "[\(name)]" }

    init<Table: SettingsTable>(_ table: Table) {
        self.name = Table.tableName
        self.isRepeated = Table.isRepeated
        self.keys = table.descriptions
    }
}
