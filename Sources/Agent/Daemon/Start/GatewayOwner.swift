import Core
import Synchronization

/// The engine on the radio loop's thread: it receives packets, time and requests, and puts outputs into the queue.
package struct GatewayOwner: RadioOwner {
    private var engine: GatewayEngine
    private let queue: DeliveryQueue
    private let requests: RequestQueue
    private let recent: RecentEvents?
    /// `nil` where no receiver tells the gateway's place.
    private var fixes: FixFeed?
    private let clock: @Sendable () -> Timebase
    private let moves: @Sendable () -> Void
    private var outputs: [GatewayOutput] = []
    private var figuresDue = Instant.origin
    private var counters = RadioCounters()
    /// The beginning of the present blindness; `nil` where the radio hears.
    private var blindSince: Instant?

    /// Counting the listed tracks visits all of them, so it is rare.
    static let figuresInterval = TimeSpan.seconds(10)

    /// - Parameters:
    ///   - outputs: the engine's first outputs.
    ///   - recent: the ring of events for a capture file.
    ///   - fixes: the source of the place.
    ///   - clock: the time of day, which regions of people need.
    ///   - moves: called about once a second while the loop makes progress.
    package init(
        engine: GatewayEngine, outputs: [GatewayOutput], queue: DeliveryQueue, requests: RequestQueue,
        recent: RecentEvents?, fixes: FixFeed? = nil,
        clock: @escaping @Sendable () -> Timebase = { .ofRecordings }, moves: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.outputs = outputs
        self.queue = queue
        self.requests = requests
        self.recent = recent
        self.fixes = fixes
        self.clock = clock
        self.moves = moves
    }

    package mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant) {
        let event = packet.extracting(droppingFirst: 1)
        if let recent, engine.mayKeep(event) { recent.push(event, at: instant) }
        engine.receive(event, from: adapter, at: instant, outputs: &outputs)
    }

    package mutating func tick(at instant: Instant) -> EngineWait {
        fixes?.feed(&engine, at: instant, outputs: &outputs)
        if engine.countsPeople { engine.follow(clock()) }
        var wait = engine.advance(through: instant, outputs: &outputs)
        let entries = requests.take()
        for entry in entries {
            switch entry {
            case .request(let request, let address):
                engine.answer(request, to: address, at: instant, outputs: &outputs)
            case .storeCounts(let until): engine.storeCounts(until: until, at: instant, outputs: &outputs)
            }
        }
        // An entry may have set a timer.
        if !entries.isEmpty { wait = engine.advance(through: instant, outputs: &outputs) }
        fixes?.follow(listens: wait.listensForFixes)
        flush()
        return wait
    }

    /// Returns what is wrong with the engine; for tests.
    func checkInvariants() -> [String] { engine.checkInvariants() }

    package mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant) {
        if case .blind(let since) = liveness { blindSince = min(since, instant) } else { blindSince = nil }
        engine.liveness(liveness, at: instant, outputs: &outputs)
    }

    package mutating func radioProved(at instant: Instant) { engine.radioProved(at: instant, outputs: &outputs) }

    package mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant) {
        // Blindness is detected some seconds after it began.
        let since = availability == .stalled || availability == .unusable ? blindSince : nil
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

    /// Stores the time of the last report, so that a restart continues from here.
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

/// The ring of recent events. The radio loop fills it; the capture writer reads it.
package final class RecentEvents: Sendable {
    /// The most octets copied at once, which limits the radio loop's wait.
    static let pieceLength = 1 << 16

    private let ring: Mutex<EventRing>

    /// - Parameter capacity: in octets.
    package init(capacity: Int) { ring = Mutex(EventRing(capacity: capacity)) }

    package func push(_ event: Span<UInt8>, at instant: Instant) { ring.withLock { $0.push(event, at: instant) } }

    /// The position after the latest event.
    package var newest: EventRing.Cursor { ring.withLock(\.newest) }

    /// The next events from `cursor` on, about 64 KiB.
    package func piece(from cursor: EventRing.Cursor, through end: EventRing.Cursor) -> EventPiece {
        ring.withLock { $0.piece(from: cursor, through: end, limit: Self.pieceLength) }
    }
}
