import Core

/// What an operator should read in the log. Each cause is said once until it is over.
enum DeliveryNotice: Hashable, Sendable {
    case connected(BrokerLimits)
    case connectionFailed(ConnectionFailure)
    case eventRefused(topic: String, ReasonCode)
    /// The broker took it, and no subscriber matches its topic.
    case eventUnmatched(topic: String, hold_s: Int)
    case retainedRefused(topic: String, ReasonCode)
    case formerRefused(topic: String, ReasonCode)
    /// What goes along with events, in the words of others.
    case companionRefused(topic: String, ReasonCode)
    case companionsBarred(topic: String, ReasonCode)
    case eventParked(sequence: UInt64, topic: String, ReasonCode)
    case retainedGivenUp(topic: String, ReasonCode)
    /// The broker closed the connection each time that it was sent.
    case eventHungUpOn(sequence: UInt64, topic: String, ConnectionFailure)
    case retainedHungUpOn(topic: String, ConnectionFailure)
    case answerHungUpOn(topic: String, ConnectionFailure)
    case tooManyRetainedTopics(limit: Int)
    case subscriptionRefused(ReasonCode)
    case leftoversCleared(count: Int)
    /// `nil` where the broker refused nothing and sent nothing.
    case ownStatesUnreadable(filters: [String], ReasonCode?)

    /// Whether an operator has to do something.
    var isWarning: Bool {
        switch self {
        case .connected(let broker): !(broker.isRetainAvailable && broker.isQoS1Available)
        case .leftoversCleared: false
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
            "the broker refused an event on \(topic): \(reason); it is kept and tried again; \(reason.publishingRemedy)"
        case .eventUnmatched(let topic, let hold_s):
            "the broker has no subscriber for the event on \(topic): it is kept for mqtt.undelivered_hold_s (\(hold_s) s) and tried again; start "
                + "the subscriber or the bridge, with a persistent session"
        case .retainedRefused(let topic, let reason):
            "the broker refused \(topic): \(reason); it is tried again; \(reason.publishingRemedy)"
        case .formerRefused(let topic, let reason):
            "the broker refused \(topic), of the gateway that this one was: \(reason); what it goes on to refuse of it is given up, "
                + "and stated as a gap; allow this user to write below that topic and reload, until all of it is delivered and cleared"
        case .companionRefused(let topic, let reason):
            "the broker refused \(topic): \(reason); the events themselves are delivered; \(reason.publishingRemedy)"
        case .companionsBarred(let topic, let reason):
            "nothing is sent to \(topic) any more: each time, the broker ended the connection (\(reason)); the events themselves are "
                + "delivered; allow this user to write there, and reload"
        case .eventParked(let sequence, let topic, let reason):
            "event \(sequence) on \(topic) set aside: the broker refuses it for what it is: \(reason)"
        case .retainedGivenUp(let topic, let reason):
            "\(topic) left out until it changes: the broker refuses it for what it is: \(reason)"
        case .eventHungUpOn(let sequence, let topic, let failure):
            "event \(sequence) on \(topic) set aside: each time it was sent, the connection ended (\(failure)); see the broker's log"
        case .retainedHungUpOn(let topic, let failure):
            "\(topic) left out until it changes: each time it was sent, the connection ended (\(failure)); see the broker's log"
        case .answerHungUpOn(let topic, let failure):
            "an answer to \(topic) dropped: when it was sent, the connection ended (\(failure)); if that recurs, no more answers go "
                + "there for an hour; have the requester choose a shorter response topic or ask for less"
        case .tooManyRetainedTopics(let limit):
            "more than \(limit) retained topics: the newest are not published; lower regions.max_instances"
        case .subscriptionRefused(let reason):
            "the broker refused the subscription to requests: \(reason); allow this user to read request/+"
        case .leftoversCleared(let count):
            "\(count) states that were retained here, and are of no region of this gateway, are cleared"
        case .ownStatesUnreadable(let filters, let reason):
            "the broker does not let us read what is retained under our own topics\(reason.map { ": \($0)" } ?? ""); states that "
                + "an earlier gateway of this name left there may stay; allow this user to read \(filters.joined(separator: " and "))"
        }
    }
}

extension ReasonCode {
    /// What to do where the broker refuses what we publish for this reason.
    var publishingRemedy: String {
        switch self {
        case .notAuthorized: "allow this user to write there"
        case .quotaExceeded: "raise the broker's quota"
        case .qosNotSupported: "the broker must take QoS 1"
        // The broker named its limit at the login: the packet was not sent, and its log says nothing.
        case .packetTooLarge: "allow longer packets in the broker (max_packet_size in mosquitto.conf)"
        default: "see the broker's log"
        }
    }
}

/// What a QoS 1 message on its way is: which retained topic, which answer, which durable message, or which companion of one.
enum Ticket: Hashable, Sendable {
    case retained(topic: String)
    case answer(number: UInt64)
    case durable(sequence: UInt64)
    case companion(of: UInt64, index: Int)
}

/// What `DeliverySession` asks of the I/O half.
enum DeliveryAction: Hashable, Sendable {
    /// Begin a connection attempt.
    case connect
    /// Close the socket without a DISCONNECT, which lets the broker publish the will.
    case drop
    /// Say DISCONNECT, which makes the broker forget the will, and close.
    case disconnect
    case subscribe(filters: [String])
    case unsubscribe(filters: [String])
    /// Hand this to the connection, then say `published(_:as:)` or `refusedLocally(_:_:at:)`.
    case publish(Ticket, Message)
    /// Ask the source, then say `supply(_:at:)`, with an empty list too.
    case fetch(after: UInt64?, limit: Int)
    /// Likewise, then `supplyFormer(_:at:)`.
    case fetchOfFormerGateway(after: UInt64?, limit: Int)
    case acknowledge(sequence: UInt64)
    /// The broker has taken the empty message that clears a retained topic.
    case cleared(topic: String)
    /// No state that we do not know is left below our root; so many were.
    case searched(cleared: Int)
    case park(sequence: UInt64)
    /// An event of a former gateway is refused for good.
    case giveUp(sequence: UInt64)
    case say(DeliveryNotice)
}
