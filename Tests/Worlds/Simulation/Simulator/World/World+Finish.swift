@testable import Agent
@testable import Core
@testable import TestDisk

/// The end: nothing fails any more, and everything has to come right.
extension World {
    /// Longer than any pause between retries: after a takeover of its identifier the agent stays away for 300 s.
    private static let longestHealing = TimeSpan.seconds(420)
    /// Long enough for the exits of beacons that left.
    private static let healing = TimeSpan.seconds(80)

    func finish() {
        isHealed = true
        disk.operationsUntilCrash = nil
        for fault in scenario.faults { end(fault) }
        // A restart offers events again that were set aside because the broker refused them, and topics that could not
        // be cleared.
        wait()
        if violation == nil, let life, life.outbox.health.parkedEvents > 0 || !staleTopics.isEmpty {
            stopAgent()
            agenda.add(.agentStarts, at: now)
            wait()
        }
        guard violation == nil else { return }
        check { () throws(Violation) in
            try checkDelivered()
            try checkRetained()
            try tracks.check()
            try checkRetainedPlace()
            if let numbering = life?.outbox.numbering {
                try coverage.check(numbering, clock: machine.wasSet ? nil : machine.wall(at:))
                for series in NumberSeries.allCases { try others[series]?.check(numbering) }
            }
            if let topic = staleTopics.first {
                throw Violation(invariant: .nothingStale, detail: "\(topic) is retained, and out of date")
            }
        }
        surviveFlood()
        guard violation == nil else { return }
        stopAgent()
        check { () throws(Violation) in try checkGoodbye() }
    }

    private func wait() {
        if life == nil { agenda.add(.agentStarts, at: now) }
        let limit = now + Self.longestHealing
        pass(until: now + Self.healing) { false }
        while now < limit, violation == nil, !isDelivered { pass(until: now + .seconds(10)) { false } }
    }

    private var isDelivered: Bool {
        guard let life else { return false }
        return life.outbox.isDurable && life.outbox.health.queuedEvents == 0 && status?.isOnline == true
    }

    /// The retained status of the gateway.
    private var status: StatusPayload? {
        broker.retained[topics.status].flatMap { try? StatusPayload(decoding: $0) }
    }

    /// Retained topics that are neither this gateway's own nor of a region that it has. A former gateway's topics of a
    /// region that no disk knew are not counted: no process can know them.
    private var staleTopics: [String] {
        let own = Set(
            [topics.status, topics.health, topics.topic(.gateway(.location))] + instances.map(topics.state))
        return broker.retained.keys.sorted().filter { topic in
            !own.contains(topic) && (wasAlwaysCommitted || topic.hasPrefix(topics.root + "/"))
        }
    }

    private func checkDelivered() throws(Violation) {
        guard let life else { throw Violation(invariant: .recovers, detail: "the agent does not run") }
        if let condition = life.outbox.condition {
            throw Violation(invariant: .recovers, detail: "the outbox still says \(condition)")
        }
        let queued = life.outbox.health.queuedEvents
        if queued > 0 { throw Violation(invariant: .recovers, detail: "\(queued) events are still queued") }
        if life.eventCount != ledger.crossingCount {
            throw Violation(
                invariant: .nothingLost,
                detail: "\(ledger.crossingCount) crossings were found, \(life.eventCount) events committed")
        }
        for (name, epoch) in ledger.epochs.sorted(by: { $0.key < $1.key }) {
            for (seq, entry) in epoch.entries.sorted(by: { $0.key < $1.key })
            where entry.payload == nil && !entry.mayBeLost && !epoch.isStated(seq) {
                throw Violation(
                    invariant: .nothingLost, detail: "event \(seq) of \(name) never came, and no gap says so")
            }
        }
    }

    /// Checks that the broker retains what the agent published last, with the number of the last event.
    private func checkRetained() throws(Violation) {
        guard let numbering = life?.outbox.numbering else { return }
        let topics = topics
        for instance in instances {
            // Where a process ended before its disk worked again, only the broker has its last states.
            guard let state = state(of: instance), state != .unknown || lives == 1 else { continue }
            guard let payload = broker.retained[topics.state(instance)] else {
                if state == .unknown || (state == .outside && isForgotten(instance)) { continue }
                throw Violation(invariant: .stateAgrees, detail: "no state of \(instance) is retained")
            }
            guard let retained = try? StatePayload(decoding: payload), retained.state == state else {
                throw Violation(
                    invariant: .stateAgrees, detail: "\(instance) is not retained as what it is: \(state.rawValue)")
            }
            let last = ledger.lastEvents(of: instance)
            guard last.contains(retained.eventSeq) else {
                throw Violation(
                    invariant: .stateAgrees,
                    detail: "\(instance) names event \(retained.eventSeq), its last is \(last.sorted())")
            }
        }
        if status?.isOnline != true || status?.epoch != numbering.epoch {
            throw Violation(invariant: .stateAgrees, detail: "the status says neither online nor the epoch")
        }
    }

    /// Whether the agent has forgotten an instance: by a clock that was months behind, it was left longer than
    /// `forget_after_days` ago.
    private func isForgotten(_ instance: RegionInstanceID) -> Bool {
        guard instance.discriminator != .whole, let life else { return false }
        return !life.outbox.records().contains { StoredRegion.instance(ofKey: $0.key) == instance }
    }

    private func checkGoodbye() throws(Violation) {
        if status?.isOnline != false {
            throw Violation(invariant: .stateAgrees, detail: "the agent was stopped, and the status is not offline")
        }
    }
}
