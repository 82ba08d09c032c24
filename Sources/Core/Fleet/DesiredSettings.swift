/// `settings/desired`: the tables that an operator wants a gateway to use in place of those of its file.
///
///     {"schema": 1, "version": 7, "tables": {"radio": {"interval_ms": 60}},
///      "signature": "…", "signed_for": "berlin-7/door"}
///
/// The octets come from outside. Each fault of the message becomes a `SettingsError`.
package struct DesiredSettings: Hashable, Sendable {
    /// The longest message, octets.
    package static let maxOctets = 262_144
    /// The longest `signed_for`, octets: a site and an id.
    private static let maxSignedFor_bytes = 2 * TopicName.maxLevel_bytes + 1

    /// The version, within `SettingsReport.versions`. A later message has a higher one.
    package var version: Int64
    /// The tables by their names, as in `config.toml`.
    var tables: [String: DocumentValue]
    /// The signature as written; `nil` for an unsigned message.
    var signature: String?
    /// `SITE/ID` in the signed text; `nil` for that of the receiver.
    var signedFor: String?

    /// A fault of a message, with its version where that could be read.
    package struct Fault: Error, Hashable, Sendable {
        var version: Int64?
        var error: SettingsError
    }

    /// Reads a message. Unknown fields are ignored, because a later release may add some.
    package init(reading octets: [UInt8]) throws(Fault) {
        guard octets.count <= Self.maxOctets else { throw .tooLong }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONReader.read(octets)
        } catch {
            throw Fault(reason: "the message is not valid JSON: \(error)", remedy: "publish one JSON object")
        }
        guard case .object(let fields) = document.value() else {
            throw Fault(reason: "the message must be a JSON object", remedy: "publish schema, version and tables")
        }
        guard let version = fields["version"]?.integer, SettingsReport.versions.contains(version) else {
            throw Fault(
                key: "version", reason: "must be an integer from 1 to \(SettingsReport.versions.upperBound)",
                remedy: "publish the tables with a version above the last one")
        }
        self.version = version
        func fault(_ key: String, _ reason: String, _ remedy: String) -> Fault {
            Fault(version: version, key: key, reason: reason, remedy: remedy)
        }
        guard fields["schema"]?.integer == 1 else {
            throw fault("schema", "must be 1", "use the tool of this release, or upgrade the gateway")
        }
        guard case .object(let tables)? = fields["tables"] else {
            throw fault("tables", "must be an object of tables", "publish {} to return to the gateway's own file")
        }
        self.tables = tables
        switch fields["signature"] {
        case nil, .null?: signature = nil
        case .string(let text)?: signature = text
        case .some: throw fault("signature", "must be text in Base64", "sign the tables again")
        }
        switch fields["signed_for"] {
        case nil, .null?: signedFor = nil
        case .string(let text)? where text.utf8.count <= Self.maxSignedFor_bytes: signedFor = text
        case .some: throw fault("signed_for", "must be SITE/ID, where * may stand for either", "sign the tables again")
        }
    }

    /// Returns the text that the signature of a message covers, UTF-8.
    static func signedText(for addressee: String, version: Int64, tables: [String: DocumentValue]) -> [UInt8] {
        Array("\(addressee)\n\(version)\n".utf8) + CanonicalJSON.octets(of: .object(tables))
    }

    /// Checks that the owner of a key has signed this message for a gateway.
    ///
    /// - Parameter gateway: `SITE/ID` of the receiver.
    func check(signedBy key: Ed25519PublicKey, for gateway: String) throws(Fault) {
        func fault(_ field: String, _ reason: String, _ remedy: String) -> Fault {
            Fault(version: version, key: field, reason: reason, remedy: remedy)
        }
        guard let signature else {
            throw fault(
                "signature", "is missing, and this gateway takes signed settings only",
                "sign the tables with the key of fleet.signer_file")
        }
        let addressee = signedFor ?? gateway
        guard Self.isMeant(gateway, by: addressee) else {
            throw fault(
                "signed_for", "is \(addressee.quoted), and this gateway is \(gateway.quoted)",
                "sign the tables for this gateway, or with * in place of the site or of the id")
        }
        guard let octets = Base64.decode(signature), octets.count == Ed25519PublicKey.signatureLength else {
            throw fault("signature", "is not 64 bytes in Base64", "sign the tables again")
        }
        let text = Self.signedText(for: addressee, version: version, tables: tables)
        guard key.verifies(octets, of: text) else {
            throw fault(
                "signature", "does not fit the tables, the version and the key of fleet.signer_file",
                "sign exactly these tables and this version with that key")
        }
    }

    /// Returns whether an addressee names a gateway. `*` stands for the whole site or the whole id.
    private static func isMeant(_ gateway: String, by addressee: String) -> Bool {
        let names = gateway.split(separator: "/", omittingEmptySubsequences: false)
        let patterns = addressee.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, patterns.count == 2 else { return false }
        return zip(names, patterns).allSatisfy { $1 == "*" || $0.utf8.elementsEqual($1.utf8) }
    }

    /// The errors that only a message can have: tables that may not be set over MQTT, and values that TOML lacks.
    var refusals: [SettingsError] {
        let nulls = tables.filter { $0.value.hasNull }.keys.sorted().map { name in
            SettingsError(
                table: name.shortened, reason: "has a null, which no key takes", remedy: "leave the key out")
        }
        return forbidden + nulls + [foreignFile].compactMap(\.self)
    }

    /// The file of figures is the only one that a message can name. The agent writes over it, so it must not be the outbox
    /// or the configuration; node_exporter reads no other names either.
    private var foreignFile: SettingsError? {
        guard case .object(let health)? = tables["health"], case .string(let path)? = health["textfile"],
            !path.isEmpty, !path.hasSuffix(".prom")
        else { return nil }
        return SettingsError(
            table: "health", key: "textfile", reason: "\(path.quoted): over MQTT the name must end in .prom",
            remedy: "name the file as node_exporter's textfile collector reads it")
    }

    private var forbidden: [SettingsError] {
        tables.keys.sorted().filter { !EffectiveConfiguration.remoteTables.contains($0) }.map { name in
            let isKnown = ConfigurationReference.tables.contains { $0.name == name }
            return SettingsError(
                table: name.shortened,
                reason: isKnown
                    ? "may not be set over MQTT, because an error in it could cut off the gateway"
                    : "unknown table; known here are \(EffectiveConfiguration.remoteTables.joined(separator: ", "))",
                remedy: isKnown ? "set it in config.toml of the gateway" : "correct the name")
        }
    }
}

extension DesiredSettings.Fault {
    init(version: Int64? = nil, key: String = "", reason: String, remedy: String) {
        self.init(version: version, error: SettingsError(key: key, reason: reason, remedy: remedy))
    }

    static let tooLong = DesiredSettings.Fault(
        reason: "the message has more than the \(DesiredSettings.maxOctets) bytes that are allowed",
        remedy: "publish fewer or shorter tables")
}

extension DocumentValue {
    fileprivate var hasNull: Bool {
        switch self {
        case .null: true
        case .array(let values): values.contains { $0.hasNull }
        case .object(let entries): entries.values.contains { $0.hasNull }
        case .boolean, .integer, .number, .string, .time: false
        }
    }
}

extension SettingsReport {
    /// The report of a message whose tables the configuration's rules refuse.
    init(refusing version: Int64, _ refusals: [SettingsError], _ errors: ConfigurationErrors?) {
        let found = refusals + (errors?.errors.map { SettingsError($0) } ?? [])
        let reported = Array(found.prefix(Self.maxErrors))
        self.init(
            version: version, outcome: .refused, errors: reported,
            omitted: found.count - reported.count + (errors?.omitted ?? 0))
    }
}

extension SettingsError {
    /// An error of `config.toml`, whose path is `radio.interval_ms`, `region[2].uuid` or `regions`.
    init(_ error: ConfigurationError) {
        let isPath = !error.key.hasPrefix("\"")
        let parts = isPath ? error.key.split(separator: ".", maxSplits: 1) : [Substring(error.key)]
        var table = parts.first.map(String.init) ?? ""
        var index: Int?
        if table.hasSuffix("]"), let bracket = table.lastIndex(of: "[") {
            index = Int(table[table.index(after: bracket)...].dropLast())
            table = String(table[..<bracket])
        }
        self.init(
            table: table, index: index, key: parts.count > 1 ? String(parts[1]) : "",
            reason: (error.value.map { "\($0): " } ?? "") + error.requirement,
            remedy: "correct it, and publish the tables with a higher version")
    }
}
