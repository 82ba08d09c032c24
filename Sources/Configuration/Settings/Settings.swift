public import Beacons
public import Messages
public import Regions

/// Everything that `config.toml` says, validated: whoever holds a `Settings` need not check a range again.
public struct Settings: Hashable, Sendable {
    public var gateway: GatewaySettings
    public var radio: RadioSettings
    /// `[rotation]`, `[smoothing]`, `[[device]]` and `radio.max_transmitters`.
    public var tracker: TrackerSettings
    public var distance: DistanceSettings
    /// `[regions]`: what holds where a region does not say otherwise.
    public var regionRules: RegionRules
    public var regionLimits: RegionLimits
    public var regions: [BeaconRegion]
    public var ranging: RangingSettings
    public var mqtt: MQTTSettings
    public var outbox: OutboxSettings
    public var privacy: PrivacySettings
    public var commands: CommandSettings
    public var health: HealthSettings
    /// `nil` where this machine is to advertise nothing.
    public var advertise: AdvertiseSettings?
    /// `nil` where no recent events are kept.
    public var capture: CaptureSettings?
    public var log: LogSettings
}

/// `[gateway]`: where this agent stands and where it keeps what must outlive it.
public struct GatewaySettings: Hashable, Sendable {
    /// One topic level.
    public var site: String
    /// One topic level; `nil` where the file leaves it to the host name.
    public var id: String?
    /// The folder of the outbox. One process at a time may hold it.
    public var stateDirectory: String
}

/// `[privacy]`: in which form a device address leaves the gateway.
public struct PrivacySettings: Hashable, Sendable {
    public var device: DeviceForm
}

/// `[commands]`: whether requests are answered over MQTT.
public struct CommandSettings: Hashable, Sendable {
    public var isEnabled: Bool
}

/// `[health]`: where else the gateway's health is told, beside MQTT.
public struct HealthSettings: Hashable, Sendable {
    /// A file for node_exporter's textfile collector; empty for none.
    public var textfile: String
}

/// `[advertise]`: this machine as an iBeacon.
public struct AdvertiseSettings: Hashable, Sendable {
    public var frame: IBeaconFrame
    /// Milliseconds from one advertisement to the next.
    public var interval_ms: Double
}

/// `[capture]`: the recent HCI events that are kept in memory and written where they are asked for.
public struct CaptureSettings: Hashable, Sendable {
    public var max_MiB: Int
    /// The folder for capture files.
    public var directory: String
    /// Capture files that are kept; the oldest give way.
    public var maxFiles: Int
}

/// `[log]`.
public struct LogSettings: Hashable, Sendable {
    /// The raw value is the word in `config.toml`.
    public enum Level: String, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    public var level: Level
}
