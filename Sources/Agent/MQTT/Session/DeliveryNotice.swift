import Core

/// A line about delivery for the operator. Each cause is logged once until it is over.
enum DeliveryNotice: Hashable, Sendable {
    case connected(BrokerLimits)
    case connectionFailed(ConnectionFailure)
    case eventRefused(topic: String, ReasonCode)
    /// The broker accepted it, but no subscriber matches its topic.
    case eventUnmatched(topic: String, hold_s: Int)
    case retainedRefused(topic: String, ReasonCode)
    case formerRefused(topic: String, ReasonCode)
    /// Companions are the messages of integrations.
    case companionRefused(topic: String, ReasonCode)
    case companionsBarred(topic: String, ReasonCode)
    case eventParked(sequence: UInt64, topic: String, ReasonCode)
    case retainedGivenUp(topic: String, ReasonCode)
    /// The broker closed the connection each time that the event was sent.
    case eventHungUpOn(sequence: UInt64, topic: String, ConnectionFailure)
    case retainedHungUpOn(topic: String, ConnectionFailure)
    case answerHungUpOn(topic: String, ConnectionFailure)
    case tooManyRetainedTopics(limit: Int)
    case subscriptionRefused(ReasonCode)
    case leftoversCleared(count: Int)
    case certificateChanged
    case certificateRefused(ConnectionFailure)
    /// `nil` where the broker refused nothing, but sent nothing either.
    case ownStatesUnreadable(filters: [String], ReasonCode?)

    /// True if the operator has to act.
    var isWarning: Bool {
        switch self {
        case .connected(let broker): !(broker.isRetainAvailable && broker.isQoS1Available)
        case .leftoversCleared, .certificateChanged: false
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
            "the broker refused \(topic), of this machine's previous site and id: \(reason); messages that it goes on to refuse are "
                + "given up and reported as gaps; allow this user to write below that topic and reload, until all are delivered and cleared"
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
        case .certificateChanged: "the certificate's files have changed: connecting anew with them"
        case .certificateRefused(let failure):
            "\(failure); \(failure.remedy); the present connection goes on with the certificate that it began with"
        case .leftoversCleared(let count):
            "\(count) retained states that belong to no region of this gateway are cleared"
        case .ownStatesUnreadable(let filters, let reason):
            "the broker does not let this gateway read its own retained topics\(reason.map { ": \($0)" } ?? ""); states that "
                + "an earlier gateway of this name left there may stay; allow this user to read \(filters.joined(separator: " and "))"
        }
    }
}

extension ReasonCode {
    /// The remedy where the broker refuses a message for this reason.
    var publishingRemedy: String {
        switch self {
        case .notAuthorized: "allow this user to write there"
        case .quotaExceeded: "raise the broker's quota"
        case .qosNotSupported: "the broker must take QoS 1"
        // The broker named its limit at the login: the packet was not sent, and the broker's log has no line.
        case .packetTooLarge: "allow longer packets in the broker (max_packet_size in mosquitto.conf)"
        default: "see the broker's log"
        }
    }
}

/// The kind of a QoS 1 message under way: a retained topic, an answer, a durable message, or a companion of one.
enum Ticket: Hashable, Sendable {
    case retained(topic: String)
    case answer(number: UInt64)
    case durable(sequence: UInt64)
    case companion(of: UInt64, index: Int)
}

/// An action that `DeliverySession` asks of the I/O half.
enum DeliveryAction: Hashable, Sendable {
    /// Begins a connection attempt.
    case connect
    /// Closes the socket without a DISCONNECT, so that the broker publishes the will.
    case drop
    /// Sends DISCONNECT, which makes the broker drop the will, and closes.
    case disconnect
    case subscribe(filters: [String])
    case unsubscribe(filters: [String])
    /// Publishes the message; the result is `published(_:as:)` or `refusedLocally(_:_:at:)`.
    case publish(Ticket, Message)
    /// Asks the source; the result is `supply(_:at:)`, with an empty list too.
    case fetch(limit: Int)
    /// Asks the source; the result is `supplyFormer(_:at:)`.
    case fetchOfFormerGateway(limit: Int)
    case acknowledge(sequence: UInt64)
    /// The broker has accepted the empty message that clears a retained topic.
    case cleared(topic: String)
    /// The search has ended: no unknown state is left below this gateway's root, and this number was cleared.
    case searched(cleared: Int)
    case park(sequence: UInt64)
    /// A former gateway's event is refused for good.
    case giveUp(sequence: UInt64)
    case log(DeliveryNotice)
}
