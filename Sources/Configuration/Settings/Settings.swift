public import Messages

/// Everything that `config.toml` says, validated: whoever holds a part of it need not check a range again.
///
/// It is made of parts by who needs them. Only a command holds all of it; everything else takes its own part.
public struct Settings: Hashable, Sendable {
    public var identity: IdentitySettings
    public var radio: RadioSettings
    public var gateway: GatewaySettings
    public var broker: BrokerSettings
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

/// `[log]`: what is logged.
public struct LogSettings: Hashable, Sendable {
    /// The raw value is the word in `config.toml`.
    public enum Level: String, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    public var level: Level
}
