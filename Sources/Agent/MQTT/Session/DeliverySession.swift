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

        var connection: LiveConnection? {
            switch self {
            case .connected(let connection), .closing(_, let connection): connection
            case .idle, .waiting, .connecting, .closed: nil
            }
        }

        /// Changes the established connection. It is taken out of the enum meanwhile, so that none of it is copied.
        @discardableResult
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

    private let parameters: Parameters
    private let filters: [String]
    private var state = State.idle
    private var attempts: ConnectionAttempts
    private(set) var messages: WaitingMessages
    private var search: LeftoverSearch
    private(set) var counters = DeliveryCounters()

    /// `online` is the birth message; its topic is the status topic, which the will shares.
    init(online: Message, filters: [String] = [], parameters: Parameters, seed: UInt64) {
        self.parameters = parameters
        self.filters = filters
        messages = WaitingMessages(online: online, parameters, seed: seed)
        attempts = ConnectionAttempts(seed: seed &+ 2)
        search = LeftoverSearch(statusTopic: online.topic)
    }

    // MARK: Questions

    /// True if the session has published its goodbye, or was closed without a connection.
    var isClosed: Bool { state == .closed }

    var isStatusDelivered: Bool { messages.isStatusDelivered }

    /// True if no message waits or is under way, as far as is known.
    var isDrained: Bool { flights.isEmpty && messages.isEmpty }

    /// True if a search for unknown states is due or under way.
    var isSearching: Bool { search.isUnfinished }

    /// Returns whether a message on this topic may be one that the search has asked for.
    func searches(_ topic: String) -> Bool { search.expects(topic) }

    var isWillRetained: Bool { attempts.isWillRetained }

    /// The time at which `tick` is due, if nothing happens before.
    var nextWake: BootInstant {
        switch state {
        case .idle, .closed: .distantFuture
        case .waiting(let until), .connecting(let until): until
        case .connected(let connection):
            [acknowledgementDue(on: connection), search.dueAt, messages.retryAt].compactMap(\.self)
                .reduce(connection.silenceDue, min)
        case .closing(let until, _): min(until, messages.retainedRetryAt)
        }
    }

    private var flights: Flights { state.connection?.flights ?? Flights() }

    private func acknowledgementDue(on connection: LiveConnection) -> BootInstant? {
        connection.flights.oldest.map { $0 + parameters.acknowledgementTimeout }
    }

    // MARK: The connection

    mutating func start(at now: BootInstant) -> [DeliveryAction] {
        guard state == .idle else { return [] }
        return connect(at: now)
    }

    /// The broker's CONNACK accepted the login.
    mutating func connected(_ broker: BrokerLimits, at now: BootInstant) -> [DeliveryAction] {
        guard case .connecting = state else { return [] }
        state = .connected(
            LiveConnection(broker, maxInflight: parameters.maxInflight, keepalive_s: parameters.keepalive_s, at: now))
        let (isAgain, isNew) = attempts.succeeded()
        if isAgain { counters.reconnects += 1 }
        counters.isConnected = true
        messages.outgoingAvailable()
        var actions: [DeliveryAction] = isNew ? [.log(.connected(broker))] : []
        if !filters.isEmpty { actions.append(.subscribe(filters: filters)) }
        return actions + fill(at: now)
    }

    /// The broker sent any packet.
    mutating func heard(at now: BootInstant) { state.withConnection { $0.heard(at: now) } }

    /// The certificate, its key or the list of authorities has changed, and each connection reads them anew. Nothing more
    /// is sent on this one, and it ends with the last PUBACK: then no message goes out twice.
    mutating func certificateChanged(at now: BootInstant) -> [DeliveryAction] {
        guard case .connected(let connection) = state, !connection.isRenewalDue else { return [] }
        state.withConnection { $0.isRenewalDue = true }
        return [.log(.certificateChanged)] + fill(at: now)
    }

    /// Connects anew, without a pause. There is no DISCONNECT, because the broker would then go on to show this gateway
    /// as online if it refused the new certificate.
    private mutating func renewConnection(at now: BootInstant) -> [DeliveryAction] {
        resetConnection()
        return [.drop] + connect(at: now)
    }

    /// An attempt failed or a connection ended; the socket is already closed.
    mutating func connectionLost(_ failure: ConnectionFailure, at now: BootInstant) -> [DeliveryAction] {
        let failure = attempts.reportedCause(of: failure)
        switch state {
        case .idle, .waiting, .closed: return []
        case .closing:
            resetConnection()
            state = .closed
            return []
        case .connecting:
            if attempts.dropsRetainedWill(after: failure) { return connect(at: now) }
        case .connected(let connection):
            if attempts.ended(failure, lasting: now - connection.since, goodAfter: parameters.stableAfter) {
                messages.connectionWasStable()
            }
        }
        counters.lastFailure = failure
        var actions: [DeliveryAction] = []
        if attempts.failed(failure) { actions.append(.log(.connectionFailed(failure))) }
        actions += messages.blame(failure, on: state.connection, &counters, at: now)
        resetConnection()
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
            resetConnection()
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
            _ = messages.setRetained(offline)
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

    private mutating func connect(at now: BootInstant) -> [DeliveryAction] {
        state = .connecting(until: now + parameters.connectTimeout)
        return [.connect]
    }

    /// Resets the connection. Messages under way go out again on the next one. The caller leaves the state that holds
    /// the connection.
    private mutating func resetConnection() {
        counters.isConnected = false
        counters.answersDropped += messages.connectionLost()
        search.connectionLost()
    }

    // MARK: Messages

    /// Sets the latest retained message of a topic. An older one that the broker does not have yet is dropped.
    mutating func setRetained(_ message: Message, at now: BootInstant) -> [DeliveryAction] {
        guard messages.setRetained(message) else {
            counters.retainedTopicsRefused += 1
            let isFirst = counters.retainedTopicsRefused == 1
            return isFirst ? [.log(.tooManyRetainedTopics(limit: parameters.maxRetainedTopics))] : []
        }
        return fill(at: now)
    }

    /// Stops publishing on a topic. `searchLeftovers` finds what the broker still retains there.
    mutating func removeRetained(_ topic: String) { messages.removeRetained(topic) }

    /// Sends an answer to a request: on this connection or not at all, since its requester asks again.
    mutating func answer(_ message: Message, at now: BootInstant) -> [DeliveryAction] {
        guard case .connected = state, messages.append(answer: message, at: now) else {
            counters.answersDropped += 1
            return []
        }
        return fill(at: now)
    }

    mutating func outgoingAvailable(at now: BootInstant) -> [DeliveryAction] {
        messages.outgoingAvailable()
        return fill(at: now)
    }

    /// The outbox has messages of a former gateway.
    mutating func formerEventsAvailable(at now: BootInstant) -> [DeliveryAction] {
        messages.formerEventsAvailable()
        return fill(at: now)
    }

    /// Handles the answer to `fetch`.
    mutating func supply(_ supplied: [OutgoingMessage], at now: BootInstant) -> [DeliveryAction] {
        messages.supply(supplied)
        return fill(at: now)
    }

    /// Handles the answer to `fetchOfFormerGateway`.
    mutating func supplyFormer(_ supplied: [OutgoingMessage], at now: BootInstant) -> [DeliveryAction] {
        messages.supplyFormer(supplied)
        return fill(at: now)
    }

    /// The connection took a message and gave it a packet identifier.
    mutating func published(_ ticket: Ticket, as mid: UInt16) {
        if state.withConnection({ $0.flights.number(ticket, as: mid) }) == true { counters.published += 1 }
    }

    /// The connection did not take a message, because of the message or of the broker's limits.
    mutating func refusedLocally(_ ticket: Ticket, _ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        guard state.withConnection({ $0.flights.remove(ticket) }) == true else { return [] }
        return messages.refuse(ticket, reason, &counters, at: now) + fill(at: now)
    }

    /// A PUBACK. A failure code completes the handshake too, which is why only the reason decides.
    mutating func acknowledged(_ mid: UInt16, _ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        guard let ticket = state.withConnection({ $0.flights.take(mid) }) ?? nil else { return [] }
        return answered(ticket, reason, at: now) + fill(at: now)
    }

    private mutating func answered(_ ticket: Ticket, _ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        guard reason.isSuccess else { return messages.refuse(ticket, reason, &counters, at: now) }
        state.withConnection { $0.hasAccepted = true }
        if reason == .noMatchingSubscribers, case .durable(let sequence) = ticket {
            counters.unmatched += 1
            if let actions = messages.hold(sequence, at: now) { return actions }
        }
        counters.acknowledged += 1
        return messages.settle(ticket, at: now)
    }

    /// Returns whether a QoS 0 message may go out now. It never waits: otherwise it is dropped and counted.
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

    /// The caller did not take the broker's messages in time, and has dropped one.
    mutating func droppedIncoming() { counters.incomingDropped += 1 }

    /// Sends as many messages as the window holds.
    private mutating func fill(at now: BootInstant) -> [DeliveryAction] {
        messages.publishPresentStatesAgain()
        switch state {
        case .connected(let connection) where connection.isRenewalDue:
            return connection.flights.isEmpty ? renewConnection(at: now) : []
        case .connected(let connection):
            if now - connection.since >= parameters.stableAfter { messages.connectionIsStable() }
            let keepsRetained = connection.keepsRetained
            let window = messages.isOneAtATime ? 1 : connection.window
            var actions: [DeliveryAction] = []
            while flights.count < window, let next = messages.takeNext(at: now, isAlone: flights.isEmpty) {
                actions.append(send(next, at: now))
            }
            actions += messages.requests(window: parameters.maxInflight)
            if search.isDue, keepsRetained, flights.isEmpty, messages.hasAllStatesSent {
                actions.append(search.listen(at: now))
            }
            return actions
        case .closing(_, let connection):
            if connection.flights.count < connection.window, let status = messages.takeStatus(at: now) {
                return [send(status, at: now)]
            }
            guard messages.isStatusDelivered else { return [] }
            state = .closed
            counters.isConnected = false
            return [.disconnect]
        case .idle, .waiting, .connecting, .closed: return []
        }
    }

    private mutating func send(_ next: (ticket: Ticket, message: Message), at now: BootInstant) -> DeliveryAction {
        state.withConnection { $0.flights.sent(next.ticket, at: now) }
        return .publish(next.ticket, next.message)
    }

    // MARK: Subscriptions

    /// Handles the broker's answer to one filter of `subscribe`.
    mutating func subscribed(_ filter: String, _ reasons: [ReasonCode], at now: BootInstant) -> [DeliveryAction] {
        if search.filters.contains(filter) {
            return reasons.prefix(1).flatMap { search.answered($0, at: now) } + fill(at: now)
        }
        return reasons.filter { !$0.isSuccess }.prefix(1).map { .log(.subscriptionRefused($0)) }
    }

    /// Begins the search of unknown states below this gateway's root, after a new epoch.
    mutating func searchLeftovers(at now: BootInstant) -> [DeliveryAction] {
        search.begin()
        return fill(at: now)
    }

    /// Handles a message for the search's subscription.
    mutating func heardOwnTopic(_ message: IncomingMessage, at now: BootInstant) -> [DeliveryAction] {
        guard let topic = search.heard(message, isKnown: messages.keeps(message.topic), at: now) else { return [] }
        return setRetained(Message(topic: topic, payload: [], .retained), at: now)
    }

    // MARK: Invariants

    /// The broken rules among those that hold between two calls, a sentence for each.
    func checkInvariants() -> [String] {
        let hasConnection = state.connection != nil
        var broken = counters.isConnected == hasConnection ? [] : ["the figures tell another state of the connection"]
        if let connection = state.connection, flights.count > connection.window {
            broken.append("\(flights.count) messages are under way in a window of \(connection.window)")
        }
        if !hasConnection, !isClosed, search.dueAt != nil { broken.append("a search listens on no connection") }
        // After the goodbye nothing is sent any more, so what was under way does not matter.
        return broken + (isClosed ? [] : messages.checkInvariants(flights))
    }
}

/// An established connection: the broker's limits on it, and the messages under way. It ends with the connection.
struct LiveConnection: Equatable, Sendable {
    let since: BootInstant
    /// The most messages that may be under way.
    let window: Int
    let keepsRetained: Bool
    /// The silence of the broker after which the connection is dead, since the broker answers pings.
    private let silenceTimeout: TimeSpan
    private var lastHeard: BootInstant
    /// True if the broker has accepted a message on this connection.
    var hasAccepted = false
    /// A renewal of the connection is due: it ends once no message is under way, and the next one uses the new
    /// certificate.
    var isRenewalDue = false
    var flights = Flights()

    init(_ broker: BrokerLimits, maxInflight: Int, keepalive_s: Int, at now: BootInstant) {
        since = now
        window = max(1, min(maxInflight, broker.receiveMaximum))
        keepsRetained = broker.isRetainAvailable
        silenceTimeout = Self.silenceTimeout(keepalive_s: broker.keepalive_s ?? keepalive_s)
        lastHeard = now
    }

    mutating func heard(at now: BootInstant) { lastHeard = now }

    /// The time at which the connection is dead if the broker stays silent.
    var silenceDue: BootInstant { lastHeard + silenceTimeout }

    /// libmosquitto pings after a keepalive of silence, the broker's where it names one, and waits as long again for
    /// the answer. Half of that is enough, but never less than 3 s, since libmosquitto counts whole seconds. With 0
    /// there are no pings.
    static func silenceTimeout(keepalive_s: Int) -> TimeSpan {
        keepalive_s > 0 ? .seconds(Double(keepalive_s) + max(Double(keepalive_s) / 2, 3)) : .forever
    }
}

/// The messages that were published on a connection and have no PUBACK yet.
struct Flights: Equatable, Sendable {
    private struct Flight: Equatable, Sendable {
        var sentAt: BootInstant
        /// The packet identifier, once the connection has given one.
        var mid: UInt16?
    }

    private var flights: [Ticket: Flight] = [:]
    private var tickets: [UInt16: Ticket] = [:]

    var count: Int { flights.count }
    var isEmpty: Bool { flights.isEmpty }
    var all: some Collection<Ticket> { flights.keys }
    /// The time at which the oldest message still under way was sent.
    var oldest: BootInstant? { flights.values.map(\.sentAt).min() }
    /// The time at which the newest message still under way was sent.
    var newest: BootInstant? { flights.values.map(\.sentAt).max() }

    mutating func sent(_ ticket: Ticket, at now: BootInstant) { flights[ticket] = Flight(sentAt: now, mid: nil) }

    /// Records the packet identifier that the connection gave a message.
    ///
    /// - Returns: `false` where the message is not under way.
    mutating func number(_ ticket: Ticket, as mid: UInt16) -> Bool {
        guard flights[ticket] != nil else { return false }
        flights[ticket]?.mid = mid
        tickets[mid] = ticket
        return true
    }

    /// Takes the message that a PUBACK acknowledges; `nil` where none of that identifier is under way.
    mutating func take(_ mid: UInt16) -> Ticket? {
        guard let ticket = tickets.removeValue(forKey: mid), flights.removeValue(forKey: ticket) != nil else {
            return nil
        }
        return ticket
    }

    /// - Returns: `false` where the message is not under way.
    mutating func remove(_ ticket: Ticket) -> Bool { flights.removeValue(forKey: ticket) != nil }
}
