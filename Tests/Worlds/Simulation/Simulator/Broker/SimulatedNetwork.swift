@testable import Agent
@testable import Core

/// The network between a client and the broker. Packets arrive later, in the order of sending, or never.
final class SimulatedNetwork {
    /// The fate of packets while the connection is cut.
    enum Cut {
        /// Packets wait and are sent again, as by TCP.
        case delays
        /// A router forgets the connections: none of their packets ever arrives, and neither end learns of it.
        case forgets
    }

    private unowned let world: any Surroundings
    let client: Int
    private var chance: Chance
    private(set) var cut: Cut?
    /// Packets that wait for the network.
    private var held: [WireEvent] = []
    /// The additional delay of packets.
    var slowness = TimeSpan.zero
    /// Whether PUBACKs overtake each other, or come twice.
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

    /// Repairs the network. The agenda keeps the order of events at one instant.
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

    /// Whether a packet gets through now. Otherwise it is sent again later, or is gone.
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
