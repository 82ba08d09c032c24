/// `[mqtt]`: the broker and the connection to it.
package struct BrokerSettings: Hashable, Sendable {
    /// The raw value is the number in `config.toml`.
    package enum ProtocolVersion: Int, CaseIterable, Sendable {
        /// MQTT 3.1.1.
        case v3 = 3
        /// MQTT 5.
        case v5 = 5
    }

    /// Broker host name or address, without brackets around an IPv6 address.
    package var host: String
    /// The port of the URL; without one 1883, with TLS 8883.
    package var port: UInt16
    /// `mqtts://`: the certificate chain and the host name are always verified.
    package var usesTLS: Bool
    /// Empty for an anonymous login.
    package var username: String
    /// A file whose first line is the password; empty for `$CREDENTIALS_DIRECTORY/mqtt-password`, if that exists.
    package var passwordFile: String
    /// Certificates to trust, PEM; empty for the system's.
    package var caFile: String
    /// This client's certificate and key, PEM; both or neither.
    package var certificateFile: String
    package var keyFile: String
    /// The common name that the certificate must have, SITE/ID; `nil` where the identity does not come from it.
    package var certificateName: String?
    /// The seconds of silence until the connection is tested.
    package var keepalive_s: Int
    /// The most QoS 1 messages in flight.
    package var maxInflight: Int
    package var protocolVersion: ProtocolVersion
    /// The time for which an event is kept while the broker has no subscriber for it. Zero: such an event counts as
    /// delivered.
    package var undeliveredHold: TimeSpan
    /// True where an empty `passwordFile` means `$CREDENTIALS_DIRECTORY/mqtt-password`.
    package var readsCredentials = true
}

struct MQTTTable: SettingsTable {
    static let tableName = "mqtt"

    let url = Key(
        "url", default: BrokerURL(host: "127.0.0.1", port: 1883, usesTLS: false), .brokerURL,
        "The broker. `mqtts://` verifies its certificate and host name, always. Ports: 1883, with TLS 8883.")
    let prefix = Key("prefix", default: "beacons", .topicPrefix(), "The first levels of every topic.")
    let username = Key(
        "username", default: "",
        .mqttText("at most 1024 bytes without control characters") { $0.utf8.count <= 1024 && !$0.hasControls },
        "The user to log in as. Empty: anonymous.")
    let passwordFile = Key(
        "password_file", default: "", .pathOrEmpty,
        "The file whose first line is the password. Empty: `$CREDENTIALS_DIRECTORY/mqtt-password`, if it exists.")
    let caFile = Key(
        "ca_file", default: "", .pathOrEmpty, "Certificates to trust, PEM; needs `mqtts://`. Empty: the system's.")
    let certificateFile = Key(
        "cert_file", default: "", .pathOrEmpty, "This client's certificate, PEM; needs `key_file` and `mqtts://`.")
    let keyFile = Key(
        "key_file", default: "", .pathOrEmpty, "Its private key, PEM; needs `cert_file` and `mqtts://`.")
    let keepalive = Key(
        "keepalive_s", default: 30, .integer(5...65535),
        "Seconds of silence until the connection is tested with a ping.")
    let maxInflight = Key("max_inflight", default: 20, .integer(1...1000), "Messages sent and not yet acknowledged.")
    let protocolVersion = Key(
        "protocol", default: BrokerSettings.ProtocolVersion.v5, Self.version, "MQTT 5, or 3 for MQTT 3.1.1.")

    let undeliveredHold = Key(
        "undelivered_hold_s", default: .zero, .seconds(0...2_592_000),
        "Seconds for which an event without a subscriber at the broker is kept and sent again; 0: it counts as delivered."
    )

    func read(_ reader: inout TableReader) -> (prefix: String, broker: BrokerSettings) {
        let broker = reader.value(url)
        let prefix = reader.value(prefix)
        let settings = BrokerSettings(
            host: broker.host, port: broker.port, usesTLS: broker.usesTLS,
            username: reader.value(username), passwordFile: reader.value(passwordFile), caFile: reader.value(caFile),
            certificateFile: reader.value(certificateFile), keyFile: reader.value(keyFile),
            keepalive_s: reader.value(keepalive), maxInflight: reader.value(maxInflight),
            protocolVersion: reader.value(protocolVersion), undeliveredHold: reader.value(undeliveredHold))
        checkFiles(settings, &reader)
        return (prefix, settings)
    }

    private func checkFiles(_ settings: BrokerSettings, _ reader: inout TableReader) {
        if !settings.usesTLS {
            for (key, file) in [
                (caFile, settings.caFile), (certificateFile, settings.certificateFile), (keyFile, settings.keyFile),
            ] where !file.isEmpty {
                reader.refuse(
                    key, file, beside: url.name,
                    "must be empty unless url begins with mqtts://: without TLS it is not used")
            }
        }
        if !settings.certificateFile.isEmpty, settings.keyFile.isEmpty {
            reader.refuse(keyFile, "", beside: certificateFile.name, "must be set where cert_file is")
        }
        if settings.certificateFile.isEmpty, !settings.keyFile.isEmpty {
            reader.refuse(certificateFile, "", beside: keyFile.name, "must be set where key_file is")
        }
        if settings.protocolVersion == .v3, settings.username.isEmpty, !settings.passwordFile.isEmpty {
            reader.refuse(
                username, "", beside: passwordFile.name,
                "must be set where password_file is: MQTT 3.1.1 has no password without a user")
        }
    }

    private static var version: Rule<BrokerSettings.ProtocolVersion> {
        Rule(
            type: "an integer", allowed: "3 or 5",
            read: { node in
                guard case .integer(let number) = node else { return .wrongType }
                return Int(exactly: number).flatMap(BrokerSettings.ProtocolVersion.init).map { .value($0) }
                    ?? .refused(nil)
            },
            write: { String($0.rawValue) })
    }
}
