/// One entity of Home Assistant, described for its MQTT discovery
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
///
/// The entity has no topic of its own: it reads a message of the contract, and its template selects the field.
struct HomeAssistantEntity {
    /// The kind of entity. The raw value is a level of the discovery topic.
    enum Component: String {
        case binarySensor = "binary_sensor"
        case deviceTracker = "device_tracker"
        case event
        case sensor
    }

    var component: Component
    /// The key among the device's entities of its kind, in topic and `unique_id`: a level that Home Assistant allows.
    var key: String
    /// The name, which Home Assistant shows behind the device's.
    package var name: String
    /// The topic of the message that the entity reads.
    package var topic: String
    /// The Jinja template that makes the state from `value_json`; `nil` where only the attributes count.
    var template: String?
    /// The Jinja template that makes the attributes, a JSON object, from the message.
    var attributesTemplate: String?
    var deviceClass: String?
    var unit: String?
    var icon: String?
    /// The possible values: the states of an `enum`, or the types of an event.
    var words: [String] = []
    /// True if Home Assistant draws its history as a curve.
    var isMeasurement = false
    /// True if the entity describes the gateway, not the beacons.
    var isDiagnostic = false
    /// True if Home Assistant shows it by default.
    var isShown = true
    /// The condition for being available.
    var needs = Need.gateway

    enum Need {
        case nothing
        /// The gateway is online.
        case gateway
        /// The radio hears too. Otherwise a count of 0 would mean that no beacon is there.
        case radio
    }
}

extension HomeAssistantEntity {
    /// Returns the topic of the description: `{discovery_prefix}/{component}/{node}/{key}/config`.
    package func topic(prefix: String, node: String) -> String {
        "\(prefix)/\(component.rawValue)/\(node)/\(key)/config"
    }

    /// - Parameter device: the device that the entity belongs to.
    func write(to json: inout JSONWriter, of device: HomeAssistantDevice) {
        json.set("name", name)
        json.set("unique_id", device.id + "/" + component.rawValue + "/" + key)
        // A device tracker without a state takes its place from its attributes.
        if template != nil { json.set("state_topic", topic) }
        if let template { json.set("value_template", template) }
        if let attributesTemplate {
            // Home Assistant may read the empty message that clears the state of a removed region before it has removed
            // the entity. Attributes of an empty text would be a warning in its log; a state stays as it is.
            json.set("json_attributes_topic", topic)
            json.set(
                "json_attributes_template",
                "{% if value_json is defined %}\(attributesTemplate){% else %}{}{% endif %}")
        }
        if let deviceClass { json.set("device_class", deviceClass) }
        if !words.isEmpty { json.set(component == .event ? "event_types" : "options", strings: words) }
        if let unit { json.set("unit_of_measurement", unit) }
        if isMeasurement { json.set("state_class", "measurement") }
        if let icon { json.set("icon", icon) }
        if component == .deviceTracker { json.set("source_type", "gps") }
        if isDiagnostic { json.set("entity_category", "diagnostic") }
        if !isShown { json.set("enabled_by_default", false) }
        if needs != .nothing {
            let hears = "value_json.radio in ['scanning', 'replay']"
            json.set("availability_topic", device.statusTopic)
            json.set(
                "availability_template",
                needs == .gateway
                    ? "{{ value_json.state }}" : "{{ value_json.state if \(hears) else 'offline' }}")
        }
        json.set("qos", Message.QoS.atLeastOnce.rawValue)
        json.set("device") { json in device.write(to: &json) }
        json.set("origin") { json in
            json.set("name", HomeAssistantDevice.maker)
            json.set("sw_version", device.version)
        }
    }
}

/// The device that all entities of a gateway belong to.
struct HomeAssistantDevice {
    static let maker = "beacond"

    /// The permanent id.
    var id: String
    package var name: String
    var model: String
    /// The store. Home Assistant proposes it as the area.
    var area: String
    var version: String
    var statusTopic: String

    func write(to json: inout JSONWriter) {
        json.set("identifiers", strings: [id])
        json.set("name", name)
        json.set("manufacturer", Self.maker)
        json.set("model", model)
        json.set("sw_version", version)
        json.set("suggested_area", area)
    }
}

/// Names that Home Assistant allows as levels of a discovery topic: only letters, digits, `_` and `-` of ASCII.
enum HomeAssistantName {
    /// The longest name. Longer names are cut and get a digest. Two of them and a discovery prefix of 32 octets make a
    /// topic that brokers accept.
    private static let maxLength = 72

    /// Returns the level of a text. Equal texts have equal levels, and different texts different ones. A slash becomes
    /// `__`. Every other octet that is not allowed becomes `_` and its two hexadecimal digits.
    static func level(_ text: String) -> String {
        var octets: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                octets.append(octet)
            case UInt8(ascii: "/"): octets += "__".utf8
            default: octets += ("_" + [octet].hexadecimal).utf8
            }
        }
        guard octets.count > maxLength else { return String(decoding: octets, as: UTF8.self) }
        let digest = (SHA256.digest(of: Array(text.utf8)) ?? []).prefix(8).hexadecimal.utf8
        return String(
            decoding: octets.prefix(maxLength - digest.count - 1) + [UInt8(ascii: "-")] + digest, as: UTF8.self)
    }
}
