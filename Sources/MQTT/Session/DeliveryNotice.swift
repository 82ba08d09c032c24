/// What an operator should read in the log. Each cause is said once until it is over.
enum DeliveryNotice: Hashable, Sendable {
    case connected(BrokerLimits)
    case connectionFailed(ConnectionFailure)
    case eventRefused(topic: String, ReasonCode)
    case retainedRefused(topic: String, ReasonCode)
    case eventParked(sequence: UInt64, topic: String, ReasonCode)
    case retainedGivenUp(topic: String, ReasonCode)
    case tooManyRetainedTopics(limit: Int)
    case subscriptionRefused(ReasonCode)

    /// Whether an operator has to do something.
    var isWarning: Bool {
        switch self {
        case .connected(let broker): !(broker.isRetainAvailable && broker.isQoS1Available)
        default: true
        }
    }
}

extension DeliveryNotice: CustomStringConvertible {
    /// One line, with the remedy.
    var description: String {
        switch self {
        case .connected(let broker) where !broker.isQoS1Available:
            "connected, but the broker takes no QoS 1: nothing can be delivered; use another broker"
        case .connected(let broker) where !broker.isRetainAvailable:
            "connected, but the broker keeps no retained messages: subscribers that come later miss status and state; allow them "
                + "in the broker"
        case .connected: "connected to the broker"
        case .connectionFailed(let failure): "\(failure); \(failure.remedy)"
        case .eventRefused(let topic, let reason):
            "the broker refused an event on \(topic): \(reason); it is kept and tried again; \(Self.remedy(reason))"
        case .retainedRefused(let topic, let reason):
            "the broker refused \(topic): \(reason); it is tried again; \(Self.remedy(reason))"
        case .eventParked(let sequence, let topic, let reason):
            "event \(sequence) on \(topic) set aside: the broker refuses it for what it is: \(reason)"
        case .retainedGivenUp(let topic, let reason):
            "\(topic) left out until it changes: the broker refuses it for what it is: \(reason)"
        case .tooManyRetainedTopics(let limit):
            "more than \(limit) retained topics: the newest are not published; lower regions.max_instances"
        case .subscriptionRefused(let reason):
            "the broker refused the subscription to requests: \(reason); allow this user to read request/+"
        }
    }

    private static func remedy(_ reason: ReasonCode) -> String {
        switch reason {
        case .notAuthorized: "allow this user to write below the gateway's topic"
        case .quotaExceeded: "raise the broker's quota"
        case .qosNotSupported: "the broker must take QoS 1"
        default: "see the broker's log"
        }
    }
}
