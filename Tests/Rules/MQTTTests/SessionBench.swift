import Testing

@testable import Agent
@testable import Core

/// A session with a clock, and the outbox and broker that the test plays.
struct SessionBench {
    var session: DeliverySession {
        didSet {
            for broken in session.checkInvariants() { Issue.record(Comment(rawValue: broken)) }
        }
    }
    var now = BootInstant(microseconds: 1_000_000)
    private var nextMid: UInt16 = 1

    /// The last messages given.
    var lastMid: UInt16 { nextMid - 1 }

    static let status = "root/status"

    /// - Parameter keepalive_s: unless a test is about it, no pings are expected.
    init(
        maxInflight: Int = 2, filters: [String] = [], seed: UInt64 = 7, maxRetainedTopics: Int = 100,
        keepalive_s: Int = 0, undeliveredHold: TimeSpan = .zero
    ) {
        var parameters = DeliverySession.Parameters(host: "broker", port: 1883, maxInflight: maxInflight)
        parameters.maxRetainedTopics = maxRetainedTopics
        parameters.keepalive_s = keepalive_s
        parameters.undeliveredHold = undeliveredHold
        session = DeliverySession(
            online: Self.retained(Self.status, "online"), filters: filters, parameters: parameters, seed: seed)
    }

    static func retained(_ topic: String, _ text: String) -> Message {
        Message(topic: topic, payload: Array(text.utf8), .retained)
    }

    static func event(_ sequence: UInt64) -> OutgoingMessage {
        OutgoingMessage(
            sequence: sequence,
            message: Message(topic: "root/event", payload: [UInt8(truncatingIfNeeded: sequence)], .durable(.events)))
    }

    /// Starts and connects; the result has the publications on the way.
    mutating func connect(_ broker: BrokerLimits = BrokerLimits()) -> [DeliveryAction] {
        _ = session.start(at: now)
        return session.connected(broker, at: now)
    }

    /// Returns a bench that is settled.
    static func settled(
        maxInflight: Int = 2, maxRetainedTopics: Int = 100, keepalive_s: Int = 0, undeliveredHold: TimeSpan = .zero
    ) -> SessionBench {
        var bench = SessionBench(
            maxInflight: maxInflight, maxRetainedTopics: maxRetainedTopics, keepalive_s: keepalive_s,
            undeliveredHold: undeliveredHold)
        bench.settle()
        return bench
    }

    /// Connected, the birth acknowledged, the outbox empty.
    mutating func settle() {
        let actions = connect()
        _ = session.supply([], at: now)
        _ = accept(actions)
    }

    /// Lets time pass; returns the session's actions.
    mutating func pass(_ span: TimeSpan) -> [DeliveryAction] {
        now = now + span
        return session.tick(at: now)
    }

    mutating func advance(_ seconds: Double) {
        now = now + .seconds(seconds)
    }

    /// The session's deadline comes; returns its actions.
    mutating func wake() -> [DeliveryAction] {
        now = session.nextWake
        return session.tick(at: now)
    }

    /// The connection ends, the pause passes, and the next one is established; returns the actions of the next one.
    mutating func reconnect(after failure: ConnectionFailure = .closedByBroker) -> [DeliveryAction] {
        _ = session.connectionLost(failure, at: now)
        _ = wake()
        return session.connected(BrokerLimits(), at: now)
    }

    /// The broker disconnects; the next connection is established and takes the status. The result has the messages after
    /// it, and what the end caused.
    mutating func hangUp(_ failure: ConnectionFailure) -> [DeliveryAction] {
        let ended = session.connectionLost(failure, at: now)
        _ = wake()
        var actions = ended
        for action in session.connected(BrokerLimits(), at: now) {
            let isStatus = [action].published.first?.hasPrefix(Self.status + "=") == true
            actions += isStatus ? accept([action]) : [action]
        }
        return actions
    }

    /// The outbox has these events; returns what goes out.
    mutating func supply(_ events: [OutgoingMessage]) -> [DeliveryAction] {
        _ = session.outgoingAvailable(at: now)
        return session.supply(events, at: now)
    }

    mutating func supply(_ sequences: ClosedRange<UInt64>) -> [DeliveryAction] { supply(sequences.map(Self.event)) }

    /// Gives every publication in `actions` a packet identifier.
    mutating func register(_ actions: [DeliveryAction]) -> [UInt16] {
        var mids: [UInt16] = []
        for case .publish(let ticket, _) in actions {
            session.published(ticket, as: nextMid)
            mids.append(nextMid)
            nextMid += 1
        }
        return mids
    }

    /// The broker answers every publication in `actions` with `reason`; returns the effects.
    mutating func answer(_ actions: [DeliveryAction], _ reason: ReasonCode) -> [DeliveryAction] {
        register(actions).flatMap { session.acknowledged($0, reason, at: now) }
    }

    mutating func accept(_ actions: [DeliveryAction]) -> [DeliveryAction] { answer(actions, .success) }
}

extension [DeliveryAction] {
    /// Returns the publications, as `topic=payload` or `#sequence`.
    var published: [String] {
        compactMap {
            switch $0 {
            case .publish(.retained(let topic), let message):
                topic + "=" + String(decoding: message.payload, as: UTF8.self)
            case .publish(.durable(let sequence), _): "#\(sequence)"
            default: nil
            }
        }
    }

    var acknowledged: [UInt64] {
        compactMap { if case .acknowledge(let sequence) = $0 { sequence } else { nil } }
    }

    var notices: [DeliveryNotice] {
        compactMap { if case .log(let notice) = $0 { notice } else { nil } }
    }
}
