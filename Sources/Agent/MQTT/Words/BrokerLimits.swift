/// What a broker's CONNACK allows (MQTT 5.0, §3.2.2.3); an MQTT 3.1.1 broker says nothing and allows everything.
package struct BrokerLimits: Hashable, Sendable {
    /// QoS 1 messages that may be under way at once, 1 … 65 535.
    var receiveMaximum: Int
    /// Whether the broker keeps retained messages.
    var isRetainAvailable: Bool
    /// Whether the broker takes QoS 1.
    package var isQoS1Available: Bool
    /// The keepalive that the broker names in place of ours, 0 for none; `nil` where ours counts.
    var keepalive_s: Int?
    /// The longest packet that the broker takes; `nil` where it names no limit.
    package var longestPacket_bytes: Int?

    /// Events and states are shorter, under the longest names too, and so is a CONNECT without a long password. Long lists of
    /// beacons are not.
    static let neededPacket_bytes = 4_096

    /// The broker takes packets as long as an event may be.
    package var hasRoomForEvents: Bool { longestPacket_bytes.map { $0 >= Self.neededPacket_bytes } ?? true }

    init(
        receiveMaximum: Int = 65_535, isRetainAvailable: Bool = true, isQoS1Available: Bool = true,
        keepalive_s: Int? = nil, longestPacket_bytes: Int? = nil
    ) {
        self.receiveMaximum = receiveMaximum
        self.isRetainAvailable = isRetainAvailable
        self.isQoS1Available = isQoS1Available
        self.keepalive_s = keepalive_s
        self.longestPacket_bytes = longestPacket_bytes
    }
}
