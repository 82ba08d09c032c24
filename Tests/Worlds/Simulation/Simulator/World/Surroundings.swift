@testable import Agent
@testable import Core

/// The world as broker, connections and their clients' ends need it.
protocol Surroundings: AnyObject {
    var now: Instant { get }

    /// Adds a future event on a client's connection. Events of one instant keep this order.
    func add(_ event: WireEvent, of client: Int, at instant: Instant)

    /// Passes time until `limit`, or until a condition holds.
    func pass(until limit: Instant, or isEnough: () -> Bool)

    /// The connection of a client.
    func line(of client: Int) -> SimulatedNetwork

    /// The broker has accepted a message: every subscriber gets it.
    func accepted(_ message: Message)

    /// The broker has refused a message: messages sent after it may come before it.
    func refused(_ message: Message)
}

/// An event on the connection between a client and the broker.
enum WireEvent {
    case arrivesAtBroker(attempt: Int, ClientPacket)
    case arrivesAtClient(attempt: Int, ClientEvent)
    /// The client library's ping.
    case ping(attempt: Int)
    /// The broker checks whether its client has sent anything.
    case keepaliveCheck(attempt: Int)
}

extension World {
    func add(_ event: WireEvent, of client: Int, at instant: Instant) { agenda.add(.wire(event), at: instant) }

    func line(of client: Int) -> SimulatedNetwork { network }

    func accepted(_ message: Message) { subscriber.receive(message) }

    func refused(_ message: Message) { subscriber.refused(message) }
}
