import HCI
import Messages

/// How sure it is that a connection ended because of something that we published.
enum HangUp: Equatable, Sendable {
    /// The broker says that the message is at fault.
    case blamed(ReasonCode)
    /// It gives a reason that may well be the message's.
    case suspected(ReasonCode)
    /// It says nothing: MQTT 3.1.1 has no word for it, and some brokers just close.
    case silent

    /// `nil` for an end that no message brings about.
    init?(_ failure: ConnectionFailure) {
        switch failure {
        case .disconnected(let reason) where reason.blamesMessage: self = .blamed(reason)
        case .disconnected(let reason) where reason.mayBlameMessage: self = .suspected(reason)
        case .closedByBroker: self = .silent
        default: return nil
        }
    }

    var isCertain: Bool { if case .blamed = self { true } else { false } }

    var reason: ReasonCode? {
        switch self {
        case .blamed(let reason), .suspected(let reason): reason
        case .silent: nil
        }
    }
}

/// Which message a broker hung up on.
///
/// With one under way it is that one, where the broker says so or had taken something before on this very connection: a broker
/// that is going down takes nothing. With several, they go one at a time from now on. A silent end may be chance, so that only a
/// second one in a row makes it careful.
extension DeliverySession {
    mutating func blame(_ failure: ConnectionFailure, at now: Instant) -> [DeliveryAction] {
        guard let hangUp = HangUp(failure) else { return [] }
        let isFresh = flights.values.contains { now - $0.sentAt <= parameters.hangUpAfter }
        guard hangUp.isCertain || isFresh else { return [] }
        silentEnds = hangUp == .silent ? silentEnds + 1 : 0
        if hangUp != .silent || silentEnds > 1 { suspectFlights() }
        guard flights.count == 1, let ticket = flights.keys.first, hangUp.isCertain || hasAccepted else { return [] }
        if let reason = hangUp.reason { counters.refused[reason, default: 0] += 1 }
        if case .answer(let number) = ticket { return drop(answer: number, failure, at: now) }
        guard hangUp.isCertain || mayBeAtFault(ticket, hangUp.reason) else { return [] }
        provenFaults[ticket, default: 0] += 1
        guard provenFaults[ticket, default: 0] >= parameters.maxRefusals else { return [] }
        guard case .blamed(let reason) = hangUp else { return giveUp(ticket, on: failure, hangUp.reason) }
        return giveUp(ticket, topic: topic(of: ticket), reason)
    }

    private mutating func suspectFlights() {
        for ticket in flights.keys {
            // An answer is not sent again: the next one goes alone.
            if case .answer = ticket {
                answersGoAlone = flights.count > 1 || answersGoAlone
            } else {
                suspects.insert(ticket)
            }
        }
    }

    /// The status goes before everything else, so it has nothing to be compared with; and what may be written is for the access
    /// list to say: it is mended there, and the message is kept, as where it is refused.
    private func mayBeAtFault(_ ticket: Ticket, _ reason: ReasonCode?) -> Bool {
        let topic = topic(of: ticket)
        return topic != retained.statusTopic && (reason != .notAuthorized || former.owns(topic))
    }

    private mutating func drop(answer number: UInt64, _ failure: ConnectionFailure, at now: Instant) -> [DeliveryAction]
    {
        flights[.answer(number: number)] = nil
        counters.answersDropped += 1
        return answers.hungUp(on: number, at: now).map { [.say(.answerHungUpOn(topic: $0, failure))] } ?? []
    }

    private mutating func giveUp(
        _ ticket: Ticket, on failure: ConnectionFailure, _ reason: ReasonCode?
    ) -> [DeliveryAction] {
        let topic = topic(of: ticket)
        return giveUp(ticket, topic: topic, reason ?? .unspecifiedError).map { action in
            switch action {
            case .say(.eventParked(let sequence, _, _)): .say(.eventHungUpOn(sequence: sequence, topic: topic, failure))
            case .say(.retainedGivenUp): .say(.retainedHungUpOn(topic: topic, failure))
            default: action
            }
        }
    }

    private func topic(of ticket: Ticket) -> String {
        switch ticket {
        case .retained(let topic): topic
        case .event(let sequence): events.topic(of: sequence) ?? former.line.topic(of: sequence) ?? ""
        case .answer: ""
        }
    }
}
