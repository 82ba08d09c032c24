import Core
import Logging

/// One configured adapter of the radio loop. It keeps the updates of its `ScanController`, and carries out its repairs.
final class ScanStation {
    private(set) var availability: RadioAvailability?
    private(set) var liveness: RadioLiveness = .blind(since: .origin)
    /// The time at which the controller last carried out the agent's scan command.
    private(set) var provedAt: Instant = .origin
    /// True if availability or liveness changed, or there is proof. The runner resets it when it passes it on.
    var hasUpdate = false
    /// Event packets so far.
    private(set) var packets: UInt64 = 0
    private(set) var recoveries: [RecoveryStep: UInt64] = [:]

    private let session: AdapterSession<ScanController>
    private let kernel: any BluetoothKernel
    private var repair: (any AdapterRepair)?
    /// Messages logged since the adapter scanned last. A lasting trouble returns at every attempt, but is logged once.
    private var logged = LogOnce<String>()
    private let wanted: RadioSettings.Adapter
    private let isOneOfSeveral: Bool
    private let bell: Doorbell
    private let logger: Logger

    /// - Parameters:
    ///   - mayAdminister: whether the process has CAP_NET_ADMIN.
    ///   - bell: rings when `finishRepair(at:)` should be called.
    init(
        _ wanted: RadioSettings.Adapter, settings: RadioSettings, mayAdminister: Bool, kernel: any BluetoothKernel,
        bell: Doorbell, logger: Logger
    ) {
        self.wanted = wanted
        self.kernel = kernel
        self.bell = bell
        self.logger = logger
        isOneOfSeveral = settings.adapters.count > 1
        let type: ScanType = settings.scan == .active ? .active : .passive
        let timing = ScanTiming(interval_ms: settings.interval_ms, window_ms: settings.window_ms)
        session = AdapterSession(ScanController(mayAdminister: mayAdminister), on: wanted, kernel: kernel) { step in
            step.packet(type: type, timing: timing)
        }
        session.reported = { [unowned self] update, instant in take(update, at: instant) }
        session.failed = { [unowned self] error in logOnce("\(error)") }
    }

    var index: UInt16? { session.controller.adapter?.index }
    /// For `poll`; -1 while no adapter is open.
    var descriptor: Int32 { session.descriptor }
    var nextDeadline: Instant { session.nextDeadline }
    var droppedPackets: UInt64 { session.droppedPackets }

    /// - Parameter taken: the indices that other stations hold.
    func avoid(_ taken: @escaping () -> Set<UInt16>) { session.taken = taken }

    package func start(at instant: Instant) { session.start(at: instant) }

    func stop(at instant: Instant) {
        session.stop(at: instant)
        repair?.wait()
    }

    func tick(at instant: Instant) { session.tick(at: instant) }

    /// Asks the controller whether it hears, unless that is known or being asked.
    func prove(at instant: Instant) { session.perform(at: instant) { $0.prove(at: instant) } }

    func deviceChanged(_ event: DeviceEvent, at instant: Instant) { session.deviceChanged(event, at: instant) }

    /// Handles the socket after `poll`.
    ///
    /// - Parameter event: gets each event packet, after the controller has handled it and `hasUpdate` tells whether
    /// anything changed.
    /// - Returns: whether packets are still waiting.
    func read(ready: Int16, limit: Int, event: (Span<UInt8>, Instant) -> Void) -> Bool {
        session.read(ready: ready, limit: limit) { packet, instant in
            guard packet[0] == PacketType.event.rawValue else { return }
            packets += 1
            event(packet, instant)
        }
    }

    // MARK: - Update of the controller

    private func take(_ update: ScanUpdate, at instant: Instant) {
        switch update {
        case .availability(let availability):
            self.availability = availability
            hasUpdate = true
            log(availability)
            if availability == .scanning { logged.reset() }
        case .liveness(let liveness):
            self.liveness = liveness
            hasUpdate = true
        case .proof:
            provedAt = instant
            hasUpdate = true
        case .trouble(let trouble):
            logOnce("\(trouble)")
        case .recovery(let step, let adapter):
            recover(step, adapter, at: instant)
        }
    }

    private func recover(_ step: RecoveryStep, _ adapter: Adapter, at instant: Instant) {
        recoveries[step, default: 0] += 1
        logOnce("\(step)")
        if step == .reenable { return }
        do throws(SystemError) {
            repair = try kernel.repair(step, index: adapter.index, bell: bell)
        } catch {
            logOnce("\(error)")
            session.perform(at: instant) { $0.repaired(at: instant) }
        }
    }

    /// Ends the repair if it is done. The bell may have rung for another station.
    func finishRepair(at instant: Instant) {
        guard let repair, let outcome = repair.outcome else { return }
        // The thread has done its work; unless it is joined, its stack would stay.
        repair.wait()
        self.repair = nil
        if case .failed(let error) = outcome { logOnce("\(error)") }
        session.perform(at: instant) { $0.repaired(at: instant) }
    }

    // MARK: - The log

    private func logOnce(_ message: String) {
        guard logged.isNew(message) else { return }
        logger.notice("\(session.controller.adapter?.name ?? "adapter"): \(message)")
    }

    /// The owner reports what keeps the whole radio from scanning, with its remedy. This line is about one adapter.
    private func log(_ availability: RadioAvailability) {
        if availability == .scanning || isOneOfSeveral {
            logger.info("\(session.controller.adapter?.name ?? wanted.name): \(availability.rawValue)")
        }
    }
}
