import HCI
import MQTT
import Messages

/// The broker, with one client and one subscriber that gets everything the broker accepts.
final class SimulatedBroker {
    private struct Session {
        var attempt: Int
        var will: Message?
        var lastHeard: Instant
        var filters: Set<String> = []
    }

    private unowned let world: World
    private var chance: Chance
    private let silenceLimit: TimeSpan
    private var session: Session?
    private(set) var isUp = true
    /// What it answers to a login, while it refuses one.
    var loginRefusal: ReasonCode?
    /// How often it refuses a message, and with what.
    var refusals: (chance: Double, reasons: [ReasonCode]) = (0, [])
    /// How often it ends a connection at a message, with a reason.
    var endings: (chance: Double, reasons: [ReasonCode]) = (0, [])
    private(set) var retained: [String: [UInt8]] = [:]

    init(_ world: World, keepalive_s: Int, seed: UInt64) {
        self.world = world
        chance = Chance(seed: seed, stream: "broker")
        silenceLimit = .seconds(Double(keepalive_s) * 1.5)
        // A machine that this one replaces was here before.
        var chance = Chance(seed: seed, stream: "leftovers")
        guard chance.happens(0.3) else { return }
        for level in ["hall/1", "cart/9/9", "gone"] {
            retained["beacons/store/gate/region/\(level)/state"] = Array(#"{"state":"inside","event_seq":7}"#.utf8)
        }
    }

    /// It stops. Its host says so to the client, or not.
    func stop(politely: Bool, keepsRetained: Bool) {
        isUp = false
        if !keepsRetained { retained = [:] }
        if politely, let session { world.network.toClient(.lost(.closedByBroker), of: session.attempt) }
        session = nil
    }

    func start() { isUp = true }

    /// It ends the connection, and says why if it may.
    func end(_ reason: ReasonCode?) {
        guard let session else { return }
        world.network.toClient(.lost(reason.map { .disconnected($0) } ?? .closedByBroker), of: session.attempt)
        endSession(saysWill: true)
    }

    private func endSession(saysWill: Bool) {
        if saysWill, let will = session?.will { accept(will) }
        session = nil
    }

    func receive(_ packet: ClientPacket, of attempt: Int) {
        if case .connect(let will) = packet { return connect(attempt, will) }
        guard isUp, session?.attempt == attempt else {
            // There is no such connection any more: the host answers with a reset.
            if case .end = packet { return }
            return world.network.toClient(.lost(.closedByBroker), of: attempt)
        }
        session?.lastHeard = world.now
        switch packet {
        case .connect: break
        case .publish(let mid, let message): publish(mid, message)
        case .subscribe(let filter): subscribe(filter, of: attempt)
        case .unsubscribe(let filter): session?.filters.remove(filter)
        case .disconnect: endSession(saysWill: false)
        case .ping: world.network.toClient(.heard, of: attempt)
        case .end: endSession(saysWill: true)
        }
    }

    /// What is retained comes at once, and everything else as it is accepted.
    private func subscribe(_ filter: String, of attempt: Int) {
        session?.filters.insert(filter)
        world.network.toClient(.subscribed(filter: filter, [.success]), of: attempt)
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where Self.matches(topic, filter) {
            let message = IncomingMessage(topic: topic, payload: .bytes(payload), isRetained: true)
            world.network.toClient(.received(message), of: attempt)
        }
    }

    private static func matches(_ topic: String, _ filter: String) -> Bool {
        filter.hasSuffix("/#") ? topic.hasPrefix(filter.dropLast()) : topic == filter
    }

    /// A client that has been silent for too long is given up.
    func checkKeepalive(of attempt: Int) {
        guard isUp, let session, session.attempt == attempt else { return }
        if world.now - session.lastHeard > silenceLimit { return end(nil) }
        world.agenda.add(.keepaliveCheck(attempt: attempt), at: world.now + .seconds(5))
    }

    private func connect(_ attempt: Int, _ will: Message?) {
        guard isUp else {
            let failure = ConnectionFailure.unreachable(host: "broker", port: 1883, detail: "Connection refused")
            return world.network.toClient(.lost(failure), of: attempt)
        }
        if let loginRefusal { return world.network.toClient(.lost(.refused(loginRefusal)), of: attempt) }
        // An older connection of the same client is taken over, and its will published.
        endSession(saysWill: true)
        session = Session(attempt: attempt, will: will, lastHeard: world.now)
        world.agenda.add(.keepaliveCheck(attempt: attempt), at: world.now + .seconds(5))
        world.network.toClient(.connected(BrokerLimits(receiveMaximum: chance.number(1...40))), of: attempt)
    }

    private func publish(_ mid: UInt16, _ message: Message) {
        guard message.qos == .atLeastOnce else { return accept(message) }
        if chance.happens(endings.chance), let reason = chance.pick(endings.reasons) { return end(reason) }
        guard let attempt = session?.attempt else { return }
        if chance.happens(refusals.chance), let reason = chance.pick(refusals.reasons) {
            world.subscriber.refused(message)
            return world.network.toClient(.acknowledged(mid: mid, reason), of: attempt)
        }
        accept(message)
        let reason: ReasonCode = chance.happens(0.1) ? .noMatchingSubscribers : .success
        world.network.toClient(.acknowledged(mid: mid, reason), of: attempt)
    }

    private func accept(_ message: Message) {
        if message.isRetained { retained[message.topic] = message.payload.isEmpty ? nil : message.payload }
        world.subscriber.receive(message)
        guard let session, session.filters.contains(where: { Self.matches(message.topic, $0) }) else { return }
        let echo = IncomingMessage(
            topic: message.topic, payload: .bytes(message.payload), isRetained: message.isRetained)
        world.network.toClient(.received(echo), of: session.attempt)
    }
}
