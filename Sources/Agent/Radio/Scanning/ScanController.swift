import Core

/// Keeps one adapter scanning, through outages and other processes' commands.
///
///     idle ─► waiting ─► opening ─► asking ◄─► listening
///              ▲ │ ▲        │          │           │
///              │ │ └────────┴─ adapter gone, off, … ┤
///              │ ▼                                 │
///              repairing ◄─────── no answer ───────┘
///
/// While listening, a `LivenessMonitor` distinguishes quiet air from a dead radio: its probe asks for the features, then
/// switches scanning off and on. A controller that does not answer is reported as stalled, and asked again;
/// `AdapterRecovery` decides on further steps.
struct ScanController: AdapterController {
    typealias Step = ScanStep
    typealias Update = ScanUpdate

    private enum Work: Sendable {
        case open(Open)
        /// The agent is taking the adapter down or up, or resetting it; the socket is closed.
        case repairing
    }

    /// The state of an adapter whose socket is open.
    private struct Open: Sendable {
        /// The command under way; `nil` while listening.
        var command: PendingCommand<ScanProcedure>?
        /// The command family that the controller is known to understand.
        var family: CommandFamily?
        /// True if scanning is on only because of the agent.
        var ownsScanning = false
        /// Commands of other processes that concern scanning.
        var foreign: ForeignActivity?
    }

    static var filter: HCIFilter { .scanning }

    private var claim: AdapterClaim<Work> = .idle
    private var monitor = LivenessMonitor(canProbe: true, at: .origin)
    private var recovery: AdapterRecovery
    /// The availability that was reported last.
    private var availability: RadioAvailability?

    /// - Parameter mayAdminister: whether the process has CAP_NET_ADMIN.
    init(mayAdminister: Bool) { recovery = AdapterRecovery(mayAdminister: mayAdminister) }

    var adapter: Adapter? { claim.adapter }

    var nextDeadline: Instant {
        switch claim {
        case .idle, .opening, .held(_, .repairing): return .distantFuture
        case .waiting(let nextLook): return nextLook
        case .held(_, .open(let open)):
            guard let command = open.command else {
                return min(monitor.nextDeadline, open.foreign?.restsAt ?? .distantFuture)
            }
            return command.course.purpose == .probe ? min(command.deadline, monitor.nextDeadline) : command.deadline
        }
    }

    private var open: Open? {
        get { if case .held(_, .open(let open)) = claim { open } else { nil } }
        set {
            if let newValue, case .held(let adapter, .open) = claim { claim = .held(adapter, .open(newValue)) }
        }
    }

    // MARK: - Start and stop

    mutating func start(at instant: Instant) -> [Action] {
        guard case .idle = claim else { return [] }
        monitor = LivenessMonitor(canProbe: true, at: instant)
        return [.report(.liveness(monitor.liveness))] + claim.look(at: instant)
    }

    /// Stops; leaves scanning on where another process had begun it.
    mutating func stop(at instant: Instant) -> [Action] {
        let switchedOn = open.flatMap(Self.familySwitchedOn)
        return (switchedOn.map { [.send(.disable($0))] } ?? []) + claim.end()
    }

    private static func familySwitchedOn(_ open: Open) -> CommandFamily? {
        if let procedure = open.command?.course, case .enable(let family) = procedure.step,
            procedure.purpose != .refilter
        {
            // The answer is still to come, but the controller will carry the command out.
            return family
        }
        return open.ownsScanning ? open.family : nil
    }

    // MARK: - The adapter

    mutating func surveyed(_ choice: AdapterSurvey.Choice, at instant: Instant) -> [Action] {
        guard case .waiting = claim else { return [] }
        switch choice {
        case .obstacle(let availability, let adapter?):
            let found = recovery.foundObstructed(adapter, availability, at: instant)
            return announcing(found.availability) + (found.step.map { repair(adapter, $0) } ?? [])
        case .obstacle(let availability, nil):
            return announcing(availability)
        case .usable(let adapter):
            recovery.foundUsable(adapter)
            return claim.open(adapter)
        }
    }

    mutating func opened(at instant: Instant) -> [Action] {
        guard case .opening(let adapter) = claim else { return [] }
        claim = .held(adapter, .open(Open()))
        return begin(.start, at: instant)
    }

    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [Action] {
        switch claim {
        case .idle, .waiting, .held(_, .repairing): []
        case .opening, .held(_, .open): lost(at: instant) + announcing(availability)
        }
    }

    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [Action] {
        if case .held(_, .repairing) = claim {
            recovery.changedDuringRepair(event)
            return []
        }
        recovery.changed(event, inUse: adapter, at: instant)
        switch claim {
        case .idle, .held(_, .repairing):
            return []
        case .waiting:
            return claim.look(at: instant)
        case .opening(let adapter), .held(let adapter, .open):
            guard event.index == adapter.index else { return [] }
            switch event.change {
            case .unregistered, .down: return lost(at: instant) + claim.look(at: instant)
            case .registered, .up: return begin(.start, at: instant)
            }
        }
    }

    private mutating func lost(at instant: Instant) -> [Action] {
        claim.lose(at: instant) + (monitor.interrupted(at: instant).map { [.report(.liveness($0))] } ?? [])
    }

    private mutating func repair(_ adapter: Adapter, _ step: RecoveryStep) -> [Action] {
        claim = .held(adapter, .repairing)
        return [.report(.recovery(step, adapter))]
    }

    /// A step that was reported as `recovery` has ended, with or without success.
    mutating func repaired(at instant: Instant) -> [Action] {
        guard case .held(_, .repairing) = claim else { return [] }
        return claim.look(at: instant)
    }

    // MARK: - Commands

    /// - Parameter features: the controller's features, where they were asked.
    mutating func commandCompleted(_ outcome: CommandOutcome, features: LEFeatures?, at instant: Instant) -> [Action] {
        guard let open else { return [] }
        guard var procedure = open.command?.course else {
            // The controller answers again, though only another process's command or one that was given up.
            return isBlind ? begin(.probe, at: instant) : []
        }
        guard procedure.step.opcode == outcome.opcode else { return [] }
        let progress = procedure.answered(outcome.status ?? .unspecifiedError, features: features)
        return advance(procedure, progress, at: instant)
    }

    private mutating func begin(_ purpose: ScanProcedure.Purpose, at instant: Instant) -> [Action] {
        guard let open else { return [] }
        let procedure = ScanProcedure(purpose, family: open.family)
        self.open?.command = PendingCommand(procedure, at: instant)
        return [.send(procedure.step)]
    }

    private mutating func advance(
        _ procedure: ScanProcedure, _ progress: ScanProcedure.Progress, at instant: Instant
    ) -> [Action] {
        switch progress {
        case .next(let step):
            open?.command = PendingCommand(procedure, at: instant)
            return [.send(step)]
        case .scanning(let family, let isOurs):
            open?.command = nil
            open?.family = family
            open?.ownsScanning = isOurs
            recovery.answered()
            let change =
                procedure.purpose == .probe ? monitor.probeAnswered(at: instant) : monitor.resumed(at: instant)
            return announcing(liveness: change) + [.report(.proof)]
        case .refused(let opcode, let status):
            open?.family = nil
            recovery.answered()
            return [.report(.trouble(.refused(opcode, status)))] + failed(procedure, at: instant)
        }
    }

    /// The controller does not answer, or refuses to scan at all.
    private mutating func failed(_ procedure: ScanProcedure, at instant: Instant) -> [Action] {
        open?.command = nil
        var change: RadioLiveness?
        if procedure.purpose != .probe { change = monitor.interrupted(at: instant) }
        change = monitor.probeFailed(at: instant) ?? change
        return announcing(liveness: change)
    }

    // MARK: - Packets

    /// Where nothing changes, this costs a few stores and allocates nothing.
    mutating func received(_ packet: Span<UInt8>, at instant: Instant) -> [Action] {
        switch RadioPacket(packet) {
        case .report:
            return reportReceived(at: instant)
        case .outcome(let outcome, let features):
            return commandCompleted(outcome, features: features, at: instant)
        case .hardwareError(let code):
            return hardwareErrorSeen(code: code, at: instant)
        case .foreign(let command):
            foreignCommandSeen(command, at: instant)
            return []
        case .other:
            return []
        }
    }

    mutating func reportReceived(at instant: Instant) -> [Action] {
        guard let change = monitor.reportReceived(at: instant) else { return [] }
        return announcing(liveness: change)
    }

    mutating func foreignCommandSeen(_ command: ForeignCommand, at instant: Instant) {
        if open?.foreign?.record(command, at: instant) == nil {
            open?.foreign = ForeignActivity(command, at: instant)
        }
    }

    /// The kernel resets the controller by itself; scanning is off then.
    mutating func hardwareErrorSeen(code: UInt8, at instant: Instant) -> [Action] {
        recovery.hardwareErrorSeen(at: instant)
        foreignCommandSeen(.reset, at: instant)
        return [.report(.trouble(.hardwareError(code: code)))]
    }

    // MARK: - Time

    mutating func tick(at instant: Instant) -> [Action] {
        guard instant >= nextDeadline else { return [] }
        switch claim {
        case .idle, .opening, .held(_, .repairing):
            return []
        case .waiting:
            return claim.look(at: instant)
        case .held(let adapter, .open(let open)):
            if let command = open.command { return noAnswer(to: command, of: adapter, at: instant) }
            if let foreign = open.foreign, instant >= foreign.restsAt { return resume(after: foreign, at: instant) }
            let outcome = monitor.tick(at: instant)
            var actions = announcing(liveness: outcome.announcement)
            guard outcome.probes else { return actions }
            if isBlind { actions.append(.report(.recovery(.reenable, adapter))) }
            return actions + begin(.probe, at: instant)
        }
    }

    private mutating func noAnswer(
        to command: PendingCommand<ScanProcedure>, of adapter: Adapter, at instant: Instant
    ) -> [Action] {
        // A probe without an answer in the usual time makes the radio suspect.
        guard instant >= command.deadline else { return announcing(liveness: monitor.tick(at: instant).announcement) }
        let reports: [Action] =
            [.report(.trouble(.unanswered(command.course.step.opcode)))] + failed(command.course, at: instant)
        // While reports still come, a repair would only interrupt them.
        guard isBlind, let step = recovery.unanswered(by: adapter, at: instant) else { return reports }
        return reports + [.close] + repair(adapter, step)
    }

    /// Asks whether the radio hears. The answer is `proof`, unless the radio turns out blind or a report proves it
    /// first. It may be called repeatedly.
    mutating func prove(at instant: Instant) -> [Action] {
        guard let open, open.command == nil, open.foreign == nil, monitor.ask(at: instant) else { return [] }
        return begin(.probe, at: instant)
    }

    private mutating func resume(after activity: ForeignActivity, at instant: Instant) -> [Action] {
        open?.foreign = nil
        switch activity.remains {
        case .unchanged:
            return []
        case .stopped:
            return [.report(.trouble(.stoppedByOther))] + begin(.start, at: instant)
        case .scanning(let filtersDuplicates, let family):
            open?.family = family
            open?.ownsScanning = false
            return filtersDuplicates ? begin(.refilter, at: instant) : []
        }
    }

    // MARK: - Announcements

    private var isBlind: Bool {
        if case .blind = monitor.liveness { true } else { false }
    }

    /// Tells the liveness, and the availability: with an open adapter, blind is stalled, and everything else is
    /// scanning.
    private mutating func announcing(liveness change: RadioLiveness?) -> [Action] {
        announcing(isBlind ? .stalled : .scanning) + (change.map { [.report(.liveness($0))] } ?? [])
    }

    private mutating func announcing(_ availability: RadioAvailability) -> [Action] {
        guard availability != self.availability else { return [] }
        self.availability = availability
        return [.report(.availability(availability))]
    }
}
