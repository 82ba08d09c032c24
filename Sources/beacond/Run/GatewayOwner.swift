import Gateway
import HCI
import Radio

/// The engine on the radio loop's thread: bytes and time in, outputs into the queue.
struct GatewayOwner: RadioOwner {
    private var engine: GatewayEngine
    private let queue: DeliveryQueue
    private var outputs: [GatewayOutput] = []
    private var figuresDue = Instant.origin

    /// Counting the listed tracks goes through all of them.
    static let figuresInterval = TimeSpan.seconds(10)

    /// - Parameter outputs: what the engine told when it was made.
    init(engine: GatewayEngine, outputs: [GatewayOutput], queue: DeliveryQueue) {
        self.engine = engine
        self.outputs = outputs
        self.queue = queue
    }

    mutating func packet(_ packet: Span<UInt8>, from receiver: Int, at instant: Instant) {
        engine.receive(packet.extracting(droppingFirst: 1), from: receiver, at: instant, outputs: &outputs)
    }

    mutating func tick(at instant: Instant) -> Instant {
        engine.advance(through: instant, outputs: &outputs)
        flush()
        return engine.nextDeadline
    }

    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant) {
        engine.liveness(liveness, at: instant, outputs: &outputs)
    }

    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant) {
        queue.push(availability)
    }

    mutating func counted(_ counters: RadioCounters, isFinal: Bool, at instant: Instant) {
        guard isFinal || instant >= figuresDue else { return }
        figuresDue = instant + Self.figuresInterval
        queue.push(engine.figures, counters)
    }

    private mutating func flush() {
        if outputs.isEmpty { return }
        queue.push(outputs)
        outputs.removeAll(keepingCapacity: true)
    }
}
