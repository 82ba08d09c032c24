import HCI

/// What is done about an adapter that is down, and about a controller that does not answer.
extension ScanController {
    /// There is an adapter, and it can't be opened.
    mutating func obstructed(
        _ adapter: Adapter, _ availability: RadioAvailability, at instant: Instant
    ) -> [ScanAction] {
        switch availability {
        case .off:
            // Down by our own hand, it is off because its controller does not answer.
            let announced = announcing(power.isTakenDown(adapter.index) ? .stalled : .off)
            guard power.foundDown(adapter.index, at: instant) else { return announced }
            return announced + repair(adapter, .powerOn)
        case .blocked:
            power.foundBlocked(adapter.index)
        case .absent, .unauthorized, .stalled, .scanning:
            break
        }
        return announcing(availability)
    }

    /// A command was not answered.
    mutating func climb(at instant: Instant) -> [ScanAction] {
        // Where reports come all the same, nothing is mended by taking them away.
        guard isBlind, let adapter, let step = ladder.failed(at: instant) else { return [] }
        if step == .powerCycle { power.willTakeDown(adapter.index) }
        return [.close] + repair(adapter, step)
    }

    private mutating func repair(_ adapter: Adapter, _ step: RecoveryStep) -> [ScanAction] {
        forgetAdapter()
        self.adapter = adapter
        state = .repairing
        return [.recover(step, adapter)]
    }

    /// A step that `recover` began is over, whether it did any good or not.
    mutating func repaired(at instant: Instant) -> [ScanAction] {
        guard state == .repairing else { return [] }
        forgetAdapter()
        return look(at: instant)
    }

    /// What others do to the adapter's power, wherever we stand.
    mutating func notePower(_ event: DeviceEvent, at instant: Instant) {
        switch event.change {
        case .unregistered:
            power.disappeared(event.index)
        case .up:
            if state != .repairing { power.foundUp(event.index) }
        case .down:
            guard adapter?.index == event.index, state != .repairing else { return }
            if let hardwareError, instant - hardwareError < Self.kernelResetTime {
                power.willTakeDown(event.index)
            } else {
                power.wasSwitchedOff(event.index)
            }
        case .registered:
            break
        }
    }
}
