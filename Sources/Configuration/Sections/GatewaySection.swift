/// `[gateway]`.
enum GatewaySection {
    static let site = Key("site", default: "store", .topicLevel, "The store: a level of every topic.")
    static let id = Key(
        "id", default: nil, .topicLevelOrEmpty, "This gateway: the level below the site. Empty: the host name.")
    static let stateDirectory = Key(
        "state_dir", default: "/var/lib/beacond", .path, "The folder for the outbox and the state of the regions.")

    static let table = ReferenceTable("gateway", [site.row, id.row, stateDirectory.row])

    static func read(_ reader: inout TableReader) -> (site: String, id: String?, stateDirectory: String) {
        (reader.value(site), reader.value(id), reader.value(stateDirectory))
    }
}
