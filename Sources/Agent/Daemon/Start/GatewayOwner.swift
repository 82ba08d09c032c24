import Core
import Synchronization

/// The engine on the radio loop's thread: bytes, time and requests in, outputs into the queue.
package struct GatewayOwner: RadioOwner {
    private var engine: GatewayEngine
    private let queue: DeliveryQueue
    private let requests: RequestQueue
    private let recent: RecentEvents?
    /// `nil` where no receiver says where the gateway is.
    private var fixes: FixFeed?
    private let moves: @Sendable () -> Void
    private var outputs: [GatewayOutput] = []
    private var figuresDue = Instant.origin
    private var counters = RadioCounters()
    /// Since when nothing is heard, where that is so.
    private var blindSince: Instant?

    /// Counting the listed tracks goes through all of them.
    static let figuresInterval = TimeSpan.seconds(10)

    /// - Parameters:
    ///   - outputs: what the engine told when it was made.
    ///   - recent: where events are kept for a capture file.
    ///   - fixes: where the place comes from.
    ///   - moves: called about once a second while the loop makes progress.
    package init(
        engine: GatewayEngine, outputs: [GatewayOutput], queue: DeliveryQueue, requests: RequestQueue,
        recent: RecentEvents?, fixes: FixFeed? = nil, moves: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.outputs = outputs
        self.queue = queue
        self.requests = requests
        self.recent = recent
        self.fixes = fixes
        self.moves = moves
    }

    package mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant) {
        let event = packet.extracting(droppingFirst: 1)
        recent?.push(event, at: instant)
        engine.receive(event, from: adapter, at: instant, outputs: &outputs)
    }

    package mutating func tick(at instant: Instant) -> EngineWait {
        fixes?.feed(&engine, at: instant, outputs: &outputs)
        var wait = engine.advance(through: instant, outputs: &outputs)
        let entries = requests.take()
        for entry in entries { engine.answer(entry.request, to: entry.address, at: instant, outputs: &outputs) }
        // An answer may have set a timer.
        if !entries.isEmpty { wait = engine.advance(through: instant, outputs: &outputs) }
        fixes?.follow(listens: wait.listensForFixes)
        flush()
        return wait
    }

    /// Which of the engine's inner invariants does not hold; `nil` where all do. For simulations: it goes through everything.
    var brokenInvariant: String? { engine.brokenInvariant }

    package mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant) {
        if case .blind(let since) = liveness { blindSince = min(since, instant) } else { blindSince = nil }
        engine.liveness(liveness, at: instant, outputs: &outputs)
    }

    package mutating func radioProved(at instant: Instant) { engine.radioProved(at: instant, outputs: &outputs) }

    package mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant) {
        // That it hears nothing is found out some seconds late.
        let since = availability == .stalled ? blindSince : nil
        outputs.append(.radio(.live(availability), at: since ?? instant))
        flush()
        queue.push(availability)
    }

    package mutating func counted(_ counters: RadioCounters, at instant: Instant) {
        self.counters = counters
        moves()
        guard instant >= figuresDue else { return }
        figuresDue = instant + Self.figuresInterval
        queue.push(engine.figures, counters)
    }

    /// The time last heard is stored as it is now, so that a restart goes on from here.
    package mutating func stopped(at instant: Instant) {
        engine.stop(&outputs)
        flush()
        queue.push(engine.figures, counters)
    }

    private mutating func flush() {
        if outputs.isEmpty { return }
        queue.push(outputs)
        outputs.removeAll(keepingCapacity: true)
    }
}

/// The ring of recent events between the radio loop, which fills it, and whoever writes them to a file.
package final class RecentEvents: Sendable {
    /// Octets that are copied at once, so that the radio loop never waits longer than that takes.
    static let pieceLength = 1 << 16

    private let ring: Mutex<EventRing>

    /// - Parameter capacity: octets.
    package init(capacity: Int) {
        ring = Mutex(EventRing(capacity: capacity))
    }

    package func push(_ event: Span<UInt8>, at instant: Instant) { ring.withLock { $0.push(event, at: instant) } }

    /// Behind the latest event.
    package var newest: EventRing.Cursor { ring.withLock(\.newest) }

    /// The next events from `cursor` on, some 64 KiB of them.
    package func piece(from cursor: EventRing.Cursor, through end: EventRing.Cursor) -> EventPiece {
        ring.withLock { $0.piece(from: cursor, through: end, limit: Self.pieceLength) }
    }
}
