import Beacons
import Configuration
import HCI
import Messages
import Outbox
import Regions

/// What a process finds in the outbox when it starts.
struct StoredState {
    /// Region states that can be read.
    var regions: [StoredRegion]
    /// Regions that requests have registered.
    var definitions: [RegionDefinition]
    /// The secret that pseudonyms are made with.
    var pseudonymKey: [UInt8]

    private static let pseudonymKeyName = "pseudonym_key"

    /// - Parameters:
    ///   - bootID: names the life of the monotonic clock.
    ///   - newKey: the secret for pseudonyms, where there is none yet.
    init(
        _ outbox: Outbox, _ timebase: Timebase, bootID: String,
        newKey: @autoclosure () -> [UInt8] = DevicePseudonym.generateKey()
    ) {
        let records = outbox.records()
        regions = records.compactMap { StoredRegion($0.value, key: $0.key, timebase, bootID: bootID) }
        definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key) }
        if let key = outbox.value(forKey: Self.pseudonymKeyName), !key.isEmpty {
            pseudonymKey = key
        } else {
            pseudonymKey = newKey()
            outbox.setValue(pseudonymKey, forKey: Self.pseudonymKeyName)
        }
    }
}

extension MessageComposer {
    init(_ settings: Settings, pseudonymKey: [UInt8]) {
        self.init(
            topics: TopicTree(
                prefix: settings.mqtt.prefix, site: settings.gateway.site, gateway: settings.gateway.id ?? "gateway"),
            version: Version.current,
            pseudonym: DevicePseudonym(
                form: settings.privacy.device, key: pseudonymKey, deviceNames: settings.tracker.devices.map(\.name)),
            rangingExpiry_s: Expiry.ranging_s(settings.ranging))
    }
}
