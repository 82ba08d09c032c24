/// `[mqtt]`: the broker and how to speak to it.
public struct BrokerSettings: Hashable, Sendable {
    /// The raw value is the number in `config.toml`.
    public enum ProtocolVersion: Int, CaseIterable, Sendable {
        /// MQTT 3.1.1.
        case v3 = 3
        /// MQTT 5.
        case v5 = 5
    }

    /// Broker host name or address, without brackets around an IPv6 address.
    public var host: String
    /// As the URL says; without one 1883, with TLS 8883.
    public var port: UInt16
    /// `mqtts://`: the certificate chain and the host name are verified, always.
    public var usesTLS: Bool
    /// Empty for an anonymous login.
    public var username: String
    /// A file whose first line is the password; empty for `$CREDENTIALS_DIRECTORY/mqtt-password`, if that exists.
    public var passwordFile: String
    /// Certificates to trust, PEM; empty for the system's.
    public var caFile: String
    /// This client's certificate and key, PEM; both or neither.
    public var certificateFile: String
    public var keyFile: String
    /// Seconds of silence until the connection is tested.
    public var keepalive_s: Int
    /// QoS 1 messages under way at once.
    public var maxInflight: Int
    public var protocolVersion: ProtocolVersion
}

/// `[outbox]`, and where it is: what may wait for the broker.
public struct OutboxSettings: Hashable, Sendable {
    /// The folder for it and for the state of the regions. One process at a time may hold it.
    public var directory: String
    /// Events that may wait.
    public var maxEvents: Int
    /// Disk that the folder may take, mebibytes.
    public var max_MiB: Int
}
