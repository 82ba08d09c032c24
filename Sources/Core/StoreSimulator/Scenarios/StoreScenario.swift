/// A shop floor and what happens on it: where the gateway hangs and who advertises where and when.
package struct StoreScenario: Hashable, Sendable {
    /// Names it in the ground truth.
    package var name: String
    /// Nothing is sent after this.
    var duration: TimeSpan
    package var gateway: FloorPoint
    var actors: [Actor]
    var propagation: Propagation
    var scanner: Scanner
    /// When the gateway hears nothing at all, in the order of time.
    var scanGaps: [Range<Instant>] = []
    /// Where walls are; `nil` for a shop that is one room.
    var rooms: Rooms?

    package init(
        name: String, duration: TimeSpan, gateway: FloorPoint, actors: [Actor],
        propagation: Propagation = Propagation(),
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
