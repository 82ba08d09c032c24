import Core

extension DeliverySession {
    /// Sets the latest retained message of a topic. An older one that the broker does not have yet is dropped.
    mutating func setRetained(_ message: Message, at now: BootInstant) -> [DeliveryAction] {
        guard retained.set(message) else {
            counters.retainedTopicsRefused += 1
            let isFirst = counters.retainedTopicsRefused == 1
            return isFirst ? [.say(.tooManyRetainedTopics(limit: parameters.maxRetainedTopics))] : []
        }
        return fill(at: now)
    }

    /// Sends an answer to a request: on this connection or not at all, since its requester asks again.
    mutating func answer(_ message: Message, at now: BootInstant) -> [DeliveryAction] {
        guard case .connected = state, answers.append(message, at: now) else {
            counters.answersDropped += 1
            return []
        }
        return fill(at: now)
    }

    /// The outbox has new messages.
    mutating func outgoingAvailable(at now: BootInstant) -> [DeliveryAction] {
        outgoing.outgoingAvailable()
        return fill(at: now)
    }

    /// The outbox has messages of a former gateway.
    mutating func formerEventsAvailable(at now: BootInstant) -> [DeliveryAction] {
        former.line.outgoingAvailable()
        return fill(at: now)
    }

    /// Handles the answer to `fetch`.
    mutating func supply(_ supplied: [OutgoingMessage], at now: BootInstant) -> [DeliveryAction] {
        outgoing.supply(supplied)
        return fill(at: now)
    }

    /// Handles the answer to `fetchOfFormerGateway`.
    mutating func supplyFormer(_ supplied: [OutgoingMessage], at now: BootInstant) -> [DeliveryAction] {
        former.line.supply(supplied)
        return fill(at: now)
    }

    /// The connection took a message and gave it a packet identifier.
    mutating func published(_ ticket: Ticket, as mid: UInt16) {
        if state.withConnection({ $0.flights.number(ticket, as: mid) }) == true { counters.published += 1 }
    }

    /// The connection did not take a message, because of the message or of the broker's limits.
    mutating func refusedLocally(_ ticket: Ticket, _ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        guard state.withConnection({ $0.flights.remove(ticket) }) == true else { return [] }
        return refuse(ticket, reason, at: now) + fill(at: now)
    }

    /// A PUBACK. A failure code completes the handshake too, which is why only the reason decides.
    mutating func acknowledged(_ mid: UInt16, _ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        guard let ticket = state.withConnection({ $0.flights.take(mid) }) ?? nil else { return [] }
        let held = reason == .noMatchingSubscribers ? unmatched(ticket, at: now) : nil
        let actions = held ?? (reason.isSuccess ? settle(ticket, at: now) : refuse(ticket, reason, at: now))
        return actions + fill(at: now)
    }

    /// Handles the broker's answer to one filter of `subscribe`.
    mutating func subscribed(_ filter: String, _ reasons: [ReasonCode], at now: BootInstant) -> [DeliveryAction] {
        if search.filters.contains(filter) {
            return reasons.prefix(1).flatMap { search.answered($0, at: now) } + fill(at: now)
        }
        return reasons.filter { !$0.isSuccess }.prefix(1).map { .say(.subscriptionRefused($0)) }
    }

    /// Begins the search of unknown states below this gateway's root, after a new epoch.
    mutating func searchLeftovers(at now: BootInstant) -> [DeliveryAction] {
        search.begin()
        return fill(at: now)
    }

    /// Handles a message for the search's subscription.
    mutating func heardOwnTopic(_ message: IncomingMessage, at now: BootInstant) -> [DeliveryAction] {
        guard let topic = search.heard(message, isKnown: retained.keeps(message.topic), at: now) else { return [] }
        return setRetained(Message(topic: topic, payload: [], .retained), at: now)
    }

    /// Whether a QoS 0 message may go out now. It never waits: otherwise it is dropped and counted.
    mutating func admitsEphemeral(isBackedUp: Bool) -> Bool {
        guard case .connected = state else {
            counters.ephemeralDroppedOffline += 1
            return false
        }
        guard !isBackedUp else {
            counters.ephemeralDroppedBackedUp += 1
            return false
        }
        counters.ephemeralPublished += 1
        return true
    }

    /// Whether no message waits or is under way, as far as is known.
    var isDrained: Bool {
        hasNoFlights && retained.isEmpty && answers.isEmpty && outgoing.isEmpty && former.line.isEmpty
    }

    private var flightCount: Int { state.connection?.flights.count ?? 0 }
    private var hasNoFlights: Bool { flightCount == 0 }

    /// Sends as many messages as the window holds.
    mutating func fill(at now: BootInstant) -> [DeliveryAction] {
        var actions: [DeliveryAction] = []
        if !presentTopics.isEmpty, outgoing.isEmpty {
            for topic in presentTopics { retained.sayAgain(topic) }
            presentTopics = []
        }
        switch state {
        case .connected where isRenewalDue:
            return hasNoFlights ? renewConnection(at: now) : []
        case .connected(let connection):
            if now - connection.since >= parameters.stableAfter { suspicion.isStable() }
            let (window, keepsRetained) = (suspicion.isOneAtATime ? 1 : connection.window, connection.keepsRetained)
            while flightCount < window, let action = takeNext(at: now) { actions.append(action) }
            if let (after, limit) = outgoing.request(window: parameters.maxInflight) {
                actions.append(.fetch(after: after, limit: limit))
            }
            if let (after, limit) = former.line.request(window: parameters.maxInflight) {
                actions.append(.fetchOfFormerGateway(after: after, limit: limit))
            }
            if search.isDue, keepsRetained, hasNoFlights, retained.isEmpty {
                actions.append(search.listen(at: now))
            }
        case .closing(_, let connection):
            if connection.flights.count < connection.window, let status = retained.takeNext(at: now, onlyStatus: true) {
                actions.append(send(.retained(topic: status.topic), status, at: now))
            } else if retained.isStatusDelivered {
                state = .closed
                counters.isConnected = false
                actions.append(.disconnect)
            }
        case .idle, .waiting, .connecting, .closed: break
        }
        return actions
    }

    private mutating func takeNext(at now: BootInstant) -> DeliveryAction? {
        if let message = retained.takeNext(at: now, onlyStatus: false) {
            return send(.retained(topic: message.topic), message, at: now)
        }
        if let (number, message) = answers.takeNext() { return send(.answer(number: number), message, at: now) }
        // A former gateway's message goes alone, after all of this gateway's own.
        switch outgoing.takeNext(at: now) ?? (hasNoFlights ? former.line.takeNext(at: now) : nil) {
        case .message(let outgoing): return send(.durable(sequence: outgoing.sequence), outgoing.message, at: now)
        case .companion(let sequence, let index, let message):
            return send(.companion(of: sequence, index: index), message, at: now)
        case nil: return nil
        }
    }

    private mutating func send(_ ticket: Ticket, _ message: Message, at now: BootInstant) -> DeliveryAction {
        _ = state.withConnection { $0.flights.sent(ticket, at: now) }
        return .publish(ticket, message)
    }
}
