import Core

/// What turns reports and time into outputs, as a `Round` sees it: a gateway whose radio has a thread of its own, a store, or a replay.
package protocol Engine: AnyObject {
    /// Readable while there is something to take; −1 where time alone brings something.
    var wake: Int32 { get }

    /// When there is something to take by time.
    var nextDeadline: Instant { get }

    /// What happened until `now` and was not taken yet.
    func take(at now: Instant) -> EngineNews

    /// Takes what the broker delivered, and returns the refusals to publish.
    func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer]

    func waitForRadio()

    /// The figures for `health`; `nil` before there are any.
    func figures(at now: Instant) -> EngineFigures?
}

extension Engine {
    /// Returns once it is known whether there is a radio, or that takes too long: the first status and the will say so.
    package func waitForRadio() {}
}

/// What an engine has told.
package struct EngineNews {
    /// In the order in which they happened.
    var outputs: [GatewayOutput] = []
    /// What happened after them and found no room.
    var overflow = QueueOverflow()
    /// What a status says of the radio, where that has changed.
    var radio: MessageComposer.RadioStatus?
    /// What an operator can do about it, in one line; `nil` where nothing needs doing.
    var complaint: String?
    /// Nothing more comes.
    var isLast = false
}

/// The figures of an engine, and of the loop that it runs on.
package struct EngineFigures {
    var engine: GatewayFigures
    /// Zero for a store and for a replay, which have no radio.
    var radio = RadioCounters()
    /// What the queue between two loops has shed and lost.
    var queue: (ranging: UInt64, transitions: UInt64) = (0, 0)
    /// Requests that were dropped because there were too many.
    var requestFlood: UInt64 = 0
}

/// The clock that a round's messages are dated by.
package protocol RoundClock: AnyObject {
    /// What the engine's outputs are stamped with.
    var now: Instant { get }

    /// How the time of day relates to `now`.
    var timebase: Timebase { get }
}

/// The machine that the agent runs on: its clocks, and what the process costs. Everything that a live round knows of it comes through here.
package protocol Machine: RoundClock {
    /// Names the life of the monotonic clock; it is another one after each boot.
    var bootID: String { get }

    /// 256 random bits, to be kept secret.
    func secret() -> [UInt8]

    /// The delivery loop makes progress: called in every turn, on its own thread.
    func deliveryMoves()

    /// How things are, in one line for whoever looks after the service; called where it has changed.
    func tellStatus(_ line: String)

    /// Memory now, and CPU since the last call; `nil` where nobody wants to know.
    func processUsage() -> HealthReport.Process?

    /// Puts health for Prometheus where the configuration says, if it does.
    ///
    /// - Returns: what to log, on one line; `nil` where all is well or it was said before.
    func writeMetrics(_ octets: () -> [UInt8]) -> String?
}

/// A gateway's engine on the radio loop's thread, behind the queue that its outputs come through.
package final class QueuedGateway: Engine {
    private let queue: DeliveryQueue
    /// `nil` where requests are not answered.
    private var requests: RequestHandler?
    /// The process has CAP_NET_ADMIN.
    private let mayAdminister: Bool
    private var latest: (figures: GatewayFigures, radio: RadioCounters)?

    /// - Parameter requests: `nil` where requests are not answered.
    package init(_ queue: DeliveryQueue, _ requests: RequestHandler?, mayAdminister: Bool) {
        self.queue = queue
        self.requests = requests
        self.mayAdminister = mayAdminister
    }

    package func waitForRadio() { queue.waitForAvailability(for: .milliseconds(500)) }

    package var wake: Int32 { queue.wake }

    package var nextDeadline: Instant { .distantFuture }

    package func take(at now: Instant) -> EngineNews {
        let content = queue.take()
        if let figures = content.figures { latest = (figures, content.radio) }
        var news = EngineNews(outputs: content.outputs, overflow: content.overflow, isLast: content.isClosed)
        if let availability = content.availability {
            let condition = RadioCondition(availability, mayAdminister: mayAdminister)
            news.radio = .live(condition)
            // That it scans is said by the radio, with the adapter's name.
            if !condition.remedy.isEmpty { news.complaint = "radio: \(availability.rawValue): \(condition.remedy)" }
        }
        return news
    }

    /// Requests of the right form go on to the engine; the others are refused at once.
    package func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer] {
        requests?.receive(messages, at: now) ?? []
    }

    package func figures(at now: Instant) -> EngineFigures? {
        latest.map {
            EngineFigures(
                engine: $0.figures, radio: $0.radio, queue: queue.drops, requestFlood: requests?.floodCount ?? 0)
        }
    }
}

/// What a replay's engine has told by now, on the recording's clock. The replay fills it before each turn.
package final class RecordedEngine: Engine, RoundClock {
    package var now: Instant
    package var timebase: Timebase
    package var outputs: [GatewayOutput] = []
    package var figures: GatewayFigures?

    package init(at now: Instant, _ timebase: Timebase) {
        self.now = now
        self.timebase = timebase
    }

    package var wake: Int32 { -1 }

    package var nextDeadline: Instant { .distantFuture }

    package func take(at now: Instant) -> EngineNews {
        defer { outputs.removeAll(keepingCapacity: true) }
        return EngineNews(outputs: outputs)
    }

    package func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer] { [] }

    package func figures(at now: Instant) -> EngineFigures? { figures.map { EngineFigures(engine: $0) } }
}
