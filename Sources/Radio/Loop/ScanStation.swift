import Configuration
import HCI
import Logging

/// One configured adapter: does what its `ScanController` wants, and tells it what came of it.
final class ScanStation {
    private(set) var availability: RadioAvailability?
    private(set) var liveness: RadioLiveness
    /// When the controller last scanned at our word.
    private(set) var provedAt: Instant = .origin
    /// Availability or liveness have changed, or there is proof; whoever passes it on sets it back.
    var hasNews = false
    private(set) var counters = RadioCounters()
    private(set) var nextDeadline: Instant = .distantFuture
    var index: UInt16? { controller.adapter?.index }
    var descriptor: Int32? { socket?.descriptor }

    private var controller: ScanController
    private var socket: ScanSocket?
    private var repair: AdapterRepair?
    /// Drops of the sockets that are closed by now.
    private var formerlyDropped: UInt64 = 0
    /// Where the adapter that served last is found again after it was plugged into another port.
    private var known: DeviceAddress?
    /// What was said since the adapter scanned last. A lasting trouble is met again at every attempt, and said once.
    private var said: Set<String> = []
    private let wanted: RadioSettings.Adapter
    private let isOneOfSeveral: Bool
    private let type: ScanType
    private let timing: ScanTiming
    private let bell: Doorbell
    private let logger: Logger
    /// The indices that other stations hold.
    var taken: () -> Set<UInt16> = { [] }

    /// - Parameters:
    ///   - mayAdminister: the process has CAP_NET_ADMIN.
    ///   - bell: rings when `finishRepair(at:)` is to be called.
    init(
        _ wanted: RadioSettings.Adapter, settings: RadioSettings, mayAdminister: Bool, bell: Doorbell, logger: Logger
    ) {
        controller = ScanController(mayAdminister: mayAdminister)
        self.wanted = wanted
        isOneOfSeveral = settings.adapters.count > 1
        self.bell = bell
        self.logger = logger
        type = settings.scan == .active ? .active : .passive
        timing = ScanTiming(interval_ms: settings.interval_ms, window_ms: settings.window_ms)
        liveness = .blind(since: .origin)
    }

    func start(at instant: Instant) { perform(controller.start(at: instant), at: instant) }

    func stop(at instant: Instant) {
        perform(controller.stop(), at: instant)
        repair?.wait()
    }

    func tick(at instant: Instant) {
        if instant >= nextDeadline { perform(controller.tick(at: instant), at: instant) }
    }

    /// Asks the controller whether it hears, unless that is known or being asked.
    func prove(at instant: Instant) { perform(controller.prove(at: instant), at: instant) }

    func deviceChanged(_ event: DeviceEvent, at instant: Instant) {
        perform(controller.deviceChanged(event, at: instant), at: instant)
    }

    /// `poll` says that the socket has failed.
    func socketFailed(at instant: Instant) {
        guard let socket else { return }
        fail(socket.pendingError(), at: instant)
    }

    /// Takes what waits on the socket.
    ///
    /// - Parameter event: gets each event packet, after the controller has seen it and `hasNews` says whether it
    ///   changed anything.
    /// - Returns: whether packets are still waiting.
    func drain(limit: Int, event: (Span<UInt8>, Instant) -> Void) -> Bool {
        guard let socket else { return false }
        defer { nextDeadline = controller.nextDeadline }
        do throws(RadioError) {
            let isEmpty = try socket.drain(limit: limit) { packet, instant in
                note(RadioPacket(packet), at: instant)
                if packet[0] == HCIFilter.eventPacket {
                    counters.packets += 1
                    event(packet, instant)
                }
                return self.socket === socket
            }
            return !isEmpty && self.socket === socket
        } catch {
            fail(error, at: MonotonicClock.now)
            return false
        }
    }

    func countDrops() {
        counters.dropped = formerlyDropped + UInt64(socket?.droppedPackets() ?? 0)
    }

    private func note(_ packet: RadioPacket, at instant: Instant) {
        switch packet {
        case .report:
            let actions = controller.reportReceived(at: instant)
            if !actions.isEmpty { perform(actions, at: instant) }
        case .outcome(let outcome, let features):
            perform(controller.commandCompleted(outcome, features: features, at: instant), at: instant)
        case .hardwareError(let code):
            perform(controller.hardwareErrorSeen(code: code, at: instant), at: instant)
        case .foreign(let command):
            controller.foreignCommandSeen(command, at: instant)
        case .other:
            break
        }
    }

    /// The bell rang; it may have been for another.
    func finishRepair(at instant: Instant) {
        guard let repair, let outcome = repair.outcome else { return }
        // Its work is done; a thread that nobody waits for would keep its stack.
        repair.wait()
        self.repair = nil
        if case .failed(let error) = outcome { sayOnce("\(error)") }
        perform(controller.repaired(at: instant), at: instant)
    }

    private func sayOnce(_ message: String) {
        let mostSaid = 64
        guard said.count < mostSaid, said.insert(message).inserted else { return }
        logger.notice("\(controller.adapter?.name ?? "adapter"): \(message)")
    }

    /// What keeps the radio as a whole from scanning is for the owner to say, with its remedy; this is about one adapter.
    private func log(_ availability: RadioAvailability) {
        if availability == .scanning || isOneOfSeveral {
            logger.info("\(controller.adapter?.name ?? wanted.name): \(availability.rawValue)")
        }
    }

    private func fail(_ error: RadioError, at instant: Instant) {
        sayOnce("\(error)")
        perform(controller.socketFailed(error.availability, at: instant), at: instant)
    }

    private func perform(_ actions: [ScanAction], at instant: Instant) {
        for action in actions { perform(action, at: instant) }
        nextDeadline = controller.nextDeadline
    }

    private func perform(_ action: ScanAction, at instant: Instant) {
        switch action {
        case .look:
            let choice = AdapterSurvey.current().choose(wanted, known: known, taken: taken())
            perform(controller.surveyed(choice, at: instant), at: instant)
        case .open(let adapter):
            open(adapter, at: instant)
        case .send(let step):
            do throws(RadioError) {
                try socket?.send(step.packet(type: type, timing: timing))
            } catch {
                fail(error, at: instant)
            }
        case .close:
            countDrops()
            formerlyDropped = counters.dropped
            socket = nil
        case .announce(let availability):
            self.availability = availability
            hasNews = true
            log(availability)
            if availability == .scanning { said = [] }
        case .announceLiveness(let liveness):
            self.liveness = liveness
            hasNews = true
        case .announceProof:
            provedAt = instant
            hasNews = true
        case .report(let trouble):
            sayOnce("\(trouble)")
        case .recover(let step, let adapter):
            recover(step, adapter, at: instant)
        }
    }

    private func recover(_ step: RecoveryStep, _ adapter: Adapter, at instant: Instant) {
        counters.recoveries.count(step)
        sayOnce("\(step)")
        if step == .reenable { return }
        do throws(RadioError) {
            repair = try AdapterRepair(step, index: adapter.index, bell: bell)
        } catch {
            sayOnce("\(error)")
            perform(controller.repaired(at: instant), at: instant)
        }
    }

    private func open(_ adapter: Adapter, at instant: Instant) {
        do throws(RadioError) {
            socket = try ScanSocket(index: adapter.index)
        } catch {
            return fail(error, at: instant)
        }
        if adapter.address.bits != 0 { known = adapter.address }
        perform(controller.opened(at: instant), at: instant)
    }
}
