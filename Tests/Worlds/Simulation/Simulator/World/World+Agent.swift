@testable import Agent
@testable import Core
@testable import TestDisk

/// The agent's lives: their beginnings, and several kinds of ends.
extension World {
    func startAgent() {
        guard life == nil, violation == nil else { return }
        lives += 1
        trace("agent \(lives) starts, boot \(machine.bootNumber)")
        // The wall clock was set while the agent was stopped.
        if lives > 1, chance.happens(0.3) { machine.wallError = machine.wallError + chance.span(-90_000, 90_000) }
        disk.attach()
        guard let begun = AgentLife(self, number: lives) else {
            return agenda.add(.agentStarts, at: now + .seconds(5))
        }
        life = begun
        if disk.hasCrashed { return died(withMachine: crashTakesMachine) }
        check { () throws(Violation) in
            try ledger.lifeBegan(begun.outbox, topics)
            try checkRecords()
            try tracks.lifeBegan(begun.outbox.numbering, readsDisk: begun.outbox.health.condition == nil)
        }
        coverage.lifeBegan(at: now)
        circles.lifeBegan(begun.outbox, at: now)
        witness.lifeBegan(begun.outbox, boot: machine.bootNumber, endedAt: endedAt, at: now)
        subscriber.lifeBegan()
        begun.start()
    }

    /// Makes the configuration name another gateway from now on.
    func move(_ id: String, politely: Bool) {
        if life != nil {
            if politely { stopAgent() } else { died(withMachine: false) }
            guard life == nil, violation == nil else { return }
            if politely { agenda.add(.agentStarts, at: now + chance.spread(0.1, 60)) }
        }
        if settings.identity.id != id { tracks.moved() }
        settings.identity.id = id
    }

    /// Ends the process and its memory; with the machine, also everything that was not synced.
    func died(withMachine: Bool) {
        trace("agent \(lives) dies\(withMachine ? ", the power fails" : "")")
        disk.crash()
        life?.connection.die(withMachine: withMachine)
        life = nil
        unread = []
        noteEnd(isPlain: stalledUntil == nil && isCommitted)
        tracks.lifeEnded(isStored: ledger.isEpochStored)
        ledger.lifeEnded()
        disk.attach()
        if withMachine {
            disk.cutPower()
            adapter.boot()
            boot()
        }
        agenda.add(.agentStarts, at: now + chance.spread(0.1, withMachine ? 120 : 20))
    }

    /// SIGTERM: ends the process in order.
    func stopAgent() {
        // A second SIGTERM changes nothing.
        guard let stopping = life, !stopping.isStopping else { return }
        trace("agent \(lives) is stopped")
        stopping.stop()
        if disk.hasCrashed { return died(withMachine: crashTakesMachine) }
        check { () throws(Violation) in
            try ledger.roundEnded(stopping.outbox)
            try tracks.roundEnded(stopping.outbox.numbering, isDurable: false, at: now)
        }
        coverage.series.roundEnded(stopping.outbox.numbering)
        for series in others.keys { others[series]?.roundEnded(stopping.outbox.numbering) }
        stopping.connection.die(withMachine: false)
        life = nil
        noteEnd(isPlain: stopping.isCommitted)
        tracks.lifeEnded(isStored: ledger.isEpochStored)
        ledger.lifeEnded()
    }

    private func noteEnd(isPlain: Bool) {
        coverage.lifeEnded(at: now)
        endedAt = isPlain ? now : .origin
        wasAlwaysCommitted = wasAlwaysCommitted && isPlain
    }

    /// Boots the machine, which restarts the monotonic clock. Without a clock battery the wall clock restarts too.
    func boot() {
        if chance.happens(0.2) { machine.wallError = chance.span(-315_576_000, 315_576_000) }
        machine.boot(&chance)
    }

    /// Checks that the stored region states match the last committed events.
    private func checkRecords() throws(Violation) {
        guard let life, life.outbox.isDurable, let last = ledger.lastEvents() else { return }
        let stored = life.outbox.storedRegions()
        for (instance, event) in last.sorted(by: { $0.value.seq < $1.value.seq }) {
            guard let region = stored[instance] else {
                throw Violation(invariant: .stateAgrees, detail: "\(instance) has event \(event.seq) and no record")
            }
            if region.eventSeq != event.seq || region.record.isInside != event.isEntry {
                throw Violation(
                    invariant: .stateAgrees,
                    detail: "\(instance): the record names event \(region.eventSeq), the last one is \(event.seq)")
            }
        }
    }
}
