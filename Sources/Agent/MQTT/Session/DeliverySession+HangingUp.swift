import Core
import DequeModule

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

/// Finds the message because of which a broker ended the connection.
///
/// A single message under way is the cause if the broker says so, or if the broker accepted another message on this
/// connection: a broker that is shutting down accepts none. With several under way, messages go out one at a time from
/// now on, see `Suspicion`.
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

    /// The status goes out first, so there is no message to compare it with. Where an access list forbids a topic, the
    /// operator corrects the list, and the message is kept as after a refusal.
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

/// The answers on which the broker ended the connection. The requester chooses an answer's topic and length, and a
/// broker may have limits that it doesn't tell. Such requests must not keep a gateway from its broker.
///
/// A topic gets no more answers after two such ends, one of which may have been chance. After `mostStrikes` ends only
/// the usual topics get answers. If the broker accepts the short form of an answer but not its long form, the length
/// was at fault: answers of that length then go out in their short form. All of this is forgotten after an hour,
/// because brokers get repaired.
struct HangUps: Sendable {
    static let patience = TimeSpan.seconds(3_600)
    static let mostStrikes = 8

    private var strikes: Deque<(topic: String, at: BootInstant)> = []
    private var tooLong: (bytes: Int, at: BootInstant)?
    /// `{prefix}/{site}/{gateway}/response/`.
    private let responseRoot: String

    init(statusTopic: String) {
        responseRoot = statusTopic.dropLast("status".count) + "response/"
    }

    /// Whether answers to this topic are barred now.
    mutating func bars(_ topic: String, at now: BootInstant) -> Bool {
        forget(at: now)
        let own = strikes.count { $0.topic == topic }
        return own > 1 || (strikes.count >= Self.mostStrikes && !isUsual(topic))
    }

    /// Whether the broker has ended connections on answers of that length.
    mutating func isTooLong(_ bytes: Int, at now: BootInstant) -> Bool {
        forget(at: now)
        return tooLong.map { bytes >= $0.bytes } ?? false
    }

    /// Notes that the broker ended a connection on an answer to this topic. Returns whether that is news.
    mutating func strike(_ topic: String, at now: BootInstant) -> Bool {
        forget(at: now)
        let isNew = !strikes.contains { $0.topic == topic }
        if strikes.count >= 2 * Self.mostStrikes { strikes.removeFirst() }
        strikes.append((topic, now))
        return isNew
    }

    /// Notes that the broker accepted an answer to this topic.
    ///
    /// - Parameter bytes: the length of the long form that it replaced.
    mutating func accepted(_ topic: String, insteadOf_bytes bytes: Int?, at now: BootInstant) {
        strikes.removeAll { $0.topic == topic }
        if let bytes { tooLong = (min(bytes, tooLong?.bytes ?? bytes), now) }
    }

    private mutating func forget(at now: BootInstant) {
        while let first = strikes.first, now - first.at >= Self.patience { strikes.removeFirst() }
        if let tooLong, now - tooLong.at >= Self.patience { self.tooLong = nil }
    }

    /// Whether a topic is one of the usual ones, for requests that name no response topic.
    private func isUsual(_ topic: String) -> Bool {
        topic.utf8.starts(with: responseRoot.utf8)
            && !topic.utf8.dropFirst(responseRoot.utf8.count).contains(UInt8(ascii: "/"))
    }
}

/// The messages that may make the broker end connections. A suspect goes out alone, so that the next end identifies it.
struct Suspicion: Sendable {
    /// Messages under way when the broker blamed one and ended the connection. One of them is at fault, until all are
    /// settled.
    private(set) var suspects: Set<Ticket> = []
    /// The number of connections that each suspect ended alone.
    private var provenFaults: [Ticket: Int] = [:]
    /// Whether an answer was among several messages when the broker ended the connection. Then messages go out one at a
    /// time until a connection is stable.
    private var answersGoAlone = false
    /// The number of connections in a row that ended without a reason soon after a message.
    private var silentEnds = 0

    /// Whether messages go out one at a time.
    var isOneAtATime: Bool { !suspects.isEmpty || answersGoAlone }

    /// Notes that the connection has lasted so long that no answer can have ended it.
    mutating func isStable() { answersGoAlone = false }

    /// Notes that a long connection has ended: earlier ends tell nothing about the next one.
    mutating func wasStable() { silentEnds = 0 }

    /// Notes that the broker ended the connection. A silent end may be chance, so only the second in a row counts.
    mutating func note(_ hangUp: HangUp, on flights: Flights) {
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

    /// Notes that a message was alone on a connection that ended because of it.
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
