@testable import Agent
@testable import Core
@testable import TestDisk

/// The faults, with their beginnings and ends.
extension World {
    func begin(_ fault: Fault, _ index: Int) {
        trace("fault: \(fault.kind)")
        agenda.add(.faultEnds(index: index), at: fault.end)
        switch fault.kind {
        case .kill(let operations): crash(after: operations, takesMachine: false)
        case .powerCut(let operations): crash(after: operations, takesMachine: true)
        case .restart(let boots):
            guard life != nil else { break }
            stopAgent()
            guard life == nil, violation == nil else { break }
            if boots {
                adapter.boot()
                boot()
            }
            agenda.add(.agentStarts, at: now + chance.spread(0.1, 60))
        case .moved(let id, let politely): move(id, politely: politely)
        case .disk(let trouble): disk.trouble = trouble
        case .flakyDisk(let oneIn): disk.flakiness = oneIn
        case .stall: stalledUntil = fault.end
        case .line(let cut): network.begin(cut)
        case .slowLine(let slowness): network.slowness = slowness
        case .brokerDown(let politely, let keepsRetained): broker.stop(politely: politely, keepsRetained: keepsRetained)
        case .loginRefused(let reason):
            broker.loginRefusal = reason
            broker.end(nil, of: Self.client)
        case .refusals(let chance, let reasons): broker.refusals = (chance, reasons)
        case .endings(let chance, let reasons): broker.endings = (chance, reasons)
        case .brokerHangsUp(let reason): broker.end(reason, of: Self.client)
        case .shuffledAcknowledgements: network.shufflesAcknowledgements = true
        case .adapter(let trouble): post(adapter.begin(trouble))
        case .clockSet(let step): machine.wallError = machine.wallError + step
        case .clockUnsynced: machine.isSynced = false
        case .clockLost(let behind): machine.losesTime(behind)
        case .slowController(let delay): adapter.answersAfter = delay
        case .sharedAntenna: antenna.isShared = true
        }
    }

    func end(_ fault: Fault) {
        trace("over: \(fault.kind)")
        switch fault.kind {
        case .kill, .powerCut, .restart, .moved, .clockSet, .brokerHangsUp: break
        case .disk: disk.trouble = nil
        case .flakyDisk: disk.flakiness = 0
        case .stall: stalledUntil = nil
        case .line: network.mend()
        case .slowLine: network.slowness = .zero
        case .brokerDown: broker.start()
        case .loginRefused: broker.loginRefusal = nil
        case .refusals: broker.refusals = (0, [])
        case .endings: broker.endings = (0, [])
        case .shuffledAcknowledgements: network.shufflesAcknowledgements = false
        case .adapter: post(adapter.mend())
        case .clockUnsynced: machine.isSynced = true
        case .clockLost: machine.synchronises()
        case .slowController: adapter.answersAfter = SimulatedAdapter.usualAnswer
        case .sharedAntenna: antenna.isShared = false
        }
    }

    private func crash(after operations: Int?, takesMachine: Bool) {
        guard life != nil else { return }
        guard let operations else { return died(withMachine: takesMachine) }
        crashTakesMachine = takesMachine
        disk.operationsUntilCrash = operations
    }

    private func post(_ event: DeviceEvent?) {
        guard let event, let life else { return }
        // The radio hears nothing from here on, even before the loop learns of it.
        witness.listens(life.kernel.seemsToListen, at: now)
        life.kernel.post(event)
        life.radioWorks()
    }
}
