import Core

/// Decides how to recover an adapter that is down, or a controller that does not answer, when asking again is not
/// enough.
struct AdapterRecovery: Sendable {
    /// After a hardware error the kernel takes the adapter down and up by itself, within this time.
    private static let kernelResetTime = TimeSpan.seconds(10)

    private var ladder: RecoveryLadder
    private var power: PowerOnPolicy
    /// The time of the controller's last hardware error.
    private var hardwareError: Instant?

    /// - Parameter mayAdminister: whether the process has CAP_NET_ADMIN.
    init(mayAdminister: Bool) {
        ladder = RecoveryLadder(mayAdminister: mayAdminister)
        power = PowerOnPolicy(mayAdminister: mayAdminister)
    }

    // MARK: - Power

    /// The adapter can be opened.
    mutating func foundUsable(_ adapter: Adapter) { power.foundUp(adapter.index) }

    /// The adapter exists, but can't be opened.
    ///
    /// - Returns: the availability to report, and the step to take now.
    mutating func foundObstructed(
        _ adapter: Adapter, _ availability: RadioAvailability, at instant: Instant
    ) -> (availability: RadioAvailability, step: RecoveryStep?) {
        switch availability {
        case .off:
            // The agent itself took it down, so it is off because its controller does not answer.
            let cause: RadioAvailability = power.isTakenDown(adapter.index) ? .stalled : .off
            return (cause, power.foundDown(adapter.index, at: instant) ? .powerOn : nil)
        case .blocked:
            power.foundBlocked(adapter.index)
        case .absent, .unauthorized, .stalled, .unusable, .scanning:
            break
        }
        return (availability, nil)
    }

    /// Follows other processes' changes of an adapter's power, whichever adapter is in use.
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

    /// Follows device events during the agent's own change of power. Only a removal counts: the agent causes all other
    /// events itself.
    mutating func changedDuringRepair(_ event: DeviceEvent) {
        if event.change == .unregistered { power.disappeared(event.index) }
    }

    // MARK: - The controller

    mutating func hardwareErrorSeen(at instant: Instant) { hardwareError = instant }

    /// The controller has answered all commands, perhaps with refusals.
    mutating func answered() { ladder.answered() }

    /// A command was not answered, and no reports come either. Returns the step to take now; `nil` to go on asking.
    mutating func unanswered(by adapter: Adapter, at instant: Instant) -> RecoveryStep? {
        guard let step = ladder.failed(at: instant) else { return nil }
        if step == .powerCycle { power.willTakeDown(adapter.index) }
        return step
    }
}
