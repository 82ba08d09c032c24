import HCI

/// What the advertising controller wants done. Its owner does it in order, and tells what came of it.
enum AdvertisingAction: Hashable, Sendable {
    /// Survey the adapters, then call `surveyed(_:at:)`.
    case look
    /// Open a socket on the adapter, then call `opened(at:)` or `socketFailed(_:at:)`.
    case open(Adapter)
    /// Send the command; an answer goes to `commandCompleted(_:features:at:)`.
    case send(AdvertisingStep)
    case close
    case announce(AdvertisingNews)
}

/// Keeps one adapter advertising, whatever happens to it.
///
///     idle ─► waiting ─► opening ─► configuring ─► advertising ─► stopping ─► idle
///               ▲           │         ▲      │          │
///               │           │         └─ resting ◄──────┘  refused, unanswered, disturbed by another process
///               └───────────┴─── adapter gone, off, … ──┘
///
/// Every verb takes the time and returns what to do; nothing here waits, reads a clock or opens anything.
struct AdvertisingController: Sendable {
    enum State: Hashable, Sendable {
        /// Not started, or stopped.
        case idle
        /// No adapter can be used: look again later, or when the kernel says that something changed.
        case waiting(nextLook: Instant)
        case opening
        case configuring(AdvertisingProcedure, deadline: Instant)
        case advertising(CommandFamily)
        /// The adapter is open, and the next attempt is made then.
        case resting(until: Instant)
        /// Switching off; the command is under way.
        case stopping(AdvertisingStep, deadline: Instant)
    }

    /// How long a controller may take to answer a command.
    static let commandTimeout = ScanController.commandTimeout
    static let lookInterval = ScanController.lookInterval
    /// From a refusal to the next attempt.
    static let retryInterval = TimeSpan.seconds(10)
    /// From a disturbance to the next attempt: doubled each time, so that two processes do not fight for the radio.
    static let rests = ForeignActivity.rest...TimeSpan.seconds(30)
    /// After so long on the air the next disturbance is the first again.
    static let calm = TimeSpan.seconds(60)

    private(set) var state: State = .idle
    private var adapter: Adapter?
    private var announced: AdvertisingNews?
    private var rest = DoublingPause(rests)
    private var onAirSince: Instant = .distantFuture

    var nextDeadline: Instant {
        switch state {
        case .idle, .opening, .advertising: .distantFuture
        case .waiting(let instant), .resting(let instant): instant
        case .configuring(_, let deadline), .stopping(_, let deadline): deadline
        }
    }

    /// The commands in use, once they are known: what other processes may disturb.
    var family: CommandFamily? {
        if case .advertising(let family) = state { family } else { nil }
    }

    // MARK: - Start and stop

    mutating func start(at instant: Instant) -> [AdvertisingAction] {
        state == .idle ? look(at: instant) : []
    }

    /// Switches off what may be on. The state is `idle` at once or once the controller has answered.
    mutating func stop(at instant: Instant) -> [AdvertisingAction] {
        let family: CommandFamily? =
            switch state {
            case .advertising(let family): family
            case .configuring(let procedure, _): procedure.step.family
            case .idle, .waiting, .opening, .resting, .stopping: nil
            }
        if let family { return stopping(.disable(family), at: instant) }
        if case .stopping = state { return [] }
        return ended()
    }

    private mutating func stopping(_ step: AdvertisingStep, at instant: Instant) -> [AdvertisingAction] {
        state = .stopping(step, deadline: instant + Self.commandTimeout)
        return [.send(step)]
    }

    private mutating func ended() -> [AdvertisingAction] {
        defer { (state, adapter) = (.idle, nil) }
        return adapter == nil ? [] : [.close]
    }

    // MARK: - The adapter

    mutating func surveyed(_ choice: AdapterSurvey.Choice, at instant: Instant) -> [AdvertisingAction] {
        guard case .waiting = state else { return [] }
        switch choice {
        case .obstacle(let availability, _):
            return announcing(.waiting(availability))
        case .usable(let adapter):
            state = .opening
            self.adapter = adapter
            return [.open(adapter)]
        }
    }

    mutating func opened(at instant: Instant) -> [AdvertisingAction] {
        state == .opening ? begin(at: instant) : []
    }

    /// Opening, sending or receiving failed.
    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [AdvertisingAction] {
        switch state {
        case .idle, .waiting: []
        case .stopping: ended()
        case .opening, .configuring, .advertising, .resting: lost(at: instant) + announcing(.waiting(availability))
        }
    }

    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [AdvertisingAction] {
        switch state {
        case .idle:
            return []
        case .waiting:
            return look(at: instant)
        case .opening, .configuring, .advertising, .resting, .stopping:
            guard event.index == adapter?.index, event.change == .unregistered || event.change == .down else {
                return []
            }
            if case .stopping = state { return ended() }
            return lost(at: instant) + look(at: instant)
        }
    }

    private mutating func look(at instant: Instant) -> [AdvertisingAction] {
        state = .waiting(nextLook: instant + Self.lookInterval)
        return [.look]
    }

    private mutating func lost(at instant: Instant) -> [AdvertisingAction] {
        state = .waiting(nextLook: instant + Self.lookInterval)
        adapter = nil
        return [.close]
    }

    // MARK: - Commands

    /// - Parameter features: what the controller says it can do, where that was asked.
    mutating func commandCompleted(
        _ outcome: CommandOutcome, features: LEFeatures?, at instant: Instant
    ) -> [AdvertisingAction] {
        switch state {
        case .configuring(var procedure, _) where procedure.step.opcode == outcome.opcode:
            let progress = procedure.answered(outcome.status ?? .unspecifiedError, features: features)
            return advance(procedure, progress, at: instant)
        case .stopping(.disable(.extended), _) where outcome.opcode == LESetExtendedAdvertisingEnable.opcode:
            return stopping(.removeSet, at: instant)
        case .stopping(let step, _) where step.opcode == outcome.opcode:
            return ended()
        default:
            return []
        }
    }

    private mutating func begin(at instant: Instant) -> [AdvertisingAction] {
        let procedure = AdvertisingProcedure()
        state = .configuring(procedure, deadline: instant + Self.commandTimeout)
        return [.send(procedure.step)]
    }

    private mutating func advance(
        _ procedure: AdvertisingProcedure, _ progress: AdvertisingProcedure.Progress, at instant: Instant
    ) -> [AdvertisingAction] {
        switch progress {
        case .next(let step):
            state = .configuring(procedure, deadline: instant + Self.commandTimeout)
            return [.send(step)]
        case .advertising(let family):
            state = .advertising(family)
            onAirSince = instant
            return adapter.map { announcing(.advertising($0)) } ?? []
        case .refused(let opcode, let status):
            state = .resting(until: instant + Self.retryInterval)
            return announcing(.trouble(.refused(opcode, status)))
        }
    }

    // MARK: - Other processes, time

    /// Another process, the kernel or the controller itself ended or changed what we advertise.
    mutating func disturbed(at instant: Instant) -> [AdvertisingAction] {
        switch state {
        case .advertising:
            if instant - onAirSince >= Self.calm { rest.reset() }
            state = .resting(until: instant + rest.next())
            return announcing(.trouble(.disturbed))
        case .resting(let until):
            // The other one is still at it: stepping in between would make its commands fail.
            state = .resting(until: max(until, instant + Self.rests.lowerBound))
            return []
        case .idle, .waiting, .opening, .configuring, .stopping:
            return []
        }
    }

    mutating func tick(at instant: Instant) -> [AdvertisingAction] {
        guard instant >= nextDeadline else { return [] }
        switch state {
        case .idle, .opening, .advertising: return []
        case .waiting: return look(at: instant)
        case .resting: return begin(at: instant)
        case .stopping: return ended()
        case .configuring(let procedure, _):
            state = .resting(until: instant + Self.retryInterval)
            return announcing(.trouble(.unanswered(procedure.step.opcode)))
        }
    }

    /// A lasting trouble is met again at every attempt, and said once.
    private mutating func announcing(_ news: AdvertisingNews) -> [AdvertisingAction] {
        guard news != announced else { return [] }
        announced = news
        return [.announce(news)]
    }
}
