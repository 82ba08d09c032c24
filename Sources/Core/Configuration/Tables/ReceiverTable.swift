/// `[receiver]`: a Bluetooth gateway of another maker whose messages are the radio, instead of this machine's adapters.
package struct ReceiverSettings: Hashable, Sendable {
    /// The filter of the receiver's messages.
    package var topic: String
    package var format: ReceiverFormat
    /// The broker with the receiver's messages; `nil` where it is that of `[mqtt]`, whose connection then serves both.
    package var broker: BrokerSettings?
}

struct ReceiverTable: SettingsTable {
    static let tableName = "receiver"

    let topic = Key(
        "topic", unset: "none", Rule<String>.topicFilter, "The topics of one receiver, as a filter; needed.")
    let format = Key("format", unset: "none", Rule<ReceiverFormat>.word, "The layout of its messages; needed.")
    let url = Key(
        "url", default: nil, Rule<BrokerURL>.brokerURL.orEmpty,
        "The broker that it publishes to, where that is not the one of `[mqtt]`.")
    let username = Key(
        "username", default: "",
        .mqttText("at most 1024 bytes without control characters") { $0.utf8.count <= 1024 && !$0.hasControls },
        "The user to log in as there; needs `url`. Empty: anonymous.")
    let passwordFile = Key(
        "password_file", default: "", .pathOrEmpty, "The file whose first line is that user's password; needs `url`.")

    /// - Parameters:
    ///   - broker: the broker of `[mqtt]`, whose other settings count for `url` too.
    ///   - prefix: the first levels of the agent's own topics.
    func read(_ reader: inout TableReader, broker: BrokerSettings, prefix: String) -> ReceiverSettings? {
        let (topic, format) = (reader.required(topic), reader.required(format))
        let url = reader.value(url)
        let (username, passwordFile) = (reader.value(username), reader.value(passwordFile))
        if let topic, topic.hasPrefix("#") || topic.hasPrefix("+") || (topic + "/").hasPrefix(prefix + "/") {
            reader.refuse(
                self.topic, topic, "must match none of this agent's own topics, which are below mqtt.prefix")
        }
        guard let topic, let format else { return nil }
        guard let url else {
            for (key, value) in [(self.username, username), (self.passwordFile, passwordFile)] where !value.isEmpty {
                reader.refuse(
                    key, value, beside: self.url.name, "must be empty without url: the login of [mqtt] counts")
            }
            return ReceiverSettings(topic: topic, format: format)
        }
        var other = broker
        (other.host, other.port, other.usesTLS) = (url.host, url.port, url.usesTLS)
        (other.username, other.passwordFile) = (username, passwordFile)
        // A certificate names this gateway at the broker of `[mqtt]` alone.
        (other.certificateFile, other.keyFile, other.certificateName, other.readsCredentials) = ("", "", nil, false)
        if !url.usesTLS { other.caFile = "" }
        return ReceiverSettings(topic: topic, format: format, broker: other)
    }
}
