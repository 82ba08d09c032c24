/// How delivery goes, for `health`. Counts run from the start of the process.
public struct DeliveryCounters: Hashable, Sendable {
    public internal(set) var isConnected = false
    /// Connections that stood after the first.
    public internal(set) var reconnects = 0
    /// QoS 1 messages handed to a connection, repetitions included.
    public internal(set) var published = 0
    /// QoS 1 messages that a PUBACK accepted.
    public internal(set) var acknowledged = 0
    /// Durable messages that a PUBACK accepted although no subscriber matched their topic.
    public internal(set) var unmatched = 0
    /// QoS 1 messages that a PUBACK refused, by its reason.
    public internal(set) var refused: [ReasonCode: Int] = [:]
    /// Events given up because they themselves were at fault.
    public internal(set) var parked = 0
    /// QoS 0 messages handed to a connection.
    public internal(set) var ephemeralPublished = 0
    /// QoS 0 messages dropped because there was no connection.
    public internal(set) var ephemeralDroppedOffline = 0
    /// QoS 0 messages dropped because the connection was backed up.
    public internal(set) var ephemeralDroppedBackedUp = 0
    /// Retained topics refused because there were too many.
    public internal(set) var retainedTopicsRefused = 0
    /// Requests lost because the caller did not take them in time.
    public internal(set) var incomingDropped = 0
    /// Answers to requests given up: the broker was gone, refused them, or took them too slowly.
    public internal(set) var answersDropped = 0
    /// Why there is no connection, or why the last one ended.
    public internal(set) var lastFailure: ConnectionFailure?

    public init() {}
}
