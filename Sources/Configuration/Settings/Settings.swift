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
    /// `nil` where this machine joins no gateways.
    public var site: SiteSettings?
    /// `nil` where Home Assistant is told nothing.
    public var homeAssistant: HomeAssistantSettings?
    /// `nil` where nothing is told in the words of OwnTracks.
    public var ownTracks: OwnTracksSettings?
    /// `nil` where this machine is to advertise nothing.
    public var advertise: AdvertiseSettings?
    /// `nil` where no recent events are kept.
    public var capture: CaptureSettings?
    public var log: LogSettings
}
