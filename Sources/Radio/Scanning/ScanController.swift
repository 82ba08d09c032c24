import Configuration
import HCI

/// Keeps one adapter scanning, whatever happens to it.
///
///     idle ─► waiting ─► opening ─► configuring ─► listening
///              ▲ │ ▲        │            │             │
///              │ │ └────────┴─ adapter gone, off, … ───┤
///              │ ▼                                     │
///              repairing ◄──────── no answer ──────────┘
///
/// While listening, a `LivenessMonitor` tells quiet air from a dead radio: its probe is a configuring that first switches
/// scanning off. A controller that answers no command leaves the state at listening, announced as stalled, and is asked
/// again; `+Recovery` says what is done about it beyond that. Every verb takes the time and returns what to do; nothing
/// here waits, reads a clock or opens anything.
struct ScanController: Sendable {
    enum State: Hashable, Sendable {
        /// Not started, or stopped.
        case idle
        /// No adapter can be used: look again later, or when the kernel says that something changed.
        case waiting(nextLook: Instant)
        case opening
        case configuring(ScanProcedure, deadline: Instant)
        case listening
        /// The adapter is being taken down, up or both, or reset, by us.
        case repairing
    }

    /// How long a controller may take to answer a command.
    static let commandTimeout = TimeSpan.seconds(2)
    /// From one look for the adapter to the next.
    static let lookInterval = TimeSpan.seconds(1)
    /// After a hardware error the kernel itself takes the adapter down and up, within this time.
    static let kernelResetTime = TimeSpan.seconds(10)

    var state: State = .idle
    private(set) var availability: RadioAvailability?
    var liveness: RadioLiveness { monitor.liveness }
    /// The adapter that is open or being repaired.
    var adapter: Adapter?

    var monitor = LivenessMonitor(canProbe: true, at: .origin)
    var ladder: RecoveryLadder
    var power: PowerOnPolicy
    /// When the controller reported one last.
    private(set) var hardwareError: Instant?
    /// The commands that the open adapter is known to understand.
    private var family: CommandFamily?
    /// Scanning would be off without us.
    private var ownsScanning = false
    private var foreign: ForeignActivity?

    /// - Parameter mayAdminister: the process has CAP_NET_ADMIN.
    init(mayAdminister: Bool) {
        ladder = RecoveryLadder(mayAdminister: mayAdminister)
        power = PowerOnPolicy(mayAdminister: mayAdminister)
    }

    var nextDeadline: Instant {
        switch state {
        case .idle, .opening, .repairing: .distantFuture
        case .waiting(let nextLook): nextLook
        case .configuring(let procedure, let deadline):
            procedure.purpose == .probe ? min(deadline, monitor.nextDeadline) : deadline
        case .listening: min(monitor.nextDeadline, foreign?.restsAt ?? .distantFuture)
        }
    }

    // MARK: - Start and stop

    mutating func start(at instant: Instant) -> [ScanAction] {
        guard state == .idle else { return [] }
        monitor = LivenessMonitor(canProbe: true, at: instant)
        return [.announceLiveness(monitor.liveness)] + look(at: instant)
    }

    /// Leaves scanning on where another process had begun it.
    mutating func stop() -> [ScanAction] {
        var actions: [ScanAction] = []
        if case .configuring(let procedure, _) = state, case .enable(let family) = procedure.step,
            procedure.purpose != .refilter
        {
            // Whether it was carried out is not known yet, but it will be.
            actions.append(.send(.disable(family)))
        } else if ownsScanning, let family {
            actions.append(.send(.disable(family)))
        }
        if adapter != nil { actions.append(.close) }
        forgetAdapter()
        state = .idle
        return actions
    }

    // MARK: - The adapter

    mutating func surveyed(_ choice: AdapterSurvey.Choice, at instant: Instant) -> [ScanAction] {
        guard case .waiting = state else { return [] }
        switch choice {
        case .obstacle(let availability, let adapter):
            state = .waiting(nextLook: instant + Self.lookInterval)
            return adapter.map { obstructed($0, availability, at: instant) } ?? announcing(availability)
        case .usable(let adapter):
            power.foundUp(adapter.index)
            state = .opening
            self.adapter = adapter
            return [.open(adapter)]
        }
    }

    mutating func opened(at instant: Instant) -> [ScanAction] {
        guard state == .opening else { return [] }
        return begin(.start, at: instant)
    }

    /// Opening, sending or receiving failed.
    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [ScanAction] {
        switch state {
        case .idle, .waiting, .repairing:
            return []
        case .opening, .configuring, .listening:
            return [.close] + lost(at: instant) + announcing(availability)
        }
    }

    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [ScanAction] {
        notePower(event, at: instant)
        switch state {
        case .idle, .repairing:
            return []
        case .waiting:
            return look(at: instant)
        case .opening, .configuring, .listening:
            guard event.index == adapter?.index else { return [] }
            switch event.change {
            case .unregistered, .down:
                return [.close] + lost(at: instant) + look(at: instant)
            case .registered, .up:
                return state == .opening ? [] : begin(.start, at: instant)
            }
        }
    }

    mutating func look(at instant: Instant) -> [ScanAction] {
        state = .waiting(nextLook: instant + Self.lookInterval)
        return [.look]
    }

    private mutating func lost(at instant: Instant) -> [ScanAction] {
        forgetAdapter()
        state = .waiting(nextLook: instant + Self.lookInterval)
        return monitor.interrupted(at: instant).map { [.announceLiveness($0)] } ?? []
    }

    mutating func forgetAdapter() {
        adapter = nil
        family = nil
        foreign = nil
        ownsScanning = false
    }

    // MARK: - Commands

    /// - Parameter features: what the controller says it can do, where that was asked.
    mutating func commandCompleted(
        _ outcome: CommandOutcome, features: LEFeatures?, at instant: Instant
    ) -> [ScanAction] {
        switch state {
        case .configuring(var procedure, _) where procedure.step.opcode == outcome.opcode:
            let progress = procedure.answered(outcome.status ?? .unspecifiedError, features: features)
            return advance(procedure, progress, at: instant)
        case .listening where isBlind:
            // It answers again, if only another process, or a command that was given up.
            return begin(.probe, at: instant)
        default:
            return []
        }
    }

    private mutating func begin(_ purpose: ScanProcedure.Purpose, at instant: Instant) -> [ScanAction] {
        let procedure = ScanProcedure(purpose, family: family)
        state = .configuring(procedure, deadline: instant + Self.commandTimeout)
        return [.send(procedure.step)]
    }

    private mutating func advance(
        _ procedure: ScanProcedure, _ progress: ScanProcedure.Progress, at instant: Instant
    ) -> [ScanAction] {
        switch progress {
        case .next(let step):
            state = .configuring(procedure, deadline: instant + Self.commandTimeout)
            return [.send(step)]
        case .scanning(let family, let isOurs):
            state = .listening
            ladder.answered()
            self.family = family
            ownsScanning = isOurs
            let change =
                procedure.purpose == .probe ? monitor.probeAnswered(at: instant) : monitor.resumed(at: instant)
            return announcing(liveness: change) + [.announceProof]
        case .refused(let opcode, let status):
            ladder.answered()
            family = nil
            return [.report(.refused(opcode, status))] + failed(procedure, at: instant)
        }
    }

    /// The controller does not answer, or refuses to scan at all.
    private mutating func failed(_ procedure: ScanProcedure, at instant: Instant) -> [ScanAction] {
        state = .listening
        var change: RadioLiveness?
        if procedure.purpose != .probe { change = monitor.interrupted(at: instant) }
        change = monitor.probeFailed(at: instant) ?? change
        return announcing(liveness: change)
    }

    // MARK: - Reports, other processes, time

    /// Costs a few stores where nothing changes, and allocates nothing then.
    mutating func reportReceived(at instant: Instant) -> [ScanAction] {
        guard let change = monitor.reportReceived(at: instant) else { return [] }
        return announcing(liveness: change)
    }

    mutating func foreignCommandSeen(_ command: ForeignCommand, at instant: Instant) {
        guard adapter != nil else { return }
        if foreign == nil {
            foreign = ForeignActivity(command, at: instant)
        } else {
            foreign?.note(command, at: instant)
        }
    }

    /// The kernel resets the controller by itself; scanning is off then.
    mutating func hardwareErrorSeen(code: UInt8, at instant: Instant) -> [ScanAction] {
        hardwareError = instant
        foreignCommandSeen(.reset, at: instant)
        return [.report(.hardwareError(code: code))]
    }

    mutating func tick(at instant: Instant) -> [ScanAction] {
        guard instant >= nextDeadline else { return [] }
        switch state {
        case .idle, .opening, .repairing:
            return []
        case .waiting:
            return look(at: instant)
        case .configuring(let procedure, let deadline):
            // A probe that is not answered before the norm is over makes the radio suspect.
            guard instant >= deadline else { return announcing(liveness: monitor.tick(at: instant).announcement) }
            return [.report(.unanswered(procedure.step.opcode))] + failed(procedure, at: instant)
                + climb(at: instant)
        case .listening:
            if let foreign, instant >= foreign.restsAt { return resume(after: foreign, at: instant) }
            let outcome = monitor.tick(at: instant)
            var actions = announcing(liveness: outcome.announcement)
            guard outcome.probes else { return actions }
            if isBlind, let adapter { actions.append(.recover(.reenable, adapter)) }
            return actions + begin(.probe, at: instant)
        }
    }

    /// Somebody waits to know whether the radio hears: `announceProof` follows, unless it turns out blind or a report
    /// proves it. May be called again and again.
    mutating func prove(at instant: Instant) -> [ScanAction] {
        guard state == .listening, foreign == nil, monitor.ask(at: instant) else { return [] }
        return begin(.probe, at: instant)
    }

    private mutating func resume(after activity: ForeignActivity, at instant: Instant) -> [ScanAction] {
        foreign = nil
        switch activity.remains {
        case .unchanged:
            return []
        case .stopped:
            return [.report(.stoppedByOther)] + begin(.start, at: instant)
        case .scanning(let filtersDuplicates, let family):
            self.family = family
            ownsScanning = false
            return filtersDuplicates ? begin(.refilter, at: instant) : []
        }
    }

    // MARK: - Announcements

    var isBlind: Bool {
        if case .blind = monitor.liveness { true } else { false }
    }

    /// With an open adapter, blind is stalled, and everything else is scanning.
    private mutating func announcing(liveness change: RadioLiveness?) -> [ScanAction] {
        announcing(isBlind ? .stalled : .scanning) + (change.map { [.announceLiveness($0)] } ?? [])
    }

    mutating func announcing(_ availability: RadioAvailability) -> [ScanAction] {
        guard availability != self.availability else { return [] }
        self.availability = availability
        return [.announce(availability)]
    }
}
