import Glibc

@testable import Agent
@testable import Core

/// The kernel's Bluetooth as one process of the agent sees it: the real radio loop works through it.
///
/// Nothing waits here. `poll` notes its conditions, and the world runs the loop once they hold.
final class SimulatedKernel: BluetoothKernel {
    private unowned let world: World
    private let life: Int
    /// The loop's socket, while it has one.
    private weak var socket: SimulatedSocket?
    private var deviceEvents: [DeviceEvent] = []
    /// Larger than any descriptor of the process itself.
    private var lastDescriptor: Int32 = 1 << 20
    let deviceEventsDescriptor: Int32 = 1 << 20
    /// The time at which the loop continues, if nothing happens before.
    private(set) var wakesAt = Instant.origin
    /// Whether packets wake it.
    private(set) var isWaitingForPackets = false

    init(_ world: World, life: Int) {
        self.world = world
        self.life = life
    }

    var now: Instant { world.machine.now }
    var wall: WallTime { world.machine.wall }

    // MARK: - Used by the world

    /// Whether reports reach the agent.
    var isListening: Bool { socket != nil && world.adapter.hears }
    /// Whether silence has a meaning, as far as the agent can know.
    var seemsToListen: Bool { socket != nil && world.adapter.claimsToHear }
    /// Whether the loop has read everything; `nil` where it has closed its socket, whose content is lost.
    var hasReadAll: Bool? { socket?.isEmpty }

    /// The controller sends an event, from its packet type on.
    func receive(_ packet: [UInt8]) { socket?.queue(packet, stamp: wall) }

    /// The adapter came, went, or was powered up or down.
    func post(_ event: DeviceEvent) {
        deviceEvents.append(event)
        if event.change == .unregistered { socket?.fail() }
    }

    // MARK: - Used by the loop

    func survey() -> AdapterSurvey { AdapterSurvey(adapters: [world.adapter.listed].compactMap(\.self)) }

    func open(_ index: UInt16, filter: HCIFilter) throws(SystemError) -> any AdapterSocket {
        guard world.adapter.isUp else { throw SystemError("bind", code: ENODEV) }
        lastDescriptor += 1
        let socket = SimulatedSocket(self, descriptor: lastDescriptor)
        self.socket = socket
        return socket
    }

    func send(_ packet: [UInt8]) throws(SystemError) {
        guard world.adapter.isUp else { throw SystemError("send", code: ENETDOWN) }
        world.sentCommand()
        guard let answer = world.adapter.carryOut(packet) else { return }
        world.agenda.add(.controllerAnswers(life: life, answer), at: world.now + world.adapter.answersAfter)
    }

    func takeDeviceEvents() -> [DeviceEvent] {
        defer { deviceEvents = [] }
        return deviceEvents
    }

    func repair(_ step: RecoveryStep, index: UInt16, bell: Doorbell) throws(SystemError) -> any AdapterRepair {
        let repair = SimulatedRepair(step, bell: bell)
        world.agenda.add(.repairEnds(life: life, repair), at: world.now + .seconds(2))
        return repair
    }

    func poll(_ slots: UnsafeMutableBufferPointer<pollfd>, timeout_ms: Int32) -> Int32 {
        var ready: Int32 = 0
        isWaitingForPackets = false
        for slot in slots.indices {
            if slots[slot].fd == socket?.descriptor { isWaitingForPackets = true }
            slots[slot].revents = readiness(of: slots[slot].fd)
            if slots[slot].revents != 0 { ready += 1 }
        }
        wakesAt = ready > 0 ? now : timeout_ms < 0 ? .distantFuture : now + .milliseconds(Int64(timeout_ms))
        return ready
    }

    private func readiness(of descriptor: Int32) -> Int16 {
        if descriptor < 0 { return 0 }
        if descriptor == deviceEventsDescriptor { return deviceEvents.isEmpty ? 0 : Int16(POLLIN) }
        if descriptor > deviceEventsDescriptor {
            return descriptor == socket?.descriptor ? socket?.readiness ?? 0 : Int16(POLLNVAL)
        }
        // The loop's bell is a real one.
        var bell = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&bell, 1, 0) > 0 ? bell.revents : 0
    }
}

/// A change of the adapter's power that the agent asked for.
final class SimulatedRepair: AdapterRepair {
    let step: RecoveryStep
    private let bell: Doorbell
    private(set) var outcome: RepairOutcome?

    init(_ step: RecoveryStep, bell: Doorbell) {
        self.step = step
        self.bell = bell
    }

    /// The change happens at once, when it ends, so there is nothing to wait for.
    func wait() {}

    func end() {
        outcome = .done
        bell.ring()
    }
}
