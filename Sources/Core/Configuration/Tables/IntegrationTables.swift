/// `[homeassistant]`: the messages for Home Assistant.
package struct HomeAssistantSettings: Hashable, Sendable {
    /// Home Assistant's own default.
    package static let usualDiscoveryPrefix = "homeassistant"

    /// The first levels of discovery topics, as configured in Home Assistant.
    package var discoveryPrefix: String
    /// The most instances of expanded regions and zones that have entities.
    package var maxInstances: Int
}

struct HomeAssistantTable: SettingsTable {
    static let tableName = "homeassistant"

    let discoveryPrefix = Key(
        "discovery_prefix", default: HomeAssistantSettings.usualDiscoveryPrefix,
        Rule<String>.topicPrefix(maxOctets: 32),
        "The first levels of discovery topics, as in Home Assistant's own settings.")
    let maxInstances = Key(
        "max_instances", default: 100, .integer(0...10_000),
        "The number of instances of regions with `expand`, and zones of a store, that get entities: the first ones.")

    func read(_ reader: inout TableReader) -> HomeAssistantSettings {
        HomeAssistantSettings(discoveryPrefix: reader.value(discoveryPrefix), maxInstances: reader.value(maxInstances))
    }
}

/// `[owntracks]`: the messages in the format of OwnTracks.
package struct OwnTracksSettings: Hashable, Sendable {
    /// `owntracks/{user}/{device}`.
    package var topic: String
}

struct OwnTracksTable: SettingsTable {
    static let tableName = "owntracks"

    package let topic = Key(
        "topic", default: nil, Rule<String>.topicPrefix(maxOctets: 160).orEmpty,
        "The device's topic, such as `owntracks/fleet/van-7`; `/event` and `/beacon` follow it. Empty: off.")

    /// Returns `nil` where the topic is empty.
    func read(_ reader: inout TableReader) -> OwnTracksSettings? {
        reader.value(topic).map { OwnTracksSettings(topic: $0) }
    }
}

/// `[[device]]`: a transmitter whose resolving key is known.
struct DeviceTable: SettingsTable {
    static let tableName = "device"
    static let isRepeated = true

    /// The most devices: every unknown private address is tried with every key.
    static let maxDevices = 1024

    package let name = Key(
        "name", unset: "required",
        Rule<String>.text("1 to 128 bytes without control characters") {
            (1...128).contains($0.utf8.count) && !$0.hasControls
        }, "Your name for it, unique.")
    let irk = Key(
        "irk", unset: "required", Rule<[UInt8]>.resolvingKey,
        "Its identity resolving key. A secret: errors do not show it.")

    /// Returns `nil` where a key is missing or wrong, which the reader has recorded.
    func read(_ reader: inout TableReader, taken: inout [KnownDevice]) -> KnownDevice? {
        let name = reader.required(name)
        let key = reader.required(irk)
        if let name, taken.contains(where: { $0.name == name }) {
            reader.refuse(self.name, name, "must be unique: another [[device]] has this name")
        }
        if let key, let other = taken.first(where: { $0.identityResolvingKey == key }) {
            reader.refuse(irk, key, "must be unique: device \(other.name.quoted) has the same key")
        }
        guard let name, let key else { return nil }
        let device = KnownDevice(name: name, identityResolvingKey: key)
        taken.append(device)
        return device
    }
}

extension Rule where Value == [UInt8] {
    /// A rule for an identity resolving key. It is a secret, so an error never shows it.
    static var resolvingKey: Rule {
        let allowed = "32 hexadecimal digits or Base64 of 16 bytes, most significant byte first"
        var rule = text(
            allowed,
            read: { text in
                ResolvingKeyText.octets(of: text).map { .value($0) }
                    ?? .refused("must be \(allowed) (it has \(text.count) characters)")
            },
            write: { _ in "\"…\"" })
        rule.show = { _ in nil }
        return rule
    }
}

/// The two notations of the 16 octets of a key.
enum ResolvingKeyText {
    /// Sixteen octets are 22 characters of Base64 and `==`, which may be left out. The last four bits are zero.
    static func octets(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8.prefix(33))
        if characters.count == 32 { return [UInt8](hexadecimal: characters) }
        let letters = text.hasSuffix("==") ? text.dropLast(2) : text[...]
        guard letters.utf8.count == 22, let last = letters.last, "AQgw".contains(last) else { return nil }
        return Base64.decode(letters + "==")
    }
}
