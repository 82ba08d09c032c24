@testable import Agent
@testable import Core

/// The broker, with its clients and one subscriber that gets everything the broker accepts.
final class SimulatedBroker {
    private struct Session {
        var attempt: Int
        var will: Message?
        var lastHeard: Instant
        var filters: Set<String> = []
    }

    private unowned let world: any Surroundings
    private var chance: Chance
    /// Dropped messages have a random stream of their own, so that older seeds stay unchanged.
    private var dropChance: Chance
    private let silenceLimit: TimeSpan
    /// By client.
    private var sessions: [Int: Session] = [:]
    private(set) var isUp = true
    /// The answer to a login while the broker refuses logins.
    var loginRefusal: ReasonCode?
    /// The chance of refusing a message, with the reasons.
    var refusals: (chance: Double, reasons: [ReasonCode]) = (0, [])
    /// The chance of ending a connection because of a message, with the reasons.
    var endings: (chance: Double, reasons: [ReasonCode]) = (0, [])
    /// The chance of dropping a message of QoS 0.
    var drops = 0.0
    private(set) var retained: [String: [UInt8]] = [:]

    /// - Parameter root: the root under which a replaced machine may have left states.
    init(_ world: any Surroundings, keepalive_s: Int, leftUnder root: String, seed: UInt64) {
        self.world = world
        chance = Chance(seed: seed, stream: "broker")
        dropChance = Chance(seed: seed, stream: "drops")
        silenceLimit = .seconds(Double(keepalive_s) * 1.5)
        var chance = Chance(seed: seed, stream: "leftovers")
        guard chance.happens(0.3) else { return }
        for level in ["hall/1", "cart/9/9", "gone"] {
            retained["\(root)/\(level)/state"] = Array(#"{"state":"inside","event_seq":7}"#.utf8)
        }
    }

    /// Stops the broker. Its host resets the clients' connections, or not.
    func stop(politely: Bool, keepsRetained: Bool) {
        isUp = false
        if !keepsRetained { retained = [:] }
        for (client, session) in sessions.sorted(by: { $0.key < $1.key }) where politely {
            send(.lost(.closedByBroker), client, session.attempt)
        }
        sessions = [:]
    }

    func start() { isUp = true }

    /// Ends a client's connection, with the reason if the protocol allows one.
    func end(_ reason: ReasonCode?, of client: Int) {
        guard let session = sessions[client] else { return }
        send(.lost(reason.map { .disconnected($0) } ?? .closedByBroker), client, session.attempt)
        endSession(of: client, saysWill: true)
    }

    private func endSession(of client: Int, saysWill: Bool) {
        if saysWill, let will = sessions[client]?.will { accept(will) }
        sessions[client] = nil
    }

    private func send(_ event: ClientEvent, _ client: Int, _ attempt: Int) {
        world.line(of: client).toClient(event, of: attempt)
    }

    func receive(_ packet: ClientPacket, of attempt: Int, from client: Int) {
        if case .connect(let will) = packet { return connect(attempt, client, will) }
        guard isUp, sessions[client]?.attempt == attempt else {
            // The connection is gone: the host answers with a reset.
            if case .end = packet { return }
            return send(.lost(.closedByBroker), client, attempt)
        }
        sessions[client]?.lastHeard = world.now
        switch packet {
        case .connect: break
        case .publish(let mid, let message): publish(mid, message, of: attempt, from: client)
        case .subscribe(let filter): subscribe(filter, of: attempt, from: client)
        case .unsubscribe(let filter): sessions[client]?.filters.remove(filter)
        case .disconnect: endSession(of: client, saysWill: false)
        case .ping: send(.heard, client, attempt)
        case .end: endSession(of: client, saysWill: true)
        }
    }

    /// Subscribes: retained messages come at once, all others as they are accepted.
    private func subscribe(_ filter: String, of attempt: Int, from client: Int) {
        sessions[client]?.filters.insert(filter)
        send(.subscribed(filter: filter, [.success]), client, attempt)
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where Self.matches(topic, filter) {
            let message = IncomingMessage(topic: topic, payload: .bytes(payload), isRetained: true)
            send(.received(message), client, attempt)
        }
    }

    private static func matches(_ topic: String, _ filter: String) -> Bool {
        var levels = topic.split(separator: "/", omittingEmptySubsequences: false)[...]
        for wanted in filter.split(separator: "/", omittingEmptySubsequences: false) {
            if wanted == "#" { return true }
            guard let level = levels.popFirst(), wanted == "+" || wanted == level else { return false }
        }
        return levels.isEmpty
    }

    /// Gives up a client that has been silent for too long.
    func checkKeepalive(of attempt: Int, from client: Int) {
        guard isUp, let session = sessions[client], session.attempt == attempt else { return }
        if world.now - session.lastHeard > silenceLimit { return end(nil, of: client) }
        world.add(.keepaliveCheck(attempt: attempt), of: client, at: world.now + .seconds(5))
    }

    private func connect(_ attempt: Int, _ client: Int, _ will: Message?) {
        guard isUp else {
            let failure = ConnectionFailure.unreachable(host: "broker", port: 1883, detail: "Connection refused")
            return send(.lost(failure), client, attempt)
        }
        if let loginRefusal { return send(.lost(.refused(loginRefusal)), client, attempt) }
        // The older connection of the same client is taken over, and its will published.
        endSession(of: client, saysWill: true)
        sessions[client] = Session(attempt: attempt, will: will, lastHeard: world.now)
        world.add(.keepaliveCheck(attempt: attempt), of: client, at: world.now + .seconds(5))
        send(.connected(BrokerLimits(receiveMaximum: chance.number(1...40))), client, attempt)
    }

    private func publish(_ mid: UInt16, _ message: Message, of attempt: Int, from client: Int) {
        guard message.qos == .atLeastOnce else { return accept(message) }
        if chance.happens(endings.chance), let reason = chance.pick(endings.reasons) { return end(reason, of: client) }
        if chance.happens(refusals.chance), let reason = chance.pick(refusals.reasons) {
            world.refused(message)
            return send(.acknowledged(mid: mid, reason), client, attempt)
        }
        accept(message)
        let reason: ReasonCode = chance.happens(0.1) ? .noMatchingSubscribers : .success
        send(.acknowledged(mid: mid, reason), client, attempt)
    }

    private func accept(_ message: Message) {
        if message.isRetained { retained[message.topic] = message.payload.isEmpty ? nil : message.payload }
        world.accepted(message)
        let echo = IncomingMessage(
            topic: message.topic, payload: .bytes(message.payload), isRetained: message.isRetained)
        for (client, session) in sessions.sorted(by: { $0.key < $1.key })
        where session.filters.contains(where: { Self.matches(message.topic, $0) }) {
            if drops > 0, message.qos == .atMostOnce, dropChance.happens(drops) { continue }
            send(.received(echo), client, session.attempt)
        }
    }
}
