/// One entity of Home Assistant, as its MQTT discovery wants it described
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
///
/// It has no topic of its own: it reads a message of the contract, and its template says which field.
struct HomeAssistantEntity {
    /// What it is in Home Assistant. The raw value is a level of the discovery topic.
    enum Component: String {
        case binarySensor = "binary_sensor"
        case deviceTracker = "device_tracker"
        case event
        case sensor
    }

    var component: Component
    /// What tells it apart from the device's others of its kind, in topic and `unique_id`: a level that Home Assistant allows.
    package var key: String
    /// Home Assistant shows it behind the device's name.
    package var name: String
    /// The message that it reads.
    package var topic: String
    /// Jinja, which makes the state out of `value_json`; `nil` where only the attributes count.
    var template: String?
    /// Attributes of the entity, out of the same message: Jinja that makes a JSON object.
    var attributesTemplate: String?
    var deviceClass: String?
    var unit: String?
    var icon: String?
    /// The words that it may say: the states of an `enum`, or the types of an event.
    var words: [String] = []
    /// Whether its history is drawn as a curve.
    var isMeasurement = false
    /// Whether it is about the gateway and not about what that hears.
    var isDiagnostic = false
    /// Whether it is shown without being asked for.
    var isShown = true
    /// While what it is unavailable.
    var needs = Need.gateway

    enum Need {
        case nothing
        /// That the gateway is online.
        case gateway
        /// That its radio hears, too: else a count of 0 would say that nobody is there.
        case radio
    }
}

extension HomeAssistantEntity {
    /// Where it is described: `{discovery_prefix}/{component}/{node}/{key}/config`.
    package func topic(prefix: String, node: String) -> String {
        "\(prefix)/\(component.rawValue)/\(node)/\(key)/config"
    }

    /// - Parameter device: the device that it belongs to.
    func write(to json: inout JSONWriter, of device: HomeAssistantDevice) {
        json.set("name", name)
        json.set("unique_id", device.id + "/" + component.rawValue + "/" + key)
        // A device tracker without a state is where its attributes say.
        if template != nil { json.set("state_topic", topic) }
        if let template { json.set("value_template", template) }
        if let attributesTemplate {
            json.set("json_attributes_topic", topic)
            json.set("json_attributes_template", attributesTemplate)
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

/// What all entities of a gateway belong to.
struct HomeAssistantDevice {
    static let maker = "beacond"

    /// Names it for ever.
    var id: String
    package var name: String
    var model: String
    /// The store: Home Assistant proposes it as the area.
    var area: String
    package var version: String
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

/// Names as Home Assistant lets the levels of a discovery topic be: letters, digits, `_` and `-` of ASCII, nothing else.
enum HomeAssistantName {
    /// Longer names are cut, and told apart by a digest: two of them and a discovery prefix of 32 octets make a topic that brokers take.
    private static let maxLength = 72

    /// The same for the same text, and another for another: a slash becomes `__`, and every other octet that may not stand there
    /// `_` and its two hexadecimal digits.
    package static func level(_ text: String) -> String {
        var octets: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                octets.append(octet)
            case UInt8(ascii: "/"): octets += "__".utf8
            default: octets += [UInt8(ascii: "_")] + hexadecimal(octet)
            }
        }
        guard octets.count > maxLength else { return String(decoding: octets, as: UTF8.self) }
        let digest = (SHA256.digest(of: Array(text.utf8)) ?? []).prefix(8).flatMap(hexadecimal)
        return String(
            decoding: octets.prefix(maxLength - digest.count - 1) + [UInt8(ascii: "-")] + digest, as: UTF8.self)
    }

    private static func hexadecimal(_ octet: UInt8) -> [UInt8] {
        [octet >> 4, octet & 0xF].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") - 10 + $0 }
    }
}
