@testable import Agent
@testable import Core
@testable import TestDisk

/// The agent's end of the connection, in place of libmosquitto.
final class SimulatedConnection: BrokerConnection {
    private enum Phase {
        case idle, connecting, connected, over
    }

    private unowned let world: any Surroundings
    private let line: SimulatedNetwork
    private let machine: SimulatedMachine
    private let disk: SimulatedDisk
    private let keepalive: TimeSpan
    private var phase = Phase.idle
    private var attempt = 0
    private var arrived: [ClientEvent] = []
    private var lastMid: UInt16 = 0
    private var hasDied = false
    /// Whether the process is gone, or ended at an operation of the disk, so that its later actions do not happen.
    private var isDead: Bool { hasDied || disk.hasCrashed }
    /// Set while the agent says goodbye: time then passes during a wait.
    var letsTimePass = false
    /// Called with every message as the delivery loop takes it.
    var onTaken: ((IncomingMessage) -> Void)?
    /// The time at which the delivery loop continues, if nothing happens before.
    private(set) var wakesAt = Instant.origin

    init(
        _ world: any Surroundings, _ line: SimulatedNetwork, _ machine: SimulatedMachine, _ disk: SimulatedDisk,
        keepalive_s: Int
    ) {
        self.world = world
        self.line = line
        self.machine = machine
        self.disk = disk
        keepalive = .seconds(Double(keepalive_s))
    }

    /// This machine never sleeps, so both of its clocks show the same.
    var now: BootInstant { BootInstant(microseconds: machine.now.microseconds) }
    var isOpen: Bool { hasSocket && !isDead }
    private var hasSocket: Bool { phase == .connecting || phase == .connected }
    var isBackedUp: Bool { phase != .connected || line.cut == .delays }
    var hasArrived: Bool { !arrived.isEmpty }

    /// Ends the process. The kernel closes its socket, unless the machine is gone too.
    func die(withMachine: Bool) {
        if hasSocket, !withMachine { line.toBroker(.end, of: attempt) }
        hasDied = true
        phase = .over
        arrived = []
    }

    func connect(will: Message?, after failure: ConnectionFailure?) throws(ConnectionFailure) {
        drop()
        if isDead { return }
        attempt = line.beginAttempt()
        phase = .connecting
        lastMid = 0
        line.toBroker(.connect(will: will), of: attempt)
    }

    func drop() {
        if isOpen { line.toBroker(.end, of: attempt) }
        phase = .idle
        arrived = []
    }

    func disconnect() {
        guard phase == .connected, !isDead else { return }
        line.toBroker(.disconnect, of: attempt)
        phase = .over
    }

    func subscribe(_ filter: String) {
        if phase == .connected, !isDead { line.toBroker(.subscribe(filter), of: attempt) }
    }

    func unsubscribe(_ filter: String) {
        if phase == .connected, !isDead { line.toBroker(.unsubscribe(filter), of: attempt) }
    }

    func publish(_ message: Message) throws(PublishFailure) -> UInt16 {
        guard phase == .connected, !isDead else { throw .connectionLost }
        lastMid = lastMid == .max ? 1 : lastMid + 1
        line.toBroker(.publish(mid: lastMid, message), of: attempt)
        return lastMid
    }

    func wait(timeout_ms: Int32, wake: Int32) -> [ClientEvent] {
        let limit = machine.now + .milliseconds(Int64(timeout_ms))
        if wake >= 0 { wakesAt = limit }
        if letsTimePass, !isDead { world.pass(until: machine.time(limit)) { self.hasArrived || self.isDead } }
        defer { arrived = [] }
        if let onTaken {
            for case .received(let message) in arrived { onTaken(message) }
        }
        return arrived
    }

    /// Receives an event from the broker.
    func receive(_ event: ClientEvent, of attempt: Int) {
        guard attempt == self.attempt, isOpen else { return }
        arrived.append(.heard)
        switch event {
        case .connected:
            phase = .connected
            world.add(.ping(attempt: attempt), of: line.client, at: world.now + keepalive)
        case .lost: phase = .over
        case .heard: return
        case .acknowledged, .subscribed, .received, .certificateChanged, .certificateRefused: break
        }
        arrived.append(event)
    }

    func ping(of attempt: Int) {
        guard attempt == self.attempt, phase == .connected, !isDead else { return }
        line.toBroker(.ping, of: attempt)
        world.add(.ping(attempt: attempt), of: line.client, at: world.now + keepalive)
    }
}
