import Core
import DequeModule

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

/// The answers on which the broker hung up. Topic and length of an answer are its requester's choice, and a broker may have
/// limits that it doesn't tell: such requests shall not keep a gateway from its broker.
///
/// A topic gets no more answers after two hang-ups, one of which may have been chance, and after `mostStrikes` none but the
/// usual topics do. Where the short form of an answer is accepted after its long form was not, the length was at fault: from
/// then on answers of that length go out in their short form. All of it is forgotten after an hour: brokers are mended.
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

    /// Whether no answer goes there now.
    mutating func bars(_ topic: String, at now: BootInstant) -> Bool {
        forget(at: now)
        let own = strikes.count { $0.topic == topic }
        return own > 1 || (strikes.count >= Self.mostStrikes && !isUsual(topic))
    }

    /// Whether the broker has hung up on answers of that length.
    mutating func isTooLong(_ bytes: Int, at now: BootInstant) -> Bool {
        forget(at: now)
        return tooLong.map { bytes >= $0.bytes } ?? false
    }

    /// The broker hung up on an answer to this topic. Returns whether that is news.
    mutating func strike(_ topic: String, at now: BootInstant) -> Bool {
        forget(at: now)
        let isNew = !strikes.contains { $0.topic == topic }
        if strikes.count >= 2 * Self.mostStrikes { strikes.removeFirst() }
        strikes.append((topic, now))
        return isNew
    }

    /// The broker took an answer to this topic.
    ///
    /// - Parameter bytes: the length of the one in whose place it went.
    mutating func accepted(_ topic: String, insteadOf_bytes bytes: Int?, at now: BootInstant) {
        strikes.removeAll { $0.topic == topic }
        if let bytes { tooLong = (min(bytes, tooLong?.bytes ?? bytes), now) }
    }

    private mutating func forget(at now: BootInstant) {
        while let first = strikes.first, now - first.at >= Self.patience { strikes.removeFirst() }
        if let tooLong, now - tooLong.at >= Self.patience { self.tooLong = nil }
    }

    /// One of those where answers go that nobody wants elsewhere.
    private func isUsual(_ topic: String) -> Bool {
        topic.utf8.starts(with: responseRoot.utf8)
            && !topic.utf8.dropFirst(responseRoot.utf8.count).contains(UInt8(ascii: "/"))
    }
}

/// Which of our messages may make the broker hang up. What is suspected goes out alone, so that the next time it is plain which one
/// it was.
struct Suspicion: Sendable {
    /// What was under way when the broker blamed a message and hung up: one of these is at fault, until they are all settled.
    private(set) var suspects: Set<Ticket> = []
    /// How often each suspect ended a connection alone.
    private var provenFaults: [Ticket: Int] = [:]
    /// An answer was among several messages on which a broker hung up: one at a time goes out until a connection stands.
    private var answersGoAlone = false
    /// So many connections in a row ended without a word soon after something was published.
    private var silentEnds = 0

    /// Whether messages go out one at a time.
    var isOneAtATime: Bool { !suspects.isEmpty || answersGoAlone }

    /// The connection stands for long enough that no answer has ended it.
    mutating func isStable() { answersGoAlone = false }

    /// A connection that stood for long has ended: what came before says nothing of the next end.
    mutating func wasStable() { silentEnds = 0 }

    /// The broker hung up. A silent end may be chance, so that only a second one in a row makes it careful.
    mutating func note(_ hangUp: HangUp, on flights: Flights) {
        silentEnds = hangUp == .silent ? silentEnds + 1 : 0
        guard hangUp != .silent || silentEnds > 1 else { return }
        for ticket in flights.all {
            // An answer is not sent again: the next one goes alone.
            if case .answer = ticket {
                answersGoAlone = flights.count > 1 || answersGoAlone
            } else {
                suspects.insert(ticket)
            }
        }
    }

    /// It was alone on a connection that ended because of it.
    ///
    /// - Returns: how often that has been so.
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
