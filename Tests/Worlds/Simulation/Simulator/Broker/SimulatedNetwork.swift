@testable import Agent
@testable import Core

/// The line between a client and the broker. What is sent arrives later, in the order in which it was sent, or never.
final class SimulatedNetwork {
    /// What becomes of packets while the line is cut.
    enum Cut {
        /// They wait and are sent again, as TCP does it.
        case delays
        /// Something on the way forgets the connections: nothing of them ever arrives, and nobody is told.
        case forgets
    }

    private unowned let world: any Surroundings
    let client: Int
    private var chance: Chance
    private(set) var cut: Cut?
    /// What waits for the line.
    private var held: [WireEvent] = []
    /// How much later than usual packets arrive.
    var slowness = TimeSpan.zero
    /// PUBACKs overtake each other, or come twice.
    var shufflesAcknowledgements = false
    private(set) var lastAttempt = 0
    private var forgotten: Set<Int> = []
    private var lastToBroker = Instant.origin
    private var lastToClient = Instant.origin

    init(_ world: any Surroundings, client: Int, seed: UInt64) {
        self.world = world
        self.client = client
        chance = Chance(seed: seed, stream: "network")
    }

    func begin(_ cut: Cut) { self.cut = cut }

    /// The line works again. The agenda keeps the order of what is put down for one instant.
    func mend() {
        cut = nil
        for event in held { world.add(event, of: client, at: world.now) }
        held = []
    }

    func beginAttempt() -> Int {
        lastAttempt += 1
        return lastAttempt
    }

    private func latency() -> TimeSpan { chance.span(0.000_5, 0.02) + slowness }

    func toBroker(_ packet: ClientPacket, of attempt: Int) {
        lastToBroker = max(world.now + latency(), lastToBroker + TimeSpan(microseconds: 1))
        world.add(.arrivesAtBroker(attempt: attempt, packet), of: client, at: lastToBroker)
    }

    func toClient(_ event: ClientEvent, of attempt: Int) {
        if shufflesAcknowledgements, case .acknowledged = event {
            for _ in 0...(chance.happens(0.2) ? 1 : 0) {
                world.add(
                    .arrivesAtClient(attempt: attempt, event), of: client, at: world.now + latency() * 3)
            }
            return
        }
        lastToClient = max(world.now + latency(), lastToClient + TimeSpan(microseconds: 1))
        world.add(.arrivesAtClient(attempt: attempt, event), of: client, at: lastToClient)
    }

    /// Whether a packet gets through now. One that does not is sent again later, or is gone.
    func lets(_ event: WireEvent, of attempt: Int) -> Bool {
        if forgotten.contains(attempt) { return false }
        switch cut {
        case nil: return true
        case .forgets:
            forgotten.insert(attempt)
            return false
        case .delays:
            held.append(event)
            return false
        }
    }
}
