@testable import Agent
@testable import Core
@testable import TestDisk

/// The end: nothing fails any more, no visitor moves, and the store has to know all places.
extension StoreWorld {
    /// Longer than any pause between retries.
    private static let longestHealing = TimeSpan.seconds(420)
    /// Long enough for the exits of beacons that left.
    private static let healing = TimeSpan.seconds(90)

    func finish() {
        isHealed = true
        for machine in machines { machine.disk.operationsUntilCrash = nil }
        for fault in scenario.faults { end(fault) }
        for machine in machines where machine.life == nil { agenda.add(.starts(machine: machine.number), at: now) }
        let limit = now + Self.longestHealing
        pass(until: now + Self.healing) { false }
        while now < limit, violation == nil, problem != nil { pass(until: now + .seconds(10)) { false } }
        guard violation == nil else { return }
        if let problem { return fail(problem) }
        check { () throws(Violation) in
            try account.check()
            try twin?.check(at: now)
        }
        for machine in machines where violation == nil { stop(machine) }
        for machine in machines where violation == nil && status(of: machine)?.isOnline != false {
            fail(
                Violation(invariant: .stateAgrees, detail: "\(machine.topics.gateway) was stopped, and is not offline"))
        }
    }

    /// The retained status of a machine.
    private func status(of machine: StoreMachine) -> StatusPayload? {
        broker.retained[machine.topics.status].flatMap { try? StatusPayload(decoding: $0) }
    }

    /// A rule that does not hold yet; `nil` once all do.
    private var problem: Violation? {
        for machine in machines {
            guard let life = machine.life, life.outbox.isDurable, life.outbox.health.queuedEvents == 0,
                status(of: machine)?.isOnline == true
            else { return Violation(invariant: .recovers, detail: "\(machine.topics.gateway) has not delivered") }
        }
        let hall = RegionInstanceID(region: "hall")
        for visitor in floor.visitors {
            let zone = visitor.zone(at: now)
            let cart = RegionInstanceID(
                region: "cart", .minor(major: visitor.identity.major, minor: visitor.identity.minor))
            if let problem = problem(of: cart, isInside: zone != nil) { return problem }
            for other in 0..<floor.zoneCount {
                let instance = cart.inZone(scenario.zone(of: other))
                if let problem = problem(of: instance, isInside: other == zone) { return problem }
            }
        }
        let zones = Set(floor.visitors.compactMap { $0.zone(at: now) })
        if let problem = problem(of: hall, isInside: !zones.isEmpty) { return problem }
        for zone in 0..<floor.zoneCount {
            let instance = hall.inZone(scenario.zone(of: zone))
            if let problem = problem(of: instance, isInside: zones.contains(zone)) { return problem }
        }
        return nil
    }

    /// Whether the broker retains the truth. An instance that never had a beacon needs no retained state. A process may
    /// have ended before its disk worked again: then only the broker has its last states, and no process knows that
    /// they have to be cleared.
    private func problem(of instance: RegionInstanceID, isInside: Bool) -> Violation? {
        let retained = broker.retained[site.topics.state(instance)].flatMap { try? StatePayload(decoding: $0) }
        if !isInside, retained == nil || machines.contains(where: { !$0.wasAlwaysCommitted }) { return nil }
        if retained?.state == (isInside ? .inside : .outside) { return nil }
        return Violation(
            invariant: .nothingMissed,
            detail:
                "\(instance.name) is \(isInside ? "inside" : "outside"), the store says \(retained?.state.rawValue ?? "nothing")"
        )
    }
}
