/// What a broker's CONNACK allows (MQTT 5.0, §3.2.2.3); an MQTT 3.1.1 broker says nothing and allows everything.
public struct BrokerLimits: Hashable, Sendable {
    /// QoS 1 messages that may be under way at once, 1 … 65 535.
    public var receiveMaximum: Int
    /// Whether the broker keeps retained messages.
    public var isRetainAvailable: Bool
    /// Whether the broker takes QoS 1.
    public var isQoS1Available: Bool

    public init(receiveMaximum: Int = 65_535, isRetainAvailable: Bool = true, isQoS1Available: Bool = true) {
        self.receiveMaximum = receiveMaximum
        self.isRetainAvailable = isRetainAvailable
        self.isQoS1Available = isQoS1Available
    }
}
