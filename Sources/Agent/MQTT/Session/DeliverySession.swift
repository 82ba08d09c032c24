import Core

/// All decisions of delivery, without a socket: when to connect, what to send next, what a PUBACK means.
///
/// Each verb is one event; it returns the actions to carry out, in order. Every message of the session itself is QoS 1.
/// At most a window of them is under way: `[mqtt] max_inflight`, or the broker's limit if that is less.
///
/// On every new connection the status goes first, then every retained state, then the events in order. A changed state
/// overtakes waiting events, so that neither a backlog nor a refused event holds it up. Answers to requests go after
/// the states that the request changed.
///
/// The session asks the broker for a clean start. Events wait in the agent's outbox and states are sent again anyway,
/// so a persistent session at the broker would only deliver some of them twice.
struct DeliverySession: Sendable {
    struct Parameters: Sendable {
        /// The broker's host, as in `[mqtt] url`.
        var host: String
        var port: UInt16
        /// `[mqtt] max_inflight`.
        var maxInflight: Int
        /// The limit from the first attempt to resolve the host to the CONNACK.
        var connectTimeout = TimeSpan.seconds(15)
        /// The limit for a PUBACK. Beyond it the connection is dead, whatever TCP reports.
        var acknowledgementTimeout = TimeSpan.seconds(30)
        /// `[mqtt] keepalive_s`; a broker may name another.
        var keepalive_s = 30
        /// The length of a good connection, after which the pauses begin again with the shortest.
        var stableAfter = TimeSpan.seconds(30)
        /// The time within which a broker ends the connection because of a message.
        var hangUpAfter = TimeSpan.seconds(5)
        /// The pause after another client has taken over the client identifier: a fight would help neither.
        var takenOverPause = TimeSpan.seconds(300)
        /// The number of refusals that blame the message after which it is set aside.
        var maxRefusals = 5
        /// The time for which an event without a matching subscriber is kept; zero: it counts as delivered.
        var undeliveredHold = TimeSpan.zero
        /// The most retained topics: status, health, one for each region instance, and as many again of an earlier
        /// configuration to clear. This is a backstop above the maximum of `[regions] max_instances`.
        var maxRetainedTopics = 2 + 2 * 262_144
    }

    enum State: Equatable, Sendable {
        case idle
        case waiting(until: BootInstant)
        case connecting(until: BootInstant)
        case connected(LiveConnection)
        /// The offline status is under way; no other message is sent.
        case closing(until: BootInstant, LiveConnection)
        case closed

        /// The established connection, if there is one.
        var connection: LiveConnection? {
            switch self {
            case .connected(let connection), .closing(_, let connection): connection
            case .idle, .waiting, .connecting, .closed: nil
            }
        }

        /// Changes the established connection. It is taken out of the enum meanwhile, so that none of it is copied.
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
    var outgoing: OutgoingLine
    var former: FormerGateway
    var search: LeftoverSearch
    /// A renewal of the connection is due: it ends once no message is under way, and the next one uses the new certificate.
    var isRenewalDue = false
    var saidEventRefusals = SaidOnce<ReasonCode>()
    /// Whether it was logged that events wait for a subscriber.
    var hasSaidHold = false
    /// Topics of companions that the broker refuses, as far as that was logged.
    var refusedCompanionTopics: Set<String> = []
    /// Retained topics to publish again once no event waits.
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

    /// The broker's CONNACK accepted the login.
    mutating func connected(_ broker: BrokerLimits, at now: BootInstant) -> [DeliveryAction] {
        guard case .connecting = state else { return [] }
        state = .connected(
            LiveConnection(
                broker, maxInflight: parameters.maxInflight, keepalive_s: parameters.keepalive_s, at: now))
        let (isAgain, isNews) = attempts.succeeded()
        if isAgain { counters.reconnects += 1 }
        counters.isConnected = true
        isRenewalDue = false
        outgoing.outgoingAvailable()
        var actions: [DeliveryAction] = isNews ? [.say(.connected(broker))] : []
        if !filters.isEmpty { actions.append(.subscribe(filters: filters)) }
        return actions + fill(at: now)
    }

    /// The broker sent any packet.
    mutating func heard(at now: BootInstant) { _ = state.withConnection { $0.heard(at: now) } }

    /// The certificate, its key or the list of authorities has changed, and each connection reads them anew. Nothing more
    /// is sent on this one, and it ends with the last PUBACK: then no message goes out twice.
    mutating func certificateChanged(at now: BootInstant) -> [DeliveryAction] {
        guard case .connected = state, !isRenewalDue else { return [] }
        isRenewalDue = true
        return [.say(.certificateChanged)] + fill(at: now)
    }

    /// Connects anew, without a pause. There is no DISCONNECT, because the broker would then go on to show this gateway
    /// as online if it refused the new certificate.
    mutating func renewConnection(at now: BootInstant) -> [DeliveryAction] {
        forgetConnection()
        return [.drop] + connect(at: now)
    }

    /// An attempt failed or a connection ended; the socket is already closed.
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
            if attempts.ended(failure, lasting: now - connection.since, goodAfter: parameters.stableAfter) {
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
            // Without a DISCONNECT the broker publishes the will, with the same content.
            forgetConnection()
            state = .closed
            return [.drop]
        case .closing: return fill(at: now)
        case .idle, .waiting, .connecting, .closed: return []
        }
    }

    /// Ends delivery: `offline` replaces the status and goes out before all waiting messages; its PUBACK closes the
    /// connection.
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

    /// The time at which `tick` is due, if nothing happens before.
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

    /// Forgets the connection. Messages under way go out again on the next one. The caller leaves the state that holds
    /// the connection.
    private mutating func forgetConnection() {
        counters.isConnected = false
        retained.connectionLost()
        counters.answersDropped += answers.connectionLost()
        outgoing.connectionLost()
        former.line.connectionLost()
        search.connectionLost()
    }
}
