import Core

/// The QoS 1 messages that wait or are under way, and what the broker's answers mean for them.
///
/// The status goes first, then every retained state, then answers to requests, then the durable messages in order. A
/// former gateway's message goes alone, after all of this gateway's own.
struct WaitingMessages: Sendable {
    /// The limits of patience with a broker.
    private let parameters: DeliverySession.Parameters
    private var retained: RetainedStates
    private var answers: AnswerLine
    private var outgoing: OutgoingLine
    private var former: FormerGateway
    private(set) var suspicion = Suspicion()
    /// Retained topics to publish again once no event waits.
    private var presentTopics: Set<String> = []
    private var loggedEventRefusals = LogOnce<ReasonCode>()
    private var loggedRetainedRefusals = LogOnce<ReasonCode>()
    /// True if it was logged that events wait for a subscriber.
    private var hasSaidHold = false
    /// Topics of companions that the broker refuses, as far as that was logged.
    private var refusedCompanionTopics: Set<String> = []

    /// - Parameter online: the birth message; its topic is the status topic.
    init(online: Message, _ parameters: DeliverySession.Parameters, seed: UInt64) {
        self.parameters = parameters
        retained = RetainedStates(status: online, maxTopics: parameters.maxRetainedTopics, seed: seed)
        outgoing = OutgoingLine(seed: seed &+ 1)
        answers = AnswerLine(statusTopic: online.topic)
        former = FormerGateway(statusTopic: online.topic, seed: seed &+ 3)
    }

    // MARK: Questions

    /// True if no message waits, as far as is known. Retained topics and answers under way are not counted.
    var isEmpty: Bool { retained.isEmpty && answers.isEmpty && outgoing.isEmpty && former.line.isEmpty }

    /// True if no retained topic waits to be sent.
    var hasAllStatesSent: Bool { retained.isEmpty }

    /// True if messages go out one at a time, because the broker ended a connection on one of several.
    var isOneAtATime: Bool { suspicion.isOneAtATime }

    var isStatusDelivered: Bool { retained.isStatusDelivered }

    /// Returns whether a retained topic has a message to send, now or on the next connection.
    func keeps(_ topic: String) -> Bool { retained.keeps(topic) }

    /// The time at which a retained topic that was refused goes out again.
    var retainedRetryAt: BootInstant { retained.retryAt ?? .distantFuture }

    /// The time at which a message that was refused goes out again.
    var retryAt: BootInstant {
        [outgoing.retryAt, former.line.retryAt].compactMap(\.self).reduce(retainedRetryAt, min)
    }

    // MARK: Messages that come

    /// Sets the latest retained message of a topic. Returns `false` where there are too many topics for a new one.
    mutating func setRetained(_ message: Message) -> Bool { retained.set(message) }

    mutating func removeRetained(_ topic: String) { retained.remove(topic) }

    /// Adds an answer. Returns `false` where it is dropped.
    mutating func append(answer: Message, at now: BootInstant) -> Bool { answers.append(answer, at: now) }

    /// The outbox has new messages.
    mutating func outgoingAvailable() { outgoing.outgoingAvailable() }

    /// The outbox has messages of a former gateway.
    mutating func formerEventsAvailable() { former.line.outgoingAvailable() }

    /// Handles the answer to `fetch`.
    mutating func supply(_ supplied: [OutgoingMessage]) { outgoing.supply(supplied) }

    /// Handles the answer to `fetchOfFormerGateway`.
    mutating func supplyFormer(_ supplied: [OutgoingMessage]) { former.line.supply(supplied) }

    // MARK: Sending

    /// Publishes the present states again, once no event waits.
    mutating func publishPresentStatesAgain() {
        guard !presentTopics.isEmpty, outgoing.isEmpty else { return }
        for topic in presentTopics { retained.publishAgain(topic) }
        presentTopics = []
    }

    /// The message to send now, which is then under way.
    ///
    /// - Parameter isAlone: whether no other message is under way.
    mutating func takeNext(at now: BootInstant, isAlone: Bool) -> (Ticket, Message)? {
        if let message = retained.takeNext(at: now, onlyStatus: false) {
            return (.retained(topic: message.topic), message)
        }
        if let (number, message) = answers.takeNext() { return (.answer(number: number), message) }
        switch outgoing.takeNext(at: now) ?? (isAlone ? former.line.takeNext(at: now) : nil) {
        case .message(let outgoing): return (.durable(sequence: outgoing.sequence), outgoing.message)
        case .companion(let sequence, let index, let message):
            return (.companion(of: sequence, index: index), message)
        case nil: return nil
        }
    }

    /// The status, where it waits; it is under way then.
    mutating func takeStatus(at now: BootInstant) -> (Ticket, Message)? {
        retained.takeNext(at: now, onlyStatus: true).map { (.retained(topic: $0.topic), $0) }
    }

    /// The requests to the source for more messages.
    mutating func requests(window: Int) -> [DeliveryAction] {
        let own = outgoing.request(window: window).map(DeliveryAction.fetch)
        let theirs = former.line.request(window: window).map(DeliveryAction.fetchOfFormerGateway)
        return [own, theirs].compactMap(\.self)
    }

    // MARK: The broker's answers

    /// The broker has accepted it: only now may an event leave the outbox.
    mutating func settle(_ ticket: Ticket, at now: BootInstant) -> [DeliveryAction] {
        suspicion.acquit(ticket)
        switch ticket {
        case .retained(let topic):
            if retained.delivered(topic) { loggedRetainedRefusals.reset() }
            return retained.keeps(topic) ? [] : [.cleared(topic: topic)]
        case .answer(let number):
            answers.settle(number, at: now)
            return []
        case .durable(let sequence):
            if former.settle(sequence) { return [.acknowledge(sequence: sequence)] }
            if let topic = outgoing.present(after: sequence) { presentTopics.insert(topic) }
            guard let hadBeenRefused = outgoing.remove(sequence) else { return [] }
            if hadBeenRefused { loggedEventRefusals.reset() }
            hasSaidHold = false
            return [.acknowledge(sequence: sequence)]
        case .companion(let sequence, let index):
            if let topic = outgoing.topic(ofCompanion: index, of: sequence) { refusedCompanionTopics.remove(topic) }
            return []
        }
    }

    /// The broker accepted it, but no subscriber matches its topic: a later subscriber would not get it.
    ///
    /// An event is sent again for `undelivered_hold_s`. The events behind it wait, so that they keep their order.
    /// Returns `nil` where it counts as delivered.
    mutating func hold(_ sequence: UInt64, at now: BootInstant) -> [DeliveryAction]? {
        let span = parameters.undeliveredHold
        guard span > .zero, let topic = outgoing.hold(sequence, for: span, at: now) else { return nil }
        suspicion.acquit(.durable(sequence: sequence))
        if hasSaidHold { return [] }
        hasSaidHold = true
        return [.log(.eventUnmatched(topic: topic, hold_s: Int(span.seconds)))]
    }

    /// The broker refused it. It is kept and tried again, unless its content is at fault and it was tried often enough.
    mutating func refuse(
        _ ticket: Ticket, _ reason: ReasonCode, _ counters: inout DeliveryCounters, at now: BootInstant
    ) -> [DeliveryAction] {
        counters.refused[reason, default: 0] += 1
        switch ticket {
        case .retained(let topic):
            let refusals = retained.refuse(topic, at: now)
            if former.owns(topic), retained.clears(topic) {
                return refuseFormer(ticket, topic, refusals, reason, &counters)
            }
            if reason.blamesMessage, refusals >= parameters.maxRefusals {
                return giveUp(ticket, topic: topic, reason, &counters)
            }
            return loggedRetainedRefusals.isNew(reason) ? [.log(.retainedRefused(topic: topic, reason))] : []
        case .answer(let number):
            // The requester chose the response topic, so only the requester can correct it.
            if answers.refuse(number, reason) { counters.answersDropped += 1 }
            return []
        case .durable(let sequence):
            if let (event, refusals) = former.line.refuse(sequence, at: now) {
                return refuseFormer(ticket, event.message.topic, refusals, reason, &counters)
            }
            guard let (event, refusals) = outgoing.refuse(sequence, at: now) else { return [] }
            if reason.blamesMessage || event.message.delivery.isOptional, refusals >= parameters.maxRefusals {
                return giveUp(ticket, topic: event.message.topic, reason, &counters)
            }
            return loggedEventRefusals.isNew(reason) ? [.log(.eventRefused(topic: event.message.topic, reason))] : []
        case .companion(let sequence, let index):
            guard let topic = outgoing.topic(ofCompanion: index, of: sequence),
                refusedCompanionTopics.insert(topic).inserted
            else { return [] }
            return [.log(.companionRefused(topic: topic, reason))]
        }
    }

    /// Handles a refusal of a former gateway's message. After enough refusals, for any reason, the message is given up,
    /// since waiting will not help. From then on one refusal is enough, until the broker accepts such a message.
    private mutating func refuseFormer(
        _ ticket: Ticket, _ topic: String, _ refusals: Int, _ reason: ReasonCode, _ counters: inout DeliveryCounters
    ) -> [DeliveryAction] {
        let isNew = former.loggedRefusals.isNew(reason)
        let notices: [DeliveryAction] = isNew ? [.log(.formerRefused(topic: topic, reason))] : []
        guard refusals >= parameters.maxRefusals || former.isRefusedForGood else { return notices }
        former.isRefusedForGood = true
        return notices + giveUp(ticket, topic: topic, reason, &counters)
    }

    private mutating func giveUp(
        _ ticket: Ticket, topic: String, _ reason: ReasonCode, _ counters: inout DeliveryCounters
    ) -> [DeliveryAction] {
        suspicion.acquit(ticket)
        switch ticket {
        case .retained(let topic):
            let isFormer = former.owns(topic) && retained.clears(topic)
            retained.giveUp(topic)
            return isFormer ? [] : [.log(.retainedGivenUp(topic: topic, reason))]
        case .answer: return []
        case .companion:
            outgoing.barCompanions()
            return [.log(.companionsBarred(topic: topic, reason))]
        case .durable(let sequence):
            if former.giveUp(sequence) { return [.giveUp(sequence: sequence)] }
            _ = outgoing.remove(sequence)
            counters.parked += 1
            return [.park(sequence: sequence), .log(.eventParked(sequence: sequence, topic: topic, reason))]
        }
    }

    // MARK: The end of a connection

    /// Finds the message because of which the broker ended the connection.
    ///
    /// A single message under way is the cause if the broker says so, or if the broker accepted another message on this
    /// connection: a broker that is shutting down accepts none. With several under way, messages go out one at a time
    /// from now on, see `Suspicion`.
    ///
    /// - Parameter connection: the connection that ended; `nil` where the broker accepted no login.
    mutating func blame(
        _ failure: ConnectionFailure, on connection: LiveConnection?, _ counters: inout DeliveryCounters,
        at now: BootInstant
    ) -> [DeliveryAction] {
        guard let hangUp = HangUp(failure) else { return [] }
        let flights = connection?.flights ?? Flights()
        let isFresh = flights.newest.map { now - $0 <= parameters.hangUpAfter } ?? false
        guard hangUp.isCertain || isFresh else { return [] }
        suspicion.record(hangUp, on: flights)
        let hasAccepted = connection?.hasAccepted ?? false
        guard flights.count == 1, let ticket = flights.all.first, hangUp.isCertain || hasAccepted else { return [] }
        if let reason = hangUp.reason { counters.refused[reason, default: 0] += 1 }
        if case .answer(let number) = ticket {
            counters.answersDropped += 1
            return answers.hungUp(on: number, at: now).map { [.log(.answerHungUpOn(topic: $0, failure))] } ?? []
        }
        guard hangUp.isCertain || mayBeAtFault(ticket, hangUp.reason) else { return [] }
        guard suspicion.prove(ticket) >= parameters.maxRefusals else { return [] }
        guard case .blamed(let reason) = hangUp else { return giveUp(ticket, on: failure, hangUp.reason, &counters) }
        return giveUp(ticket, topic: topic(of: ticket), reason, &counters)
    }

    /// The status goes out first, so there is no message to compare it with. Where an access list forbids a topic, the
    /// operator corrects the list, and the message is kept as after a refusal.
    private func mayBeAtFault(_ ticket: Ticket, _ reason: ReasonCode?) -> Bool {
        let topic = topic(of: ticket)
        return topic != retained.statusTopic && (reason != .notAuthorized || former.owns(topic))
    }

    private mutating func giveUp(
        _ ticket: Ticket, on failure: ConnectionFailure, _ reason: ReasonCode?, _ counters: inout DeliveryCounters
    ) -> [DeliveryAction] {
        let topic = topic(of: ticket)
        return giveUp(ticket, topic: topic, reason ?? .unspecifiedError, &counters).map { action in
            switch action {
            case .log(.eventParked(let sequence, _, _)): .log(.eventHungUpOn(sequence: sequence, topic: topic, failure))
            case .log(.retainedGivenUp): .log(.retainedHungUpOn(topic: topic, failure))
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

    /// The connection is gone. Messages under way go out again on the next one, except answers.
    ///
    /// - Returns: the number of answers that were dropped.
    mutating func connectionLost() -> Int {
        retained.connectionLost()
        outgoing.connectionLost()
        former.line.connectionLost()
        return answers.connectionLost()
    }

    /// Records that the connection has lasted so long that no answer can have ended it.
    mutating func connectionIsStable() { suspicion.isStable() }

    /// Records that a long connection has ended: earlier ends tell nothing about the next one.
    mutating func connectionWasStable() { suspicion.wasStable() }

    // MARK: Invariants

    /// The broken rules among those that hold between two calls, a sentence for each.
    ///
    /// - Parameter flights: the messages under way on the connection.
    func checkInvariants(_ flights: Flights) -> [String] {
        let underWay =
            retained.underWay.map { Ticket.retained(topic: $0) } + answers.underWayNumbers.map { .answer(number: $0) }
            + (outgoing.underWay + former.line.underWay).map { .durable(sequence: $0) }
        let sent = Set(flights.all)
        return underWay.filter { !sent.contains($0) }.map { "\($0) is under way on no connection" }
            + retained.checkInvariants()
    }
}

/// The messages that may make the broker end connections. A suspect goes out alone, so that the next end identifies it.
struct Suspicion: Sendable {
    /// Messages under way when the broker blamed one and ended the connection. One of them is at fault, until all are
    /// settled.
    private(set) var suspects: Set<Ticket> = []
    /// The number of connections that each suspect ended alone.
    private var provenFaults: [Ticket: Int] = [:]
    /// True if an answer was among several messages when the broker ended the connection. Then messages go out one at a
    /// time until a connection is stable.
    private var answersGoAlone = false
    /// The number of connections in a row that ended without a reason soon after a message.
    private var silentEnds = 0

    /// True if messages go out one at a time.
    var isOneAtATime: Bool { !suspects.isEmpty || answersGoAlone }

    /// Records that the connection has lasted so long that no answer can have ended it.
    mutating func isStable() { answersGoAlone = false }

    /// Records that a long connection has ended: earlier ends tell nothing about the next one.
    mutating func wasStable() { silentEnds = 0 }

    /// Records that the broker ended the connection. A silent end may be chance, so only the second in a row counts.
    mutating func record(_ hangUp: HangUp, on flights: Flights) {
        silentEnds = hangUp == .silent ? silentEnds + 1 : 0
        guard hangUp != .silent || silentEnds > 1 else { return }
        for ticket in flights.all {
            // An answer is not sent again; the next one goes alone.
            if case .answer = ticket {
                answersGoAlone = flights.count > 1 || answersGoAlone
            } else {
                suspects.insert(ticket)
            }
        }
    }

    /// Records that a message was alone on a connection that ended because of it.
    ///
    /// - Returns: the number of such ends.
    mutating func prove(_ ticket: Ticket) -> Int {
        provenFaults[ticket, default: 0] += 1
        return provenFaults[ticket, default: 0]
    }

    mutating func acquit(_ ticket: Ticket) {
        if suspects.isEmpty, provenFaults.isEmpty { return }
        suspects.remove(ticket)
        provenFaults[ticket] = nil
    }
}

/// The degree of certainty that a connection ended because of a published message.
enum HangUp: Equatable, Sendable {
    /// The broker names the message as the cause.
    case blamed(ReasonCode)
    /// The broker gives a reason that may well be the message's.
    case suspected(ReasonCode)
    /// The broker gives no reason: MQTT 3.1.1 has none, and some brokers just close.
    case silent

    /// `nil` for an end that no message can cause.
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

/// Unsent messages of this machine's previous site and gateway id: events under its topics, and retained topics of its
/// own to clear. The broker may refuse all of them, so none of this gateway's messages waits for them.
private struct FormerGateway: Sendable {
    /// `{prefix}/{site}/{gateway}/` of the present gateway.
    private let ownRoot: String
    var line: OutgoingLine
    /// True if the broker refuses the former gateway's messages, as far as was tried.
    var isRefusedForGood = false
    var loggedRefusals = LogOnce<ReasonCode>()

    /// - Parameter statusTopic: the present gateway's.
    init(statusTopic: String, seed: UInt64) {
        ownRoot = String(statusTopic.dropLast("status".count))
        line = OutgoingLine(seed: seed, isExhausted: true)
    }

    /// Returns whether a topic is not one of the present gateway's.
    func owns(_ topic: String) -> Bool { !topic.utf8.starts(with: ownRoot.utf8) }

    /// Removes an accepted message. Returns whether it was a former gateway's.
    mutating func settle(_ sequence: UInt64) -> Bool {
        guard line.remove(sequence) != nil else { return false }
        isRefusedForGood = false
        loggedRefusals.reset()
        return true
    }

    /// Removes a message that is not sent again. Returns whether it was a former gateway's.
    mutating func giveUp(_ sequence: UInt64) -> Bool {
        guard line.topic(of: sequence) != nil else { return false }
        line.giveUp(sequence)
        return true
    }
}
