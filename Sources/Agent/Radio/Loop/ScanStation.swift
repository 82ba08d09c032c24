import Core
import Logging

/// One configured adapter of the radio loop: keeps what its `ScanController` tells, and carries its repairs out.
final class ScanStation {
    private(set) var availability: RadioAvailability?
    private(set) var liveness: RadioLiveness = .blind(since: .origin)
    /// When the controller last scanned at our word.
    private(set) var provedAt: Instant = .origin
    /// Availability or liveness have changed, or there is proof; whoever passes it on sets it back.
    var hasNews = false
    /// Event packets so far.
    private(set) var packets: UInt64 = 0
    private(set) var recoveries = RecoveryCounts()

    private let session: AdapterSession<ScanController>
    private let kernel: any BluetoothKernel
    private var repair: (any AdapterRepair)?
    /// What was said since the adapter scanned last. A lasting trouble is met again at every attempt, and said once.
    private var said = SaidOnce<String>()
    private let wanted: RadioSettings.Adapter
    private let isOneOfSeveral: Bool
    private let bell: Doorbell
    private let logger: Logger

    /// - Parameters:
    ///   - mayAdminister: the process has CAP_NET_ADMIN.
    ///   - bell: rings when `finishRepair(at:)` is to be called.
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
        session.told = { [unowned self] news, instant in take(news, at: instant) }
        session.failed = { [unowned self] error in sayOnce("\(error)") }
    }

    /// The adapter that it holds.
    var index: UInt16? { session.controller.adapter?.index }
    /// For `poll`; -1 while no adapter is open.
    var descriptor: Int32 { session.descriptor }
    var nextDeadline: Instant { session.nextDeadline }
    var droppedPackets: UInt64 { session.droppedPackets }

    /// - Parameter taken: the indices that other stations hold, which are theirs.
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

    /// Does what `poll` says is to be done about the socket.
    ///
    /// - Parameter event: gets each event packet, after the controller has seen it and `hasNews` says whether it
    ///   changed anything.
    /// - Returns: whether packets are still waiting.
    func read(ready: Int16, limit: Int, event: (Span<UInt8>, Instant) -> Void) -> Bool {
        session.read(ready: ready, limit: limit) { packet, instant in
            guard packet[0] == PacketType.event.rawValue else { return }
            packets += 1
            event(packet, instant)
        }
    }

    // MARK: - What the controller tells

    private func take(_ news: ScanNews, at instant: Instant) {
        switch news {
        case .availability(let availability):
            self.availability = availability
            hasNews = true
            log(availability)
            if availability == .scanning { said.forget() }
        case .liveness(let liveness):
            self.liveness = liveness
            hasNews = true
        case .proof:
            provedAt = instant
            hasNews = true
        case .trouble(let trouble):
            sayOnce("\(trouble)")
        case .recovery(let step, let adapter):
            recover(step, adapter, at: instant)
        }
    }

    private func recover(_ step: RecoveryStep, _ adapter: Adapter, at instant: Instant) {
        recoveries.count(step)
        sayOnce("\(step)")
        if step == .reenable { return }
        do throws(SystemError) {
            repair = try kernel.repair(step, index: adapter.index, bell: bell)
        } catch {
            sayOnce("\(error)")
            session.perform(at: instant) { $0.repaired(at: instant) }
        }
    }

    /// The bell rang; it may have been for another.
    func finishRepair(at instant: Instant) {
        guard let repair, let outcome = repair.outcome else { return }
        // Its work is done; a thread that nobody waits for would keep its stack.
        repair.wait()
        self.repair = nil
        if case .failed(let error) = outcome { sayOnce("\(error)") }
        session.perform(at: instant) { $0.repaired(at: instant) }
    }

    // MARK: - The log

    private func sayOnce(_ message: String) {
        guard said.isNew(message) else { return }
        logger.notice("\(session.controller.adapter?.name ?? "adapter"): \(message)")
    }

    /// What keeps the radio as a whole from scanning is for the owner to say, with its remedy; this is about one adapter.
    private func log(_ availability: RadioAvailability) {
        if availability == .scanning || isOneOfSeveral {
            logger.info("\(session.controller.adapter?.name ?? wanted.name): \(availability.rawValue)")
        }
    }
}
