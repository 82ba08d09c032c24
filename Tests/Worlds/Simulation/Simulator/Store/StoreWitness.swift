@testable import Agent
@testable import Core

/// Checks a store's events: from the gateways' messages as the store's process took them, and the store's own.
struct StoreWitness {
    /// The knowledge of the store's process when it numbered an event.
    private struct Decision {
        var at: Instant
        /// The gateways that had each instance inside.
        var holders: [RegionInstanceID: [String]]
        /// The instances that it has inside, since that round or before.
        var inside: Set<RegionInstanceID>
    }

    /// After a restart one instant may be published as another wall clock time, because the clocks drift.
    private static let drift = TimeSpan.seconds(0.2)

    private let lateAfter: TimeSpan
    private(set) var claims: GatewayClaims
    private var decisions: [String: [Int64: Decision]] = [:]
    private var numbering = Numbering(epoch: "")
    private var recordsDue = Instant.origin
    /// The last event of each instance.
    private var last: [RegionInstanceID: EventPayload] = [:]
    /// The exits of instances that a gateway still had inside. The next visit has to be decided with each.
    private var unproved: [RegionInstanceID: (decidedAt: Instant, violation: Violation)] = [:]
    /// Exits for which the gateway that had it inside was known.
    private(set) var exitCount = 0
    private(set) var zoneEventCount = 0

    init(lateAfter: TimeSpan) {
        self.lateAfter = lateAfter
        claims = GatewayClaims(lateAfter: lateAfter)
    }

    /// The store's process has begun: it knows nothing but its records.
    mutating func lifeBegan(_ numbering: Numbering, at now: Instant) {
        claims.lifeBegan(at: now)
        if self.numbering.epoch != numbering.epoch { mayHaveLost() }
        self.numbering = numbering
    }

    /// Forgets the last events, which the store may not continue from.
    mutating func mayHaveLost() { last = [:] }

    mutating func hears(_ message: IncomingMessage) { claims.hears(message) }

    /// The delivery loop of the store's process has ended a round: it decided its numbered events before it took the
    /// new messages.
    ///
    /// - Parameter isPlain: whether everything that it ever published was committed. Otherwise an unreadable file may hold
    /// the distant past.
    mutating func roundEnded(
        _ outbox: Outbox, _ timebase: Timebase, rightClocks: [String: Int], isPlain: Bool, at now: Instant
    ) throws(Violation) {
        let present = outbox.numbering
        if numbering.epoch != present.epoch { mayHaveLost() }
        let first = numbering.epoch == present.epoch ? numbering[.events] : 1
        numbering = present
        if first < present[.events] {
            let decision = Decision(
                at: now, holders: claims.holders(at: now), inside: Self.stored(outbox, timebase).inside)
            for seq in first..<present[.events] { decisions[present.epoch, default: [:]][seq] = decision }
        }
        claims.take(rightClocks: rightClocks, at: now)
        guard isPlain, outbox.isDurable, first < present[.events] || now >= recordsDue else { return }
        recordsDue = now + .seconds(2)
        try checkRecords(outbox, timebase)
    }

    /// Checks that the records match the events: zones exclude each other.
    private func checkRecords(_ outbox: Outbox, _ timebase: Timebase) throws(Violation) {
        let (inside, outside) = Self.stored(outbox, timebase)
        for zone in inside where zone.zone != nil {
            let region = zone.inZone(nil)
            let others = inside.filter { $0 != zone && $0.zone != nil && $0.inZone(nil) == region }
            // A region that is not expanded has several beacons.
            if region.minor != nil, let other = others.first {
                throw Violation(invariant: .oneZone, detail: "\(zone.name) and \(other.name) are both stored inside")
            }
            if outside.contains(region) {
                throw Violation(
                    invariant: .oneZone, detail: "\(zone.name) is stored inside, and \(region.name) outside")
            }
        }
    }

    private static func stored(_ outbox: Outbox, _ timebase: Timebase)
        -> (inside: Set<RegionInstanceID>, outside: Set<RegionInstanceID>)
    {
        let records = outbox.storedRegions(timebase).values.map(\.record)
        return (
            Set(records.filter(\.isInside).map(\.instance)), Set(records.filter { !$0.isInside }.map(\.instance))
        )
    }

    // MARK: - Events of the store

    /// The subscriber has received an event of the store, in the order of its number.
    ///
    /// - Parameter rightClocks: the gateways whose clock was never wrong, by id.
    mutating func receive(
        _ event: EventPayload, _ instance: RegionInstanceID, _ hearing: HearingLog, rightClocks: [String: Int]
    ) throws(Violation) {
        // A late visit lies between two others: it is compared with them by the twin.
        if event.exit?.isLate == true { return }
        let former = last[instance]
        last[instance] = event
        if instance.zone != nil { zoneEventCount += 1 }
        if event.exit == nil {
            try checkEntry(event, instance, former, hearing, rightClocks)
        } else if instance.zone == nil {
            // Events of a zone since then belong to the next visit.
            for (other, known) in last
            where other.zone != nil && other.inZone(nil) == instance && known.exit == nil
                && known.head.at <= event.head.at
            {
                throw Violation(
                    invariant: .oneZone, detail: "\(instance.name) is left, and \(other.name) was not left")
            }
        }
        if let former, former.head.at - event.head.at > Self.drift {
            throw Violation(
                invariant: .history, detail: "event \(event.seq) of \(instance.name) is older than \(former.seq)")
        }
        guard let decision = decisions[event.epoch]?.removeValue(forKey: event.seq) else { return }
        try checkUnproved(event, instance, decidedAt: decision.at)
        let age = SimulatedMachine.wall(decision.at) - event.head.at
        if age > lateAfter + GatewayClaims.patience || age + Self.drift < .zero {
            throw Violation(
                invariant: .history,
                detail: "event \(event.seq) of \(instance.name) is \(age.seconds) s old as it is decided")
        }
        guard let exit = event.exit, exit.ending != .unmonitored, instance.zone == nil else { return }
        exitCount += 1
        // A visit that no gateway saw begin has a state and no entry.
        if let holder = decision.holders[instance]?.first, !decision.inside.contains(instance) {
            let detail = "event \(event.seq): \(instance.name) is left, and \(holder) has it inside"
            unproved[instance] = (decision.at, Violation(invariant: .proof, detail: detail))
        }
    }

    /// A gateway may have had an instance inside when its exit was decided, if the next visit was decided with it.
    private mutating func checkUnproved(_ event: EventPayload, _ instance: RegionInstanceID, decidedAt: Instant)
        throws(Violation)
    {
        if event.exit == nil, let exit = unproved[instance], exit.decidedAt == decidedAt { unproved[instance] = nil }
        for (_, exit) in unproved where exit.decidedAt < decidedAt { throw exit.violation }
    }

    private func checkEntry(
        _ event: EventPayload, _ instance: RegionInstanceID, _ former: EventPayload?, _ hearing: HearingLog,
        _ rightClocks: [String: Int]
    ) throws(Violation) {
        if let former, former.exit == nil {
            throw Violation(
                invariant: .noFalseCrossing, detail: "events \(former.seq) and \(event.seq) both enter \(instance.name)"
            )
        }
        if instance.zone != nil, instance.minor != nil {
            for (other, known) in last
            where other != instance && other.zone != nil && other.inZone(nil) == instance.inZone(nil)
                && known.exit == nil
            {
                throw Violation(
                    invariant: .oneZone,
                    detail: "event \(event.seq) enters \(instance.name), and \(other.name) was not left")
            }
        }
        guard instance.zone == nil, let gateway = event.origin?.gateway, let number = rightClocks[gateway],
            case .beacon(let identity, _) = event.cause
        else { return }
        let at = Instant.origin + (event.head.at - SimulatedMachine.begin)
        if !hearing.has(identity, by: number, from: at - lateAfter - .seconds(3), to: at + .seconds(0.2)) {
            throw Violation(
                invariant: .noFalseCrossing,
                detail: "event \(event.seq) enters \(instance.name), and \(gateway) has not heard it")
        }
    }
}
