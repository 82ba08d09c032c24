import Core

/// Everything that delivery decides, without a socket: when to connect, what to send next, what a PUBACK means.
///
/// Each verb is one thing that happened; what it returns is to be done, in order. Everything that the session sends
/// itself is QoS 1, and at most a window of it is under way: `[mqtt] max_inflight` or what the broker allows, whichever
/// is less. On every new connection the status goes first, then every retained state, then the events in order. A state
/// that changes goes ahead of events that still wait: a backlog, or an event that is refused, holds up no state. Answers to
/// requests go after the states that the request changed.
///
/// The broker is asked for a clean session: events wait in our own outbox and states are sent again anyway, so a
/// session kept by the broker would only deliver some of them twice.
struct DeliverySession: Sendable {
    struct Parameters: Sendable {
        /// The broker, as `[mqtt] url` names it.
        var host: String
        var port: UInt16
        /// `[mqtt] max_inflight`.
        var maxInflight: Int
        /// From the first attempt to resolve the host to the CONNACK.
        var connectTimeout = TimeSpan.seconds(15)
        /// A PUBACK later than this means that the connection is dead, whatever TCP believes.
        var acknowledgementTimeout = TimeSpan.seconds(30)
        /// `[mqtt] keepalive_s`; a broker may name another.
        var keepalive_s = 30
        /// A connection that stood this long was a good one: the next failure starts from the shortest pause.
        var stableAfter = TimeSpan.seconds(30)
        /// A broker that hangs up on a message does so within this time.
        var hangUpAfter = TimeSpan.seconds(5)
        /// How long to stay away once another client has taken our identifier: a fight would serve neither.
        var takenOverPause = TimeSpan.seconds(300)
        /// After so many refusals that blame the message, it is set aside.
        var maxRefusals = 5
        /// How long an event is kept that no subscriber matches; zero: it counts as delivered.
        var undeliveredHold = TimeSpan.zero
        /// Status, health, one for each region instance, and as many again that an earlier configuration left to be cleared:
        /// a backstop, above the most that `[regions] max_instances` can be.
        var maxRetainedTopics = 2 + 2 * 262_144
    }

    enum State: Equatable, Sendable {
        case idle
        case waiting(until: BootInstant)
        case connecting(until: BootInstant)
        case connected(LiveConnection)
        /// The offline status is on its way; nothing new is sent besides.
        case closing(until: BootInstant, LiveConnection)
        case closed

        /// The connection that stands, if one does.
        var connection: LiveConnection? {
            switch self {
            case .connected(let connection), .closing(_, let connection): connection
            case .idle, .waiting, .connecting, .closed: nil
            }
        }

        /// Changes the connection that stands. It is taken out meanwhile, so that nothing of it is copied.
        mutating func withConnection<Result>(_ body: (inout LiveConnection) -> Result) -> Result? {
            switch self {
            case .connected(var connection):
                self = .idle
                defer { self = .connected(connection) }
                return body(&connection)
            case .closing(let deadline, var connection):
                self = .idle
                defer { self = .closing(until: deadline, connection) }
                return body(&connection)
            case .idle, .waiting, .connecting, .closed: return nil
            }
        }
    }

    let parameters: Parameters
    let filters: [String]
    var state = State.idle
    private var attempts: ConnectionAttempts
    var suspicion = Suspicion()
    var retained: RetainedStates
    var answers: AnswerLine
    package var outgoing: OutgoingLine
    var former: FormerGateway
    var search: LeftoverSearch
    var saidEventRefusals = SaidOnce<ReasonCode>()
    /// Whether it was said that events wait for a subscriber.
    var hasSaidHold = false
    /// Topics of companions that the broker refuses, of which that was said.
    var refusedCompanionTopics: Set<String> = []
    /// Retained topics that are said again once no event waits.
    var presentTopics: Set<String> = []
    var saidRetainedRefusals = SaidOnce<ReasonCode>()
    var counters = DeliveryCounters()

    /// `online` is the birth message; its topic is the status topic, which the will shares.
    init(online: Message, filters: [String] = [], parameters: Parameters, seed: UInt64) {
        self.parameters = parameters
        self.filters = filters
        retained = RetainedStates(status: online, maxTopics: parameters.maxRetainedTopics, seed: seed)
        outgoing = OutgoingLine(seed: seed &+ 1)
        attempts = ConnectionAttempts(seed: seed &+ 2)
        answers = AnswerLine(statusTopic: online.topic)
        search = LeftoverSearch(statusTopic: online.topic)
        former = FormerGateway(statusTopic: online.topic, seed: seed &+ 3)
    }

    mutating func start(at now: BootInstant) -> [DeliveryAction] {
        guard state == .idle else { return [] }
        return connect(at: now)
    }

    /// The broker's CONNACK accepted us.
    mutating func connected(_ broker: BrokerLimits, at now: BootInstant) -> [DeliveryAction] {
        guard case .connecting = state else { return [] }
        state = .connected(
            LiveConnection(
                broker, maxInflight: parameters.maxInflight, keepalive_s: parameters.keepalive_s, at: now))
        let (isAgain, isNews) = attempts.succeeded()
        if isAgain { counters.reconnects += 1 }
        counters.isConnected = true
        outgoing.outgoingAvailable()
        var actions: [DeliveryAction] = isNews ? [.say(.connected(broker))] : []
        if !filters.isEmpty { actions.append(.subscribe(filters: filters)) }
        return actions + fill(at: now)
    }

    /// The broker sent something, whatever it was.
    mutating func heard(at now: BootInstant) { _ = state.withConnection { $0.heard(at: now) } }

    /// An attempt failed or a connection ended; the socket is closed already.
    mutating func connectionLost(_ failure: ConnectionFailure, at now: BootInstant) -> [DeliveryAction] {
        let failure = attempts.toldCause(of: failure)
        switch state {
        case .idle, .waiting, .closed: return []
        case .closing:
            forgetConnection()
            state = .closed
            return []
        case .connecting:
            if attempts.dropsRetainedWill(after: failure) { return connect(at: now) }
        case .connected(let connection):
            if now - connection.since >= parameters.stableAfter {
                attempts.wasStable()
                suspicion.wasStable()
            }
        }
        counters.lastFailure = failure
        var actions: [DeliveryAction] = []
        if attempts.failed(failure) { actions.append(.say(.connectionFailed(failure))) }
        actions += blame(failure, at: now)
        forgetConnection()
        state = .waiting(until: now + attempts.pause(after: failure, takenOver: parameters.takenOverPause))
        return actions
    }

    /// Time has passed; call it whenever `nextWake` is reached.
    mutating func tick(at now: BootInstant) -> [DeliveryAction] {
        switch state {
        case .waiting(let until) where now >= until:
            return connect(at: now)
        case .connecting(let until) where now >= until:
            return [.drop] + connectionLost(.connectTimedOut(host: parameters.host, port: parameters.port), at: now)
        case .connected(let connection):
            if let overdue = acknowledgementDue(on: connection), now >= overdue {
                return [.drop] + connectionLost(.acknowledgementOverdue, at: now)
            }
            if now >= connection.silenceDue { return [.drop] + connectionLost(.keepaliveExpired, at: now) }
            if let due = search.dueAt, now >= due { return search.end() + fill(at: now) }
            return fill(at: now)
        case .closing(let until, _) where now >= until:
            // Without a DISCONNECT the broker publishes the will, which says the same.
            forgetConnection()
            state = .closed
            return [.drop]
        case .closing: return fill(at: now)
        case .idle, .waiting, .connecting, .closed: return []
        }
    }

    /// Ends delivery: `offline` replaces the status and goes out before everything that waits; its PUBACK closes.
    mutating func close(offline: Message, until deadline: BootInstant, at now: BootInstant) -> [DeliveryAction] {
        switch state {
        case .connected(let connection):
            state = .closing(until: deadline, connection)
            _ = retained.set(offline)
            return fill(at: now)
        case .connecting:
            state = .closed
            return [.drop]
        case .idle, .waiting:
            state = .closed
            return []
        case .closing, .closed: return []
        }
    }

    /// When `tick` is due, if nothing happens before.
    var nextWake: BootInstant {
        switch state {
        case .idle, .closed: .distantFuture
        case .waiting(let until), .connecting(let until): until
        case .connected(let connection):
            [acknowledgementDue(on: connection), retained.retryAt, outgoing.retryAt, former.line.retryAt, search.dueAt]
                .compactMap(\.self).reduce(connection.silenceDue, min)
        case .closing(let until, _): min(until, retained.retryAt ?? .distantFuture)
        }
    }

    /// Whether the will of the next attempt is retained.
    var isWillRetained: Bool { attempts.isWillRetained }

    private func acknowledgementDue(on connection: LiveConnection) -> BootInstant? {
        connection.flights.oldest.map { $0 + parameters.acknowledgementTimeout }
    }

    private mutating func connect(at now: BootInstant) -> [DeliveryAction] {
        state = .connecting(until: now + parameters.connectTimeout)
        return [.connect]
    }

    /// What was under way goes out again on the next connection. The caller leaves the state that has the connection.
    private mutating func forgetConnection() {
        counters.isConnected = false
        retained.connectionLost()
        counters.answersDropped += answers.connectionLost()
        outgoing.connectionLost()
        former.line.connectionLost()
        search.connectionLost()
    }
}
