public import HCI

/// A shop floor and what happens on it: where the gateway hangs and who advertises where and when.
public struct StoreScenario: Hashable, Sendable {
    /// Names it in the ground truth.
    public var name: String
    /// Nothing is sent after this.
    public var duration: TimeSpan
    public var gateway: Position
    public var actors: [Actor]
    public var propagation: Propagation
    public var scanner: Scanner
    /// When the gateway hears nothing at all, in the order of time.
    public var scanGaps: [Range<Instant>] = []
    /// Where walls are; `nil` for a shop that is one room.
    public var rooms: Rooms?

    public init(
        name: String, duration: TimeSpan, gateway: Position, actors: [Actor], propagation: Propagation = Propagation(),
        scanner: Scanner = Scanner()
    ) {
        self.name = name
        self.duration = duration
        self.gateway = gateway
        self.actors = actors
        self.propagation = propagation
        self.scanner = scanner
    }
}
