import HCI
import Messages

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
        /// Status, health, one for each region instance, and as many again that an earlier configuration left to be cleared:
        /// a backstop, above the most that `[regions] max_instances` can be.
        var maxRetainedTopics = 2 + 2 * 262_144
    }

    enum State: Equatable, Sendable {
        case idle
        case waiting(until: Instant)
        case connecting(until: Instant)
        case connected(since: Instant, window: Int)
        /// The offline status is on its way; nothing new is sent besides.
        case closing(until: Instant, window: Int)
        case closed
    }

    struct Flight: Sendable {
        var sentAt: Instant
        /// The packet identifier, once the connection has given one.
        var mid: UInt16?
    }

    let parameters: Parameters
    let filters: [String]
    var state = State.idle
    var retained: RetainedStates
    var answers: AnswerLine
    var events: EventLine
    var former: FormerGateway
    var search: LeftoverSearch
    var flights: [Ticket: Flight] = [:]
    var tickets: [UInt16: Ticket] = [:]
    /// What was under way when the broker blamed a message and hung up: one of these is at fault. Until they are all
    /// settled they go one at a time, so that the next time it is plain which.
    var suspects: Set<Ticket> = []
    /// How often each suspect ended a connection alone.
    var provenFaults: [Ticket: Int] = [:]
    /// An answer was among several messages on which a broker hung up: one at a time goes out until a connection stands.
    var answersGoAlone = false
    /// The broker has taken something on this connection.
    var hasAccepted = false
    /// So many connections in a row ended without a word soon after something was published.
    var silentEnds = 0
    var backoff: Backoff
    var saidFailures = SaidCauses<ConnectionFailure>()
    var saidEventRefusals = SaidCauses<ReasonCode>()
    var saidRetainedRefusals = SaidCauses<ReasonCode>()
    var counters = DeliveryCounters()
    /// Why the last attempt failed, if no connection has stood since.
    private var cause: ConnectionFailure?
    /// Whether the will of the next attempt is retained. A broker without retained messages refuses a retained one, and only
    /// that tells: the CONNACK which says so comes to those that it lets in.
    private(set) var isWillRetained = true
    /// Whether the broker keeps retained messages.
    private(set) var keepsRetained = true
    private var hasBeenConnected = false
    private var lastHeard = Instant.origin
    /// After so much silence of the broker, which answers pings, the connection is dead.
    private var silenceTimeout = TimeSpan.forever

    /// `online` is the birth message; its topic is the status topic, which the will shares.
    init(online: Message, filters: [String] = [], parameters: Parameters, seed: UInt64) {
        self.parameters = parameters
        self.filters = filters
        retained = RetainedStates(status: online, maxTopics: parameters.maxRetainedTopics, seed: seed)
        events = EventLine(seed: seed &+ 1)
        backoff = Backoff(seed: seed &+ 2)
        answers = AnswerLine(statusTopic: online.topic)
        search = LeftoverSearch(statusTopic: online.topic)
        former = FormerGateway(statusTopic: online.topic, seed: seed &+ 3)
    }

    mutating func start(at now: Instant) -> [DeliveryAction] {
        guard state == .idle else { return [] }
        return connect(at: now)
    }

    /// The broker's CONNACK accepted us.
    mutating func connected(_ broker: BrokerLimits, at now: Instant) -> [DeliveryAction] {
        guard case .connecting = state else { return [] }
        state = .connected(since: now, window: max(1, min(parameters.maxInflight, broker.receiveMaximum)))
        keepsRetained = broker.isRetainAvailable
        if hasBeenConnected { counters.reconnects += 1 }
        let isNews = !hasBeenConnected || !saidFailures.isEmpty
        hasBeenConnected = true
        lastHeard = now
        hasAccepted = false
        cause = nil
        // The next broker under this name may keep them: it is asked anew.
        isWillRetained = true
        silenceTimeout = Self.silenceTimeout(keepalive_s: broker.keepalive_s ?? parameters.keepalive_s)
        counters.isConnected = true
        events.eventsAvailable()
        var actions: [DeliveryAction] = isNews ? [.say(.connected(broker))] : []
        if !filters.isEmpty { actions.append(.subscribe(filters: filters)) }
        return actions + fill(at: now)
    }

    /// The broker sent something, whatever it was.
    mutating func heard(at now: Instant) { lastHeard = now }

    /// An attempt failed or a connection ended; the socket is closed already.
    mutating func connectionLost(_ failure: ConnectionFailure, at now: Instant) -> [DeliveryAction] {
        var wasStable = false
        let failure = cause.map { failure.mayConceal($0) ? $0 : failure } ?? failure
        switch state {
        case .idle, .waiting, .closed: return []
        case .closing:
            forgetConnection()
            state = .closed
            return []
        case .connecting:
            if failure == .refused(.retainNotSupported), isWillRetained {
                isWillRetained = false
                return connect(at: now)
            }
        case .connected(let since, _): wasStable = now - since >= parameters.stableAfter
        }
        if wasStable {
            backoff.reset()
            saidFailures.forget()
            silentEnds = 0
        }
        counters.lastFailure = failure
        cause = failure
        var actions: [DeliveryAction] = []
        if saidFailures.isNew(failure) { actions.append(.say(.connectionFailed(failure))) }
        actions += blame(failure, at: now)
        forgetConnection()
        let isTakenOver = failure == .disconnected(.sessionTakenOver)
        state = .waiting(until: now + (isTakenOver ? backoff.jittered(parameters.takenOverPause) : backoff.next()))
        return actions
    }

    /// Time has passed; call it whenever `nextWake` is reached.
    mutating func tick(at now: Instant) -> [DeliveryAction] {
        switch state {
        case .waiting(let until) where now >= until:
            return connect(at: now)
        case .connecting(let until) where now >= until:
            return [.drop] + connectionLost(.connectTimedOut(host: parameters.host, port: parameters.port), at: now)
        case .connected:
            if let overdue = acknowledgementDue, now >= overdue {
                return [.drop] + connectionLost(.acknowledgementOverdue, at: now)
            }
            if now >= silenceDue { return [.drop] + connectionLost(.keepaliveExpired, at: now) }
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
    mutating func close(offline: Message, until deadline: Instant, at now: Instant) -> [DeliveryAction] {
        switch state {
        case .connected(_, let window):
            state = .closing(until: deadline, window: window)
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
    var nextWake: Instant {
        switch state {
        case .idle, .closed: .distantFuture
        case .waiting(let until), .connecting(let until): until
        case .connected:
            [silenceDue, acknowledgementDue, retained.retryAt, events.retryAt, former.line.retryAt, search.dueAt]
                .compactMap(\.self).min() ?? silenceDue
        case .closing(let until, _): min(until, retained.retryAt ?? .distantFuture)
        }
    }

    private var acknowledgementDue: Instant? {
        flights.values.map(\.sentAt).min().map { $0 + parameters.acknowledgementTimeout }
    }

    private var silenceDue: Instant { lastHeard + silenceTimeout }

    /// libmosquitto pings after a keepalive of silence, the broker's where it names one, and waits as long again for the
    /// answer; half of that is enough, but never less than 3 s, since it counts whole seconds. With 0 there are no pings.
    static func silenceTimeout(keepalive_s: Int) -> TimeSpan {
        keepalive_s > 0 ? .seconds(Double(keepalive_s) + max(Double(keepalive_s) / 2, 3)) : .forever
    }

    private mutating func connect(at now: Instant) -> [DeliveryAction] {
        state = .connecting(until: now + parameters.connectTimeout)
        return [.connect]
    }

    private mutating func forgetConnection() {
        counters.isConnected = false
        flights.removeAll()
        tickets.removeAll()
        retained.connectionLost()
        counters.answersDropped += answers.connectionLost()
        events.connectionLost()
        former.line.connectionLost()
        search.connectionLost()
    }
}
