import Core

/// Keeps one adapter advertising, through outages and other processes' commands.
///
///     idle ─► waiting ─► opening ─► configuring ─► advertising ─► stopping ─► idle
///               ▲           │         ▲      │          │
///               │           │         └─ resting ◄──────┘  refused, unanswered, disturbed by another process
///               └───────────┴─── adapter gone, off, … ──┘
struct AdvertisingController: AdapterController {
    typealias Step = AdvertisingStep
    typealias Update = AdvertisingUpdate

    private enum Work: Sendable {
        case configuring(PendingCommand<AdvertisingProcedure>)
        case advertising(CommandFamily, since: Instant)
        /// The adapter is open; the next attempt is at `until`.
        case resting(until: Instant)
        /// The command that switches advertising off is under way.
        case stopping(PendingCommand<AdvertisingStep>)
    }

    /// The pause between a refusal and the next attempt.
    static let retryInterval = TimeSpan.seconds(10)
    /// The pause between a disturbance and the next attempt. It doubles each time, so that two processes do not fight
    /// for the radio.
    static let rests = ForeignActivity.rest...TimeSpan.seconds(30)
    /// The time on the air after which the pause is short again.
    static let calm = TimeSpan.seconds(60)

    static var filter: HCIFilter { .advertising }

    private var claim: AdapterClaim<Work> = .idle
    private var logged = LogOnce<AdvertisingUpdate>(limit: 1)
    private var rest = DoublingPause(rests)

    /// True if advertising has not started, or is off the air and closed.
    var isIdle: Bool {
        if case .idle = claim { true } else { false }
    }

    var nextDeadline: Instant {
        switch claim {
        case .idle, .opening, .held(_, .advertising): .distantFuture
        case .waiting(let instant), .held(_, .resting(let instant)): instant
        case .held(_, .configuring(let command)): command.deadline
        case .held(_, .stopping(let command)): command.deadline
        }
    }

    // MARK: - Start and stop

    mutating func start(at instant: Instant) -> [Action] { isIdle ? claim.look(at: instant) : [] }

    /// Switches advertising off. It is idle at once, or once the controller has answered.
    mutating func stop(at instant: Instant) -> [Action] {
        switch claim {
        case .held(let adapter, .advertising(let family, _)):
            return stop(adapter, .disable(family), at: instant)
        case .held(let adapter, .configuring(let command)):
            guard let family = command.course.step.family else { return claim.end() }
            return stop(adapter, .disable(family), at: instant)
        case .held(_, .stopping):
            return []
        case .idle, .waiting, .opening, .held(_, .resting):
            return claim.end()
        }
    }

    private mutating func stop(_ adapter: Adapter, _ step: AdvertisingStep, at instant: Instant) -> [Action] {
        claim = .held(adapter, .stopping(PendingCommand(step, at: instant)))
        return [.send(step)]
    }

    // MARK: - The adapter

    mutating func surveyed(_ choice: AdapterSurvey.Choice, at instant: Instant) -> [Action] {
        guard case .waiting = claim else { return [] }
        switch choice {
        case .obstacle(let availability, _): return announcing(.waiting(availability))
        case .usable(let adapter): return claim.open(adapter)
        }
    }

    mutating func opened(at instant: Instant) -> [Action] {
        guard case .opening(let adapter) = claim else { return [] }
        return begin(adapter, at: instant)
    }

    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [Action] {
        switch claim {
        case .idle, .waiting: []
        case .held(_, .stopping): claim.end()
        case .opening, .held: claim.lose(at: instant) + announcing(.waiting(availability))
        }
    }

    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [Action] {
        switch claim {
        case .idle:
            return []
        case .waiting:
            return claim.look(at: instant)
        case .opening(let adapter), .held(let adapter, _):
            guard event.index == adapter.index, event.change == .unregistered || event.change == .down else {
                return []
            }
            if case .held(_, .stopping) = claim { return claim.end() }
            return claim.lose(at: instant) + claim.look(at: instant)
        }
    }

    // MARK: - Commands

    mutating func received(_ packet: Span<UInt8>, at instant: Instant) -> [Action] {
        if case .held(_, .advertising(let family, _)) = claim,
            ForeignAdvertising.disturbs(packet, family: family, handle: Advertisement.handle)
        {
            return disturbed(at: instant)
        }
        switch RadioPacket(packet) {
        case .outcome(let outcome, let features):
            return commandCompleted(outcome, features: features, at: instant)
        case .hardwareError:
            // The kernel resets the controller by itself.
            return disturbed(at: instant)
        case .report, .foreign, .other:
            return []
        }
    }

    /// - Parameter features: the controller's features, where they were asked.
    mutating func commandCompleted(
        _ outcome: CommandOutcome, features: LEFeatures?, at instant: Instant
    ) -> [Action] {
        guard case .held(let adapter, let work) = claim else { return [] }
        switch work {
        case .configuring(let command) where command.course.step.opcode == outcome.opcode:
            var procedure = command.course
            let progress = procedure.answered(outcome.status ?? .unspecifiedError, features: features)
            return advance(adapter, procedure, progress, at: instant)
        case .stopping(let command) where command.course.opcode == outcome.opcode:
            return command.course == .disable(.extended) ? stop(adapter, .removeSet, at: instant) : claim.end()
        case .configuring, .advertising, .resting, .stopping:
            return []
        }
    }

    private mutating func begin(_ adapter: Adapter, at instant: Instant) -> [Action] {
        let procedure = AdvertisingProcedure()
        claim = .held(adapter, .configuring(PendingCommand(procedure, at: instant)))
        return [.send(procedure.step)]
    }

    private mutating func advance(
        _ adapter: Adapter, _ procedure: AdvertisingProcedure, _ progress: AdvertisingProcedure.Progress,
        at instant: Instant
    ) -> [Action] {
        switch progress {
        case .next(let step):
            claim = .held(adapter, .configuring(PendingCommand(procedure, at: instant)))
            return [.send(step)]
        case .advertising(let family):
            claim = .held(adapter, .advertising(family, since: instant))
            return announcing(.advertising(adapter))
        case .refused(let opcode, let status):
            claim = .held(adapter, .resting(until: instant + Self.retryInterval))
            return announcing(.trouble(.refused(opcode, status)))
        }
    }

    // MARK: - Other processes, time

    /// Another process, the kernel or the controller itself ended or changed the agent's advertisement.
    mutating func disturbed(at instant: Instant) -> [Action] {
        switch claim {
        case .held(let adapter, .advertising(_, let since)):
            if instant - since >= Self.calm { rest.reset() }
            claim = .held(adapter, .resting(until: instant + rest.next()))
            return announcing(.trouble(.disturbed))
        case .held(let adapter, .resting(let until)):
            // The other process is still sending commands, which would fail if the agent interfered.
            claim = .held(adapter, .resting(until: max(until, instant + Self.rests.lowerBound)))
            return []
        case .idle, .waiting, .opening, .held(_, .configuring), .held(_, .stopping):
            return []
        }
    }

    mutating func tick(at instant: Instant) -> [Action] {
        guard instant >= nextDeadline else { return [] }
        switch claim {
        case .idle, .opening, .held(_, .advertising):
            return []
        case .waiting:
            return claim.look(at: instant)
        case .held(let adapter, .resting):
            return begin(adapter, at: instant)
        case .held(_, .stopping):
            return claim.end()
        case .held(let adapter, .configuring(let command)):
            claim = .held(adapter, .resting(until: instant + Self.retryInterval))
            return announcing(.trouble(.unanswered(command.course.step.opcode)))
        }
    }

    /// A lasting trouble returns at every attempt, but is logged once.
    private mutating func announcing(_ update: AdvertisingUpdate) -> [Action] {
        logged.isNew(update) ? [.report(update)] : []
    }
}
