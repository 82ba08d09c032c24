@testable import Agent
@testable import Core
@testable import TestDisk

/// The lives of the processes: their beginnings, several kinds of ends, and faults.
extension StoreWorld {
    func start(_ machine: StoreMachine) {
        guard machine.life == nil, violation == nil else { return }
        machine.lives += 1
        trace("\(machine.topics.gateway) starts for the \(machine.lives). time")
        machine.disk.attach()
        guard let begun = StoreLife(self, machine) else {
            return agenda.add(.starts(machine: machine.number), at: now + .seconds(5))
        }
        machine.life = begun
        if machine.disk.hasCrashed { return died(machine, withMachine: machine.crashTakesMachine) }
        // It will never know the content of its file.
        if begun.outbox.condition != nil { machine.wasAlwaysCommitted = false }
        account.lifeBegan(machine.topics, begun.outbox.numbering)
        if machine === site { witness.lifeBegan(begun.outbox.numbering, at: now) }
        begun.start()
    }

    /// Ends the process and its memory; with the machine, also everything that was not synced.
    func died(_ machine: StoreMachine, withMachine: Bool) {
        trace("\(machine.topics.gateway) dies\(withMachine ? ", the power fails" : "")")
        machine.disk.crash()
        machine.life?.connection.die(withMachine: withMachine)
        lifeEnded(machine)
        machine.disk.attach()
        if withMachine {
            machine.disk.cutPower()
            machine.clock.boot(&chance)
        }
        agenda.add(.starts(machine: machine.number), at: now + chance.spread(0.1, withMachine ? 120 : 20))
    }

    /// SIGTERM: ends the process in order.
    func stop(_ machine: StoreMachine) {
        // A second SIGTERM changes nothing.
        guard let stopping = machine.life, !stopping.isStopping else { return }
        trace("\(machine.topics.gateway) is stopped")
        stopping.stop()
        if machine.disk.hasCrashed { return died(machine, withMachine: machine.crashTakesMachine) }
        machine.isCommitted = stopping.outbox.condition == nil
        account.roundEnded(machine.topics, stopping.outbox.numbering)
        stopping.connection.die(withMachine: false)
        lifeEnded(machine)
    }

    private func lifeEnded(_ machine: StoreMachine) {
        machine.life = nil
        guard !machine.isCommitted else { return }
        machine.wasAlwaysCommitted = false
        account.mayHaveLost(machine.topics)
        if machine === site { witness.mayHaveLost() }
    }

    /// A delivery loop has ended a round.
    func roundEnded(_ machine: StoreMachine) {
        guard let life = machine.life else { return }
        if machine.disk.hasCrashed { return died(machine, withMachine: machine.crashTakesMachine) }
        machine.isCommitted = life.outbox.isDurable
        if !machine.isCommitted { account.mayBeUnordered(machine.topics) }
        account.roundEnded(machine.topics, life.outbox.numbering)
        check { () throws(Violation) in try Limits.check(life.round.sink) }
        guard machine === site else { return }
        check { () throws(Violation) in
            try witness.roundEnded(
                life.outbox, machine.clock.timebase, rightClocks: rightClocks, isPlain: machine.wasAlwaysCommitted,
                at: now)
        }
    }

    func begin(_ fault: StoreFault, _ index: Int) {
        let machine = machines[fault.machine]
        trace("fault: \(machine.topics.gateway) \(fault.kind)")
        agenda.add(.faultEnds(index: index), at: fault.end)
        switch fault.kind {
        case .kill(let operations): crash(machine, after: operations, takesMachine: false)
        case .powerCut(let operations): crash(machine, after: operations, takesMachine: true)
        case .restart(let boots):
            restart(machine, after: 0.1) { if boots { machine.clock.boot(&chance) } }
        case .replaced:
            restart(machine, after: 1) {
                account.mayHaveLost(machine.topics)
                machine.disk.replace()
            }
        case .disk(let trouble): machine.disk.trouble = trouble
        case .flakyDisk(let oneIn): machine.disk.flakiness = oneIn
        case .line(let cut): machine.line.begin(cut)
        case .slowLine(let slowness): machine.line.slowness = slowness
        case .brokerHangsUp: broker.end(nil, of: machine.number)
        case .blind: see(machine, false)
        case .clockOff(let error, let isSynced): machine.setClock(off: error, isSynced: isSynced)
        case .brokerDown(let politely, let keepsRetained): broker.stop(politely: politely, keepsRetained: keepsRetained)
        case .drops(let share): broker.drops = share
        }
    }

    /// Stops a running machine in order, and starts it again up to a minute later.
    ///
    /// - Parameter whileStopped: changes the machine in between.
    private func restart(_ machine: StoreMachine, after least_s: Double, whileStopped: () -> Void) {
        guard machine.life != nil else { return }
        stop(machine)
        guard machine.life == nil, violation == nil else { return }
        whileStopped()
        agenda.add(.starts(machine: machine.number), at: now + chance.spread(least_s, 60))
    }

    func end(_ fault: StoreFault) {
        let machine = machines[fault.machine]
        trace("over: \(machine.topics.gateway) \(fault.kind)")
        switch fault.kind {
        case .kill, .powerCut, .restart, .replaced, .brokerHangsUp: break
        case .disk: machine.disk.trouble = nil
        case .flakyDisk: machine.disk.flakiness = 0
        case .line: machine.line.mend()
        case .slowLine: machine.line.slowness = .zero
        case .blind: see(machine, true)
        case .clockOff: machine.setClock(off: .zero, isSynced: true)
        case .brokerDown: broker.start()
        case .drops: broker.drops = 0
        }
    }

    private func see(_ machine: StoreMachine, _ sees: Bool) {
        guard machine.isBlind == sees else { return }
        machine.isBlind = !sees
        if let life = machine.life, !life.isStopping { life.radioChanged() }
    }

    private func crash(_ machine: StoreMachine, after operations: Int?, takesMachine: Bool) {
        guard machine.life != nil else { return }
        guard let operations else { return died(machine, withMachine: takesMachine) }
        machine.crashTakesMachine = takesMachine
        machine.disk.operationsUntilCrash = operations
    }
}
