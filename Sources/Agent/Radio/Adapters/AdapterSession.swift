import Core
import Glibc

/// The I/O half of an `AdapterController`: it carries out the actions on one configured adapter, and reports the
/// results.
final class AdapterSession<Controller: AdapterController> {
    private(set) var controller: Controller
    private(set) var nextDeadline: Instant = .distantFuture
    /// The indices that other sessions hold.
    var taken: () -> Set<UInt16> = { [] }
    /// Receives the controller's updates.
    var reported: (Controller.Update, Instant) -> Void = { _, _ in }
    /// Receives the error of opening, sending or receiving.
    var failed: (SystemError) -> Void = { _ in }

    private let kernel: any BluetoothKernel
    private let wanted: RadioSettings.Adapter
    private let packet: (Controller.Step) -> [UInt8]?
    private let batch = PacketBatch()
    private var receiveTime = ReceiveTime(at: .origin)
    private var socket: (any AdapterSocket)?
    /// Packets dropped by sockets that are closed by now.
    private var formerlyDropped: UInt64 = 0
    /// The address by which the last adapter is found again after it was plugged into another port.
    private var known: DeviceAddress?

    /// - Parameter packet: the command packet of a step; `nil` where there is nothing to send.
    init(
        _ controller: Controller, on wanted: RadioSettings.Adapter, kernel: any BluetoothKernel,
        packet: @escaping (Controller.Step) -> [UInt8]?
    ) {
        self.controller = controller
        self.wanted = wanted
        self.kernel = kernel
        self.packet = packet
    }

    /// For `poll`; -1 while no adapter is open.
    var descriptor: Int32 { socket?.descriptor ?? -1 }

    /// The number of packets that the kernel has dropped because they were not read in time.
    var droppedPackets: UInt64 { formerlyDropped + UInt64(socket?.droppedPackets() ?? 0) }

    package func start(at instant: Instant) { perform(at: instant) { $0.start(at: instant) } }
    func stop(at instant: Instant) { perform(at: instant) { $0.stop(at: instant) } }

    func tick(at instant: Instant) {
        if instant >= nextDeadline { perform(at: instant) { $0.tick(at: instant) } }
    }

    func deviceChanged(_ event: DeviceEvent, at instant: Instant) {
        perform(at: instant) { $0.deviceChanged(event, at: instant) }
    }

    /// Carries out the actions that the controller returns from a verb.
    func perform(at instant: Instant, _ verb: (inout Controller) -> [Controller.Action]) {
        let actions = verb(&controller)
        for action in actions { perform(action, at: instant) }
        nextDeadline = controller.nextDeadline
    }

    // MARK: - Packets

    /// Handles the socket after `poll`.
    ///
    /// - Parameters:
    ///   - ready: the events that `poll` returned.
    ///   - limit: the most packets to read at once, so that timers have their turn in a flood.
    ///   - seen: gets each packet after the controller has handled it; valid only during the call.
    /// - Returns: whether packets are still waiting.
    func read(ready: Int16, limit: Int, seen: (Span<UInt8>, Instant) -> Void) -> Bool {
        guard let socket else { return false }
        var hasBacklog = false
        if Int32(ready) & POLLIN != 0 { hasBacklog = drain(socket, limit: limit, seen: seen) }
        if Int32(ready) & (POLLERR | POLLHUP | POLLNVAL) != 0, self.socket === socket {
            fail(socket.pendingError(), at: kernel.now)
        }
        return hasBacklog
    }

    private func drain(_ socket: any AdapterSocket, limit: Int, seen: (Span<UInt8>, Instant) -> Void) -> Bool {
        defer { nextDeadline = controller.nextDeadline }
        var left = limit
        do throws(SystemError) {
            while left > 0 {
                let count = try socket.receive(batch, limit: left)
                let (wall, now) = (kernel.wall, kernel.now)
                for place in 0..<count {
                    let octets = batch.packet(place)
                    if octets.isEmpty { throw SystemError("recvmmsg", code: EPIPE) }
                    let arrival = receiveTime.arrival(stamp: batch.timeStamp(place), wall: wall, now: now)
                    octets.withMemoryRebound(to: UInt8.self) { take($0.span, at: arrival, seen: seen) }
                    // Handling a packet may have closed this socket.
                    guard self.socket === socket else { return false }
                }
                // Fewer packets than possible mean an empty socket, so another call is saved.
                if count < min(left, PacketBatch.capacity) {
                    receiveTime.foundEmpty(at: now)
                    return false
                }
                left -= count
            }
            return true
        } catch {
            fail(error, at: kernel.now)
            return false
        }
    }

    private func take(_ packet: Span<UInt8>, at instant: Instant, seen: (Span<UInt8>, Instant) -> Void) {
        let actions = controller.received(packet, at: instant)
        if !actions.isEmpty { for action in actions { perform(action, at: instant) } }
        seen(packet, instant)
    }

    // MARK: - Actions

    private func perform(_ action: Controller.Action, at instant: Instant) {
        switch action {
        case .look:
            let choice = kernel.survey().choose(wanted, known: known, taken: taken())
            perform(at: instant) { $0.surveyed(choice, at: instant) }
        case .open(let adapter):
            open(adapter, at: instant)
        case .send(let step):
            guard let packet = packet(step) else { return }
            do throws(SystemError) {
                try socket?.send(packet)
            } catch {
                fail(error, at: instant)
            }
        case .close:
            formerlyDropped = droppedPackets
            socket = nil
        case .report(let update):
            reported(update, instant)
        }
    }

    private func open(_ adapter: Adapter, at instant: Instant) {
        do throws(SystemError) {
            socket = try kernel.open(adapter.index, filter: Controller.filter)
        } catch {
            return fail(error, at: instant)
        }
        receiveTime = ReceiveTime(at: kernel.now)
        if adapter.address.bits != 0 { known = adapter.address }
        perform(at: instant) { $0.opened(at: instant) }
    }

    private func fail(_ error: SystemError, at instant: Instant) {
        failed(error)
        perform(at: instant) { $0.socketFailed(error.availability, at: instant) }
    }
}
