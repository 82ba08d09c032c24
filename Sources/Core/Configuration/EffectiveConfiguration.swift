/// The values that a configuration has in effect, defaults included: what `beacond settings` prints, and what the digest
/// of the settings is made of.
package struct EffectiveConfiguration: Hashable, Sendable {
    /// The value of a key.
    struct Value: Hashable, Sendable {
        var key: String
        /// The value as in the file.
        var text: String
        /// The value of a secret, which is not printed; `nil` for any other.
        var secret: String?
    }

    private struct Table: Hashable, Sendable {
        var heading: String
        var name: String
        var values: [Value]
        /// The configuration has the table; otherwise its values are defaults.
        var isWritten: Bool

        var isRepeated: Bool { heading.hasPrefix("[[") }
    }

    /// The tables that may be set over MQTT. Those of the gateway's identity, its broker and its access to the machine are
    /// not among them: an error there would cut off the gateway from its operator.
    static let remoteTables = [
        "radio", "rotation", "smoothing", "distance", "regions", "region", "ranging", "device", "beacons", "health",
        "log",
    ]

    /// The length of the digest: octets, two digits each.
    private static let digestLength = 8

    private var tables: [Table] = []

    package init() {}

    mutating func add(_ values: [Value], of table: ReferenceTable, isWritten: Bool) {
        // The presence of this table turns a store on.
        if !isWritten, table.name == SiteTable.tableName { return }
        tables.append(Table(heading: table.heading, name: table.name, values: values, isWritten: isWritten))
    }

    /// Returns whether the configuration has a table of that name.
    package func isWritten(_ name: String) -> Bool { tables.contains { $0.name == name && $0.isWritten } }

    /// The digest of the tables that may be set over MQTT; see `SettingsInEffect`.
    package var digest: String {
        var entries: [String: DocumentValue] = [:]
        for table in tables where Self.remoteTables.contains(table.name) {
            let values = table.values.map { ($0.key, $0.json) }
            let object = DocumentValue.object(Dictionary(values, uniquingKeysWith: { first, _ in first }))
            guard table.isRepeated else {
                entries[table.name] = object
                continue
            }
            if case .array(let former)? = entries[table.name] {
                entries[table.name] = .array(former + [object])
            } else {
                entries[table.name] = .array([object])
            }
        }
        let digest = SHA256.digest(of: CanonicalJSON.octets(of: .object(entries))) ?? []
        return digest.prefix(Self.digestLength).hexadecimal
    }

    /// Returns the values as a `config.toml`.
    ///
    /// - Parameter origin: the source of a table's values, for a comment.
    package func toml(origin: (_ table: String) -> String) -> String {
        tables.map { table in
            let lines = table.values.map { value in
                value.secret == nil ? "\(value.key) = \(value.text)" : "# \(value.key) is set; it is a secret"
            }
            return (["# \(origin(table.name))", table.heading] + lines).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}

extension EffectiveConfiguration.Value {
    /// The value for the digest. A secret is represented by its own digest.
    fileprivate var json: DocumentValue {
        if let secret {
            return .string((SHA256.digest(of: Array(secret.utf8)) ?? []).hexadecimal)
        }
        // The text is the reader's own, so it is TOML.
        return (try? TOMLDocument.parse("value = \(text)"))?["value"] ?? .string(text)
    }
}
