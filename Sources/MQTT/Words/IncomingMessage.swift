/// A message that the broker delivered to one of our subscriptions.
public struct IncomingMessage: Hashable, Sendable {
    /// Longer payloads are not kept: a request is a few hundred bytes.
    public static let maxPayload_bytes = 4_096

    public enum Payload: Hashable, Sendable {
        case bytes([UInt8])
        /// The payload had `length` bytes, more than `maxPayload_bytes`, and was dropped.
        case oversize(length: Int)
    }

    public var topic: String
    public var payload: Payload
    /// A retained message was published before we subscribed: an old request, which must not be carried out.
    public var isRetained: Bool
    /// Where the answer is wanted (MQTT 5).
    public var responseTopic: String?
    /// What the answer must carry back (MQTT 5).
    public var correlationData: [UInt8]?

    package init(
        topic: String, payload: Payload, isRetained: Bool, responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }
}
