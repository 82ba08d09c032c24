/// The identity of this gateway: the first levels of its topics.
package struct IdentitySettings: Hashable, Sendable {
    /// The first levels of every topic, without a slash at either end.
    package var prefix: String
    /// One topic level.
    package var site: String
    /// One topic level; `nil` where the host name replaces it.
    var id: String?
    /// The place that `site` and `id` come from.
    package var source = IdentitySource.configured

    /// The topics of this gateway. Before `name(byHost:)` a missing id is `gateway`.
    package var topics: TopicTree { TopicTree(prefix: prefix, site: site, gateway: id ?? "gateway") }
}

extension IdentitySettings {
    /// Returns the reason for which a gateway must not have that id; `nil` where it may.
    static func refusal(ofID id: String) -> String? {
        id == SiteSettings.gatewayID
            ? "must not be \"site\", which is the store's own id; name the gateway after its place" : nil
    }

    /// Sets a missing id to the host name.
    ///
    /// - Returns: the error where a gateway may not have that id; `nil` where it may.
    package mutating func name(byHost name: String) -> ConfigurationError? {
        guard id == nil else { return nil }
        let derived = TopicName.level(of: name, maxOctets: TopicName.maxHostName_bytes) ?? "gateway"
        id = derived
        return Self.refusal(ofID: derived).map { refusal in
            ConfigurationError(
                key: "gateway.id", value: nil,
                requirement: "is empty, so it is the host name, \"\(derived)\", which \(refusal)")
        }
    }
}

extension Rule where Value == String? {
    /// A rule for any id but the store's own.
    fileprivate static var gatewayID: Rule {
        let level = Rule<String>.topicLevel.orEmpty
        var rule = level
        rule.read = { node in
            guard case .string(let id) = node, let refusal = IdentitySettings.refusal(ofID: id) else {
                return level.read(node)
            }
            return .refused(refusal)
        }
        return rule
    }
}

struct GatewayTable: SettingsTable {
    static let tableName = "gateway"

    let identity = Key(
        "identity", default: .configured, Rule<IdentitySource>.word,
        "The source of `site` and `id`. `\"certificate\"`: the common name `SITE/ID` of `[mqtt] cert_file`.")
    let site = Key("site", default: "store", .topicLevel, "The store: a level of every topic.")
    let id = Key("id", default: nil, .gatewayID, "This gateway: the level below the site. Empty: the host name.")
    let stateDirectory = Key(
        "state_dir", default: "/var/lib/beacond", .path, "The folder for the outbox and the state of the regions.")

    func read(_ reader: inout TableReader) -> Values {
        Values(
            source: reader.value(identity), site: reader.value(site), id: reader.value(id),
            stateDirectory: reader.value(stateDirectory))
    }

    struct Values {
        var source: IdentitySource
        var site: String
        var id: String?
        var stateDirectory: String
    }
}
