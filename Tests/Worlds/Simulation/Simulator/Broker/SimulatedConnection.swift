import HCI
import MQTT
import Messages

/// The agent's end of the line: what libmosquitto is to the real one.
final class SimulatedConnection: BrokerConnection {
    private enum Phase {
        case idle, connecting, connected, over
    }

    private unowned let world: World
    private let keepalive: TimeSpan
    private var phase = Phase.idle
    private var attempt = 0
    private var arrived: [ClientEvent] = []
    private var lastMid: UInt16 = 0
    private var hasDied = false
    /// The process is gone, or it ended at an operation of the disk and what it does since does not happen.
    private var isDead: Bool { hasDied || world.disk.hasCrashed }
    /// Set while the agent says goodbye: waiting then lets time pass.
    var letsTimePass = false
    /// When the delivery loop wants to go on, if nothing happens before.
    private(set) var wakesAt = Instant.origin

    init(_ world: World, keepalive_s: Int) {
        self.world = world
        keepalive = .seconds(Double(keepalive_s))
    }

    var now: Instant { world.machine.now }
    var isOpen: Bool { hasSocket && !isDead }
    private var hasSocket: Bool { phase == .connecting || phase == .connected }
    var isBackedUp: Bool { phase != .connected || world.network.cut == .delays }
    var hasArrived: Bool { !arrived.isEmpty }

    /// The process is gone. The kernel closes its socket, unless it is gone too.
    func die(withMachine: Bool) {
        if hasSocket, !withMachine { world.network.toBroker(.end, of: attempt) }
        hasDied = true
        phase = .over
        arrived = []
    }

    func connect(will: Message?, after failure: ConnectionFailure?) throws(ConnectionFailure) {
        drop()
        if isDead { return }
        attempt = world.network.beginAttempt()
        phase = .connecting
        lastMid = 0
        world.network.toBroker(.connect(will: will), of: attempt)
    }

    func drop() {
        if isOpen { world.network.toBroker(.end, of: attempt) }
        phase = .idle
        arrived = []
    }

    func disconnect() {
        guard phase == .connected, !isDead else { return }
        world.network.toBroker(.disconnect, of: attempt)
        phase = .over
    }

    func subscribe(_ filter: String) {
        if phase == .connected, !isDead { world.network.toBroker(.subscribe(filter), of: attempt) }
    }

    func unsubscribe(_ filter: String) {
        if phase == .connected, !isDead { world.network.toBroker(.unsubscribe(filter), of: attempt) }
    }

    func publish(_ message: Message) throws(PublishFailure) -> UInt16 {
        guard phase == .connected, !isDead else { throw .connectionLost }
        lastMid = lastMid == .max ? 1 : lastMid + 1
        world.network.toBroker(.publish(mid: lastMid, message), of: attempt)
        return lastMid
    }

    func wait(timeout_ms: Int32, wake: Int32) -> [ClientEvent] {
        let limit = now + .milliseconds(Int64(timeout_ms))
        if wake >= 0 { wakesAt = limit }
        if letsTimePass, !isDead { world.pass(until: world.machine.time(limit)) { self.hasArrived || self.isDead } }
        defer { arrived = [] }
        return arrived
    }

    /// Something came from the broker.
    func receive(_ event: ClientEvent, of attempt: Int) {
        guard attempt == self.attempt, isOpen else { return }
        arrived.append(.heard)
        switch event {
        case .connected:
            phase = .connected
            world.agenda.add(.ping(attempt: attempt), at: world.now + keepalive)
        case .lost: phase = .over
        case .heard: return
        case .acknowledged, .subscribed, .received: break
        }
        arrived.append(event)
    }

    func ping(of attempt: Int) {
        guard attempt == self.attempt, phase == .connected, !isDead else { return }
        world.network.toBroker(.ping, of: attempt)
        world.agenda.add(.ping(attempt: attempt), at: world.now + keepalive)
    }
}
