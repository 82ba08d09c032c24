/// `[privacy]`: in which form a device address and the gateway's place leave it.
package struct PrivacySettings: Hashable, Sendable {
    package var device: DeviceForm
    package var location: LocationForm
    /// A secret that all gateways of a store share, so that they name a device alike; `nil` where each has its own.
    package var siteKeyFile: String?
    /// What the file holds, once somebody has read it.
    package var siteKey: [UInt8]?
}

struct PrivacyTable: SettingsTable {
    static let tableName = "privacy"

    package let device = Key(
        "device", default: DeviceForm.pseudonym, .word,
        "How a device address is published: as a keyed pseudonym that changes daily, not at all, or as it is.")
    package let location = Key(
        "location", default: LocationForm.include, .word,
        "Whether messages say where the gateway is; with `omit` nothing of it leaves.")
    let siteKeyFile = Key(
        "site_key_file", default: "", .pathOrEmpty,
        "A file with a secret of the store: all its gateways that have it give a device the same name on the same day. Empty: each its own."
    )

    func read(_ reader: inout TableReader) -> PrivacySettings {
        let file = reader.value(siteKeyFile)
        return PrivacySettings(
            device: reader.value(device), location: reader.value(location), siteKeyFile: file.isEmpty ? nil : file)
    }
}

/// `[commands]`: whether requests are answered over MQTT.
package struct CommandSettings: Hashable, Sendable {
    package var isEnabled: Bool
}

struct CommandsTable: SettingsTable {
    static let tableName = "commands"

    let enabled = Key("enabled", default: false, .flag, "Whether requests are answered over MQTT.")

    func read(_ reader: inout TableReader) -> CommandSettings {
        CommandSettings(isEnabled: reader.value(enabled))
    }
}

/// `[health]`: where else the gateway's health is told, beside MQTT.
package struct HealthSettings: Hashable, Sendable {
    /// A file for node_exporter's textfile collector; empty for none.
    package var textfile: String
}

struct HealthTable: SettingsTable {
    static let tableName = "health"

    let textfile = Key(
        "textfile", default: "", .pathOrEmpty,
        "A file that node_exporter reads, such as `/var/lib/prometheus/node-exporter/beacond.prom`; `beacond site` writes `beacond-site.prom` beside it. Empty: off."
    )

    func read(_ reader: inout TableReader) -> HealthSettings {
        HealthSettings(textfile: reader.value(textfile))
    }
}

/// `[log]`: what is logged.
package struct LogSettings: Hashable, Sendable {
    /// The raw value is the word in `config.toml`.
    package enum Level: String, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    package var level: Level
}

struct LogTable: SettingsTable {
    static let tableName = "log"

    package let level = Key("level", default: LogSettings.Level.info, .word, "The least level that is logged.")

    func read(_ reader: inout TableReader) -> LogSettings {
        LogSettings(level: reader.value(level))
    }
}
