/// Everything that `config.toml` says, validated: whoever holds a part of it need not check a range again.
///
/// It is made of parts by who needs them. Only a command holds all of it; everything else takes its own part.
package struct Settings: Hashable, Sendable {
    package var identity: IdentitySettings
    package var radio: RadioSettings
    package var gateway: GatewaySettings
    package var broker: BrokerSettings
    package var outbox: OutboxSettings
    package var privacy: PrivacySettings
    package var commands: CommandSettings
    package var health: HealthSettings
    /// `nil` where this machine joins no gateways.
    package var site: SiteSettings?
    /// `nil` where Home Assistant is told nothing.
    package var homeAssistant: HomeAssistantSettings?
    /// `nil` where nothing is told in the words of OwnTracks.
    package var ownTracks: OwnTracksSettings?
    /// `nil` where this machine is to advertise nothing.
    package var advertise: AdvertiseSettings?
    /// `nil` where no recent events are kept.
    package var capture: CaptureSettings?
    package var log: LogSettings
    /// What stands in the file under a name that goes with the next version.
    package var renamedKeys: [RenamedKey] = []
}
