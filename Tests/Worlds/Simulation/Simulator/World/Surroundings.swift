@testable import Agent
@testable import Core

/// What broker, lines and the clients' ends of them need of the world that they are in.
protocol Surroundings: AnyObject {
    var now: Instant { get }

    /// Something is going to happen on a client's line. What is put down for one instant happens in this order.
    func add(_ event: WireEvent, of client: Int, at instant: Instant)

    /// Lets time pass until `limit`, or until something is so.
    func pass(until limit: Instant, or isEnough: () -> Bool)

    /// The line of a client.
    func line(of client: Int) -> SimulatedNetwork

    /// The broker has taken a message: every subscriber gets it.
    func accepted(_ message: Message)

    /// The broker has refused a message: what was sent behind it may come before it.
    func refused(_ message: Message)
}

/// What happens on the line between a client and the broker.
enum WireEvent {
    case arrivesAtBroker(attempt: Int, ClientPacket)
    case arrivesAtClient(attempt: Int, ClientEvent)
    /// The client library's ping.
    case ping(attempt: Int)
    /// The broker looks whether it has heard from its client.
    case keepaliveCheck(attempt: Int)
}

extension World: Surroundings {
    func add(_ event: WireEvent, of client: Int, at instant: Instant) { agenda.add(.wire(event), at: instant) }

    func line(of client: Int) -> SimulatedNetwork { network }

    func accepted(_ message: Message) { subscriber.receive(message) }

    func refused(_ message: Message) { subscriber.refused(message) }
}
