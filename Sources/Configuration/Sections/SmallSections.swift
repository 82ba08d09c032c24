import Messages

/// `[privacy]`.
enum PrivacySection {
    static let device = Key(
        "device", default: DeviceForm.pseudonym, .word,
        "How a device address is published: as a keyed pseudonym that changes daily, not at all, or as it is.")

    static let table = ReferenceTable("privacy", [device.row])

    static func read(_ reader: inout TableReader) -> PrivacySettings {
        PrivacySettings(device: reader.value(device))
    }
}

/// `[commands]`.
enum CommandsSection {
    static let enabled = Key("enabled", default: false, .flag, "Whether requests are answered over MQTT.")

    static let table = ReferenceTable("commands", [enabled.row])

    static func read(_ reader: inout TableReader) -> CommandSettings {
        CommandSettings(isEnabled: reader.value(enabled))
    }
}

/// `[health]`.
enum HealthSection {
    static let textfile = Key(
        "textfile", default: "", .pathOrEmpty,
        "A file that node_exporter reads, such as `/var/lib/prometheus/node-exporter/beacond.prom`. Empty: off.")

    static let table = ReferenceTable("health", [textfile.row])

    static func read(_ reader: inout TableReader) -> HealthSettings {
        HealthSettings(textfile: reader.value(textfile))
    }
}

/// `[log]`.
enum LogSection {
    static let level = Key("level", default: LogSettings.Level.info, .word, "The least level that is logged.")

    static let table = ReferenceTable("log", [level.row])

    static func read(_ reader: inout TableReader) -> LogSettings {
        LogSettings(level: reader.value(level))
    }
}
