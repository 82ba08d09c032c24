import Core

/// What is done about an adapter that is down, and about a controller that does not answer, beyond asking it again.
struct AdapterRecovery: Sendable {
    /// After a hardware error the kernel itself takes the adapter down and up, within this time.
    private static let kernelResetTime = TimeSpan.seconds(10)

    private var ladder: RecoveryLadder
    private var power: PowerOnPolicy
    /// When the controller reported one last.
    private var hardwareError: Instant?

    /// - Parameter mayAdminister: the process has CAP_NET_ADMIN.
    init(mayAdminister: Bool) {
        ladder = RecoveryLadder(mayAdminister: mayAdminister)
        power = PowerOnPolicy(mayAdminister: mayAdminister)
    }

    // MARK: - Power

    /// The adapter can be opened.
    mutating func foundUsable(_ adapter: Adapter) { power.foundUp(adapter.index) }

    /// There is an adapter, and it can't be opened.
    ///
    /// - Returns: what to call that, and the step to take now.
    mutating func foundObstructed(
        _ adapter: Adapter, _ availability: RadioAvailability, at instant: Instant
    ) -> (availability: RadioAvailability, step: RecoveryStep?) {
        switch availability {
        case .off:
            // Down by our own hand, it is off because its controller does not answer.
            let cause: RadioAvailability = power.isTakenDown(adapter.index) ? .stalled : .off
            return (cause, power.foundDown(adapter.index, at: instant) ? .powerOn : nil)
        case .blocked:
            power.foundBlocked(adapter.index)
        case .absent, .unauthorized, .stalled, .scanning:
            break
        }
        return (availability, nil)
    }

    /// What others do to an adapter's power, whichever adapter is in use.
    ///
    /// - Parameter inUse: the adapter that is open or being opened.
    mutating func changed(_ event: DeviceEvent, inUse: Adapter?, at instant: Instant) {
        switch event.change {
        case .unregistered: power.disappeared(event.index)
        case .up: power.foundUp(event.index)
        case .down where event.index == inUse?.index:
            if let hardwareError, instant - hardwareError < Self.kernelResetTime {
                power.willTakeDown(event.index)
            } else {
                power.wasSwitchedOff(event.index)
            }
        case .down, .registered: break
        }
    }

    /// An adapter went while we change the power of ours; everything else that is told then is our own doing.
    mutating func changedDuringRepair(_ event: DeviceEvent) {
        if event.change == .unregistered { power.disappeared(event.index) }
    }

    // MARK: - The controller

    mutating func hardwareErrorSeen(at instant: Instant) { hardwareError = instant }

    /// The controller has answered everything it was asked, if with a refusal.
    mutating func answered() { ladder.answered() }

    /// A command was not answered, and nothing is heard either. Returns the step to take now, `nil` to go on asking.
    mutating func unanswered(by adapter: Adapter, at instant: Instant) -> RecoveryStep? {
        guard let step = ladder.failed(at: instant) else { return nil }
        if step == .powerCycle { power.willTakeDown(adapter.index) }
        return step
    }
}
