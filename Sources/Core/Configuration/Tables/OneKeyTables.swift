/// `[privacy]`: the form in which device addresses and the gateway's place are published.
package struct PrivacySettings: Hashable, Sendable {
    package var device: DeviceForm
    package var location: LocationForm
    /// A file with a secret that all gateways of a store share, so that they give a device one name. `nil` where each
    /// has its own.
    package var siteKeyFile: String?
    /// The content of the file, once it has been read.
    package var siteKey: [UInt8]?
}

struct PrivacyTable: SettingsTable {
    static let tableName = "privacy"

    let device = Key(
        "device", default: DeviceForm.pseudonym, .word,
        "How a device address is published: as a keyed pseudonym that changes daily, not at all, or as it is.")
    let location = Key(
        "location", default: LocationForm.include, .word,
        "Whether messages name the gateway's place; with `omit` none does.")
    let siteKeyFile = Key(
        "site_key_file", default: "", .pathOrEmpty,
        "A file with a secret of the store: all gateways with it give a device the same name on the same day, and join their counts of people. Empty: each its own."
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

    func read(_ reader: inout TableReader) -> CommandSettings { CommandSettings(isEnabled: reader.value(enabled)) }
}

/// `[health]`: the other outputs of the gateway's health, beside MQTT.
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

    func read(_ reader: inout TableReader) -> HealthSettings { HealthSettings(textfile: reader.value(textfile)) }
}

/// `[beacons]`: the lists of beacons. Without the table there are none.
struct BeaconsTable: SettingsTable {
    static let tableName = "beacons"

    private let telemetry = Key(
        "telemetry", default: false, .flag,
        "Whether to read what beacons send beside their iBeacon frame: battery, voltage, temperature.")
    private let reportInterval = Key(
        "report_interval_s", default: TimeSpan.seconds(3_600), .seconds(1...86_400),
        "The time from one list of the beacons to the next. A beacon leaves the list after ten times as long in silence."
    )

    func read(_ reader: inout TableReader) -> BeaconListSettings {
        BeaconListSettings(readsTelemetry: reader.value(telemetry), reportInterval: reader.value(reportInterval))
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

    let level = Key("level", default: LogSettings.Level.info, .word, "The least level that is logged.")

    func read(_ reader: inout TableReader) -> LogSettings { LogSettings(level: reader.value(level)) }
}

/// `[fleet]`: whether the gateway takes settings over MQTT.
package struct FleetSettings: Hashable, Sendable {
    /// The gateway takes settings from the topic `settings/desired`.
    package var takesSettings: Bool
    /// A file with the public key of the operator; `nil` where settings need no signature.
    package var signerFile: String?
    /// The key in the file, once it has been read.
    package var signer: Ed25519PublicKey?
}

struct FleetTable: SettingsTable {
    static let tableName = "fleet"

    private enum Source: String, CaseIterable {
        case off, on
    }

    private let settings = Key(
        "settings", default: Source.off, .word,
        "`on`: take settings from the topic `settings/desired`. The broker decides who may publish there.")
    let signerFile = Key(
        "signer_file", default: "", .pathOrEmpty,
        "A PEM file with an Ed25519 public key: only settings that its owner has signed are taken. Empty: no signature is asked for."
    )

    func read(_ reader: inout TableReader) -> FleetSettings {
        let file = reader.value(signerFile)
        return FleetSettings(takesSettings: reader.value(settings) == .on, signerFile: file.isEmpty ? nil : file)
    }
}

/// `[advertise]`: this machine as an iBeacon.
package struct AdvertiseSettings: Hashable, Sendable {
    package var frame: IBeaconFrame
    /// The milliseconds from one advertisement to the next.
    package var interval_ms: Double
}

struct AdvertiseTable: SettingsTable {
    static let tableName = "advertise"

    let enabled = Key("enabled", default: false, .flag, "Whether this gateway is an iBeacon itself.")
    let uuid = Key("uuid", unset: "none", Rule<ProximityUUID>.uuid, "Its proximity UUID; needed where `enabled`.")
    let major = Key("major", default: 0, Rule<UInt16>.integer(0...65535), "Its major.")
    let minor = Key("minor", default: 0, Rule<UInt16>.integer(0...65535), "Its minor.")
    let measuredPower = Key(
        "measured_power_dbm", default: -59, Rule<Int8>.integer(-127...20),
        "The RSSI at one metre that it sends. dBm; `beacond calibrate` on another gateway measures it.")
    let interval = Key(
        "interval_ms", default: 100, .number(20...10240),
        "Milliseconds from one advertisement to the next; controllers before Bluetooth 5 want 100 and more.")

    /// Returns `nil` where it is not enabled; every key is checked nevertheless.
    func read(_ reader: inout TableReader) -> AdvertiseSettings? {
        let isEnabled = reader.value(enabled)
        let uuid = isEnabled ? reader.required(uuid) : reader.value(uuid)
        let (major, minor) = (reader.value(major), reader.value(minor))
        let (power_dbm, interval_ms) = (reader.value(measuredPower), reader.value(interval))
        guard isEnabled, let uuid else { return nil }
        let identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        return AdvertiseSettings(
            frame: IBeaconFrame(identity: identity, measuredPower_dbm: power_dbm), interval_ms: interval_ms)
    }
}

/// `[capture]`: the recent HCI events in memory, which are written on request.
package struct CaptureSettings: Hashable, Sendable {
    package var max_MiB: Int
    /// The folder for capture files.
    package var directory: String
    /// The most capture files kept; the oldest are deleted.
    package var maxFiles: Int
}

struct CaptureTable: SettingsTable {
    static let tableName = "capture"

    let enabled = Key(
        "enabled", default: false, .flag, "Whether the latest Bluetooth events are kept, to be written on SIGUSR1.")
    let max_MiB = Key("max_mib", default: 4, .integer(1...64), "Mebibytes of memory for them.")
    let directory = Key(
        "directory", default: "", .pathOrEmpty, "The folder for capture files. Empty: `gateway.state_dir`.")
    let maxFiles = Key("max_files", default: 4, .integer(1...1000), "Capture files that are kept; the oldest give way.")

    /// Returns `nil` where it is not enabled; every key is checked nevertheless.
    func read(_ reader: inout TableReader, stateDirectory: String) -> CaptureSettings? {
        let isEnabled = reader.value(enabled)
        let (max_MiB, maxFiles) = (reader.value(max_MiB), reader.value(maxFiles))
        let directory = reader.value(directory)
        guard isEnabled else { return nil }
        return CaptureSettings(
            max_MiB: max_MiB, directory: directory.isEmpty ? stateDirectory : directory, maxFiles: maxFiles)
    }
}

/// `[outbox]` and its folder: the limits of waiting messages.
package struct OutboxSettings: Hashable, Sendable {
    /// The folder of the outbox and of the region states. One process at a time may hold it.
    package var directory: String
    /// The most events that wait.
    package var maxEvents: Int
    /// The most disk space of the folder, mebibytes.
    package var max_MiB: Int
}

struct OutboxTable: SettingsTable {
    static let tableName = "outbox"

    let maxEvents = Key(
        "max_events", default: 1_000_000, .integer(1...10_000_000),
        "Events that may wait for the broker; beyond it the oldest are lost, and a `gap` names them. Spans, batches, surges and sheets do not count."
    )
    let max_MiB = Key("max_mib", default: 256, .integer(1...16384), "Mebibytes of disk that the outbox may take.")

    func read(_ reader: inout TableReader, stateDirectory: String) -> OutboxSettings {
        OutboxSettings(directory: stateDirectory, maxEvents: reader.value(maxEvents), max_MiB: reader.value(max_MiB))
    }
}
