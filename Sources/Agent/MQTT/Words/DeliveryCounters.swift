/// How delivery goes, for `health`. Counts run from the start of the process.
struct DeliveryCounters: Hashable, Sendable {
    var isConnected = false
    /// Connections that stood after the first.
    var reconnects = 0
    /// QoS 1 messages handed to a connection, repetitions included.
    var published = 0
    /// QoS 1 messages that a PUBACK accepted.
    var acknowledged = 0
    /// Durable messages that a PUBACK accepted although no subscriber matched their topic.
    var unmatched = 0
    /// QoS 1 messages that a PUBACK refused, by its reason.
    var refused: [ReasonCode: Int] = [:]
    /// Events given up because they themselves were at fault.
    var parked = 0
    /// QoS 0 messages handed to a connection.
    var ephemeralPublished = 0
    /// QoS 0 messages dropped because there was no connection.
    var ephemeralDroppedOffline = 0
    /// QoS 0 messages dropped because the connection was backed up.
    var ephemeralDroppedBackedUp = 0
    /// Retained topics refused because there were too many.
    var retainedTopicsRefused = 0
    /// Requests lost because the caller did not take them in time.
    var incomingDropped = 0
    /// Answers to requests given up: the broker was gone, refused them, or took them too slowly.
    var answersDropped = 0
    /// Why there is no connection, or why the last one ended.
    var lastFailure: ConnectionFailure?

    init() {}
}
