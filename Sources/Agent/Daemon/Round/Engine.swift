import Core

/// The source of outputs for a `Round`: a gateway whose radio has a thread of its own, a store, or a replay.
package protocol Engine: AnyObject {
    /// Readable while `take` has an update; −1 where only time brings any.
    var wake: Int32 { get }

    /// The time at which `take` has an update without `wake`.
    var nextDeadline: Instant { get }

    /// The update until `now`, without what was taken before.
    func take(at now: Instant) -> EngineUpdate

    /// Handles the broker's messages, and returns the refusals to publish.
    func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer]

    func waitForRadio()

    /// The figures for `health`; `nil` before there are any.
    func figures(at now: Instant) -> EngineFigures?
}

extension Engine {
    /// Returns once the radio's state is known, or after a time limit: the first status and the will report it.
    package func waitForRadio() {}
}

package struct EngineUpdate {
    /// Outputs in the order in which they happened.
    var outputs: [GatewayOutput] = []
    /// Region changes after `outputs` that found no room.
    var overflow = QueueOverflow()
    /// The radio's part of a status, where it has changed.
    var radio: MessageComposer.RadioStatus?
    /// A remedy for the operator, in one line; `nil` where all is well.
    var complaint: String?
    /// True if no more updates will come.
    var isLast = false
}

/// The figures of an engine, and of the loop that it runs on.
package struct EngineFigures {
    var engine: GatewayFigures
    /// All 0 for a store and for a replay, which have no radio.
    var radio = RadioCounters()
    /// The numbers of outputs that the queue between two loops has shed and lost.
    var queue: (ranging: UInt64, transitions: UInt64) = (0, 0)
    /// The number of requests that were dropped because there were too many.
    var requestFlood: UInt64 = 0
}

/// The clock that dates a round's messages.
package protocol RoundClock: AnyObject {
    /// The time with which the engine's outputs are stamped.
    var now: Instant { get }

    /// The relation between the wall clock and `now`.
    var timebase: Timebase { get }
}

/// The machine that the agent runs on: its clocks, and the costs of the process. A live round has no other access to
/// them.
package protocol Machine: RoundClock {
    /// 256 random bits, to be kept secret.
    func secret() -> [UInt8]

    /// Reports that the delivery loop makes progress; called in every turn, on its own thread.
    func deliveryMoves()

    /// Reports the agent's state to the service manager, in one line; called at each change.
    func reportStatus(_ line: String)

    /// Memory now, and CPU time since the last call; `nil` where health does not report them.
    func processUsage() -> HealthReport.Process?

    /// The certificate with which the agent logs in, as its file has it now; `nil` where there is none.
    func certificate() -> Certificate?

    /// Writes health for Prometheus, if the configuration names a file.
    ///
    /// - Returns: a line for the log; `nil` where there is no fault, or it was logged before.
    func writeMetrics(_ octets: () -> [UInt8]) -> String?
}

/// A gateway's engine on the radio loop's thread, behind the queue of its outputs.
package final class QueuedGateway: Engine {
    private let queue: DeliveryQueue
    /// `nil` where requests are disabled.
    private var requests: RequestHandler?
    /// True if the process has CAP_NET_ADMIN.
    private let mayAdminister: Bool
    private let isSupported: @Sendable () -> Bool
    private let settings: (any SettingsReceiver)?
    /// The part in the joint count of people, and the way to the engine; `nil` where the store joins no counts.
    private var people: (sharing: PeopleSharing, engine: RequestQueue)?
    /// The receiver that is the radio; `nil` for adapters. Its messages come over the agent's connection, or over one of
    /// their own.
    private let receiver: (topic: String, inbox: ReceiverInbox)?
    private var latest: (figures: GatewayFigures, radio: RadioCounters)?

    /// - Parameters:
    ///   - requests: `nil` where requests are disabled.
    ///   - isSupported: returns whether the kernel has Bluetooth; asked where an adapter is missing.
    ///   - settings: `nil` where settings come from the file alone.
    ///   - people: the part in the joint count of people, and the queue to the engine; `nil` where the store joins no counts.
    ///   - receiver: the topics and the inbox of the receiver; `nil` for adapters.
    package init(
        _ queue: DeliveryQueue, _ requests: RequestHandler?, mayAdminister: Bool,
        isSupported: @escaping @Sendable () -> Bool = { true },
        settings: (any SettingsReceiver)? = nil, people: (sharing: PeopleSharing, engine: RequestQueue)? = nil,
        receiver: (topic: String, inbox: ReceiverInbox)? = nil
    ) {
        self.receiver = receiver
        self.queue = queue
        self.requests = requests
        self.settings = settings
        self.people = people
        self.mayAdminister = mayAdminister
        self.isSupported = isSupported
    }

    package func waitForRadio() { queue.waitForAvailability(for: .milliseconds(500)) }

    package var wake: Int32 { queue.wake }

    package var nextDeadline: Instant { .distantFuture }

    package func take(at now: Instant) -> EngineUpdate {
        let content = queue.take()
        if let figures = content.figures { latest = (figures, content.radio) }
        var update = EngineUpdate(outputs: content.outputs, overflow: content.overflow, isLast: content.isClosed)
        update.outputs += settings?.advance(to: now) ?? []
        people?.sharing.pass(&update.outputs)
        if let availability = content.availability {
            let condition =
                receiver.map { RadioCondition(availability, receiver: $0.topic) }
                ?? RadioCondition(
                    availability, mayAdminister: mayAdminister, isSupported: availability != .absent || isSupported())
            update.radio = .live(condition)
            // The radio loop itself logs that it scans, with the adapter's name.
            if !condition.remedy.isEmpty { update.complaint = "radio: \(availability.rawValue): \(condition.remedy)" }
        }
        return update
    }

    /// Passes well-formed requests to the engine, and refuses the others at once.
    package func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer] {
        let messages = messages.filter { message in
            !(receiver?.inbox.take(message, at: now) ?? false)
                && !takesAnnouncement(message, at: now, timebase)
        }
        let desired = messages.last { $0.topic == settings?.topic }
        // A topic retains one message, so only the last of several counts.
        if let desired { settings?.receive(desired.payload) }
        return requests?.receive(messages.filter { $0.topic != settings?.topic }, at: now) ?? []
    }

    /// Returns whether the message is on the topic of the store's announcements. A valid one reaches the engine; where the queue is full, the next
    /// one does, 10 s later.
    private func takesAnnouncement(_ message: IncomingMessage, at now: Instant, _ timebase: Timebase) -> Bool {
        guard let taken = people?.sharing.receive(message.topic, message.payload.octets, at: now, timebase) else {
            return false
        }
        if case .announced(let until) = taken { _ = people?.engine.push(.storeCounts(until: until)) }
        return taken != .no
    }

    package func figures(at now: Instant) -> EngineFigures? {
        latest.map {
            EngineFigures(
                engine: $0.figures, radio: $0.radio, queue: queue.drops, requestFlood: requests?.floodCount ?? 0)
        }
    }
}

/// The receiver of settings over MQTT: it decides about them, and stores them.
package protocol SettingsReceiver: AnyObject {
    /// The topic on which they come.
    var topic: String { get }

    func receive(_ payload: IncomingMessage.Payload)

    /// Returns the reports to publish.
    func advance(to now: Instant) -> [GatewayOutput]
}

/// The engine of a replay, on the recording's clock. The replay fills in its outputs before each turn.
package final class RecordedEngine: Engine, RoundClock {
    package var now: Instant
    package var timebase: Timebase
    package var outputs: [GatewayOutput] = []
    package var figures: GatewayFigures?
    private var people: PeopleSharing?
    /// True once the store counts the people of the recording.
    private(set) package var isCountedByStore = false

    /// - Parameter people: `nil` where the store joins no counts of people, and where the replay does not publish.
    package init(at now: Instant, _ timebase: Timebase, people: PeopleSharing? = nil) {
        self.people = people
        self.now = now
        self.timebase = timebase
    }

    package var wake: Int32 { -1 }

    package var nextDeadline: Instant { .distantFuture }

    package func take(at now: Instant) -> EngineUpdate {
        defer { outputs.removeAll(keepingCapacity: true) }
        people?.pass(&outputs)
        return EngineUpdate(outputs: outputs)
    }

    package func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer] {
        for message in messages {
            if case .announced? = people?.receive(message.topic, message.payload.octets, at: now, timebase) {
                isCountedByStore = true
            }
        }
        return []
    }

    package func figures(at now: Instant) -> EngineFigures? { figures.map { EngineFigures(engine: $0) } }
}
