import Core

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
/// that is going down takes nothing. With several, they go one at a time from now on, see `Suspicion`.
extension DeliverySession {
    mutating func blame(_ failure: ConnectionFailure, at now: BootInstant) -> [DeliveryAction] {
        guard let hangUp = HangUp(failure) else { return [] }
        let flights = state.connection?.flights ?? Flights()
        let isFresh = flights.newest.map { now - $0 <= parameters.hangUpAfter } ?? false
        guard hangUp.isCertain || isFresh else { return [] }
        suspicion.note(hangUp, on: flights)
        let hasAccepted = state.connection?.hasAccepted ?? false
        guard flights.count == 1, let ticket = flights.all.first, hangUp.isCertain || hasAccepted else { return [] }
        if let reason = hangUp.reason { counters.refused[reason, default: 0] += 1 }
        if case .answer(let number) = ticket { return drop(answer: number, failure, at: now) }
        guard hangUp.isCertain || mayBeAtFault(ticket, hangUp.reason) else { return [] }
        guard suspicion.prove(ticket) >= parameters.maxRefusals else { return [] }
        guard case .blamed(let reason) = hangUp else { return giveUp(ticket, on: failure, hangUp.reason) }
        return giveUp(ticket, topic: topic(of: ticket), reason)
    }

    /// The status goes before everything else, so it has nothing to be compared with; and what may be written is for the access
    /// list to say: it is mended there, and the message is kept, as where it is refused.
    private func mayBeAtFault(_ ticket: Ticket, _ reason: ReasonCode?) -> Bool {
        let topic = topic(of: ticket)
        return topic != retained.statusTopic && (reason != .notAuthorized || former.owns(topic))
    }

    private mutating func drop(answer number: UInt64, _ failure: ConnectionFailure, at now: BootInstant)
        -> [DeliveryAction]
    {
        _ = state.withConnection { $0.flights.remove(.answer(number: number)) }
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
        case .durable(let sequence): outgoing.topic(of: sequence) ?? former.line.topic(of: sequence) ?? ""
        case .companion(let sequence, let index): outgoing.topic(ofCompanion: index, of: sequence) ?? ""
        case .answer: ""
        }
    }
}
