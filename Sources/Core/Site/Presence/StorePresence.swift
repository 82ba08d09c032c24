/// The slot of a region instance in a store.
struct StoreRegionSlot: SlotNumber, Comparable {
    let number: UInt32

    static func < (left: StoreRegionSlot, right: StoreRegionSlot) -> Bool { left.number < right.number }
}

/// The presence in a store: each gateway's claims about each region instance, and the resulting states.
///
/// `StorePresence` does not know places. Its findings wait until `SiteEngine` takes them, after each region that was
/// touched. So zones are left and beacons placed by the presence at that moment.
struct StorePresence: Sendable {
    /// A finding to tell, or to place beacons by.
    enum Finding: Sendable {
        /// A gateway has told an event of a beacon that it heard until then.
        case heard(StoreRegionSlot, ArrivedEvent, until: Instant, at: Instant)
        case changed(Changed)
        /// A visit became known late.
        case lateVisit(GatewayOutput)
        /// No gateway monitors the region any more. The output ends its open stay, if there is one.
        case ended(StoreRegionSlot, GatewayOutput?, at: Instant)
        case released(Released)
        /// A pending region was discarded before it was told.
        case discarded(StoreRegionSlot)
    }

    /// A change of a region's state.
    struct Changed: Sendable {
        var slot: StoreRegionSlot
        var change: StoreRegion.Change
        /// The last evidence of the inside.
        var lastHeardAt: Instant?
        var output: GatewayOutput
    }

    /// A region that was told does not exist any more.
    struct Released: Sendable {
        var slot: StoreRegionSlot
        var id: RegionInstanceID
    }

    let spans: StoreRegion.Spans
    var gateways: StoreGateways
    /// The admission of region instances.
    var admission: StoreAdmission
    /// The region instances that gateways have told, pending ones included.
    var regions = IdentifiedSlots<StoreRegionSlot, RegionInstanceID, StoreRegion>()
    /// The UUID of each region, by its id.
    var owners = RegionOwners()
    /// The ends of instances that no gateway monitors any more, as long as older messages about them may come.
    var endings = StoreEndings()
    /// The deadlines of regions; stale where `StoreRegion.due` differs.
    private var timers = TimerQueue<StoreRegionSlot>()
    /// The exits that wait for lists of gateways, by their times; stale where `StoreRegion.awaitedUntil` differs.
    var awaitingLists = TimerQueue<StoreRegionSlot>()
    /// States that name an event which has not arrived yet.
    var early = EarlyStates()
    /// The messages that came too late to change anything.
    var lateCount: UInt64 = 0
    /// Whether all instances together have too many untold stays, and the time of the last count.
    private var hasManyStays = false
    private var staysCountedAt = Instant.origin
    /// The findings that were not taken yet, in order.
    private var findings: [Finding] = []
    /// The latest time that it was given.
    var now: Instant

    init(_ spans: StoreRegion.Spans, _ limits: RegionLimits, _ gateways: StoreGateways, at now: Instant) {
        self.spans = spans
        self.gateways = gateways
        self.now = now
        admission = StoreAdmission(limits)
    }

    /// The time of the next deadline.
    var nextDeadline: Instant {
        min(min(timers.nextDue, early.due), min(admission.due, gateways.restatedDue))
    }

    mutating func note(_ finding: Finding) { findings.append(finding) }

    mutating func takeFindings() -> [Finding] {
        if findings.isEmpty { return [] }
        defer { findings = [] }
        return findings
    }

    /// Restores a region that an earlier process has stored.
    mutating func restore(_ record: RegionRecord) {
        guard let slot = restoredRegion(record.instance) else { return }
        let change = regions[slot].restore(record, at: now, unknownAt: now + spans.unknownAfter)
        if case .inside(let stay) = record.occupancy { regions[slot].cause = StoreRegion.Cause(of: stay, in: record) }
        tell(slot, StoreRegion.Change(change: change, at: now))
        schedule(slot)
    }

    /// Returns a region that an earlier process has stored. It exists at once.
    mutating func restoredRegion(_ id: RegionInstanceID) -> StoreRegionSlot? {
        if let known = regions.slot(of: id) { return known }
        guard id.discriminator == .whole || admission.instanceCount < admission.maxInstances,
            let slot = region(id, isPresent: true, at: now)
        else { return nil }
        if regions[slot].pending != nil { exists(slot) }
        return slot
    }

    /// Takes an ended stay of a gateway. Late or excess stays are counted.
    mutating func note(_ stay: StayLog.Stay, of slot: StoreRegionSlot) {
        if regions[slot].log.stays.count >= StayLog.few {
            // Thousands of instances are counted at most once a second.
            if now - staysCountedAt >= .seconds(1) {
                staysCountedAt = now
                hasManyStays = regions.slots.reduce(0) { $0 + regions[$1].log.stays.count } > admission.maxInstances
            }
            regions[slot].limitLog(to: hasManyStays ? StayLog.few : StayLog.most)
        }
        if !regions[slot].note(stay, spans, at: now) { lateCount += 1 }
    }

    /// Notes an event of a zone of the region: the region is not left before it.
    mutating func noteZoneTold(of slot: StoreRegionSlot, at now: Instant) { regions[slot].noteZoneTold(at: now) }

    /// Sets the timer of a region. The store calls it wherever a region's claims were weighed.
    mutating func schedule(_ slot: StoreRegionSlot) {
        let due = regions[slot].due
        if due < .distantFuture { timers.set(slot, at: due) }
        timers.throwOutStale(of: regions.slotCount) { [regions] in regions[$0.subject].due == $0.due }
    }

    /// Does the first due work of one region: it is left, becomes unknown, or is weighed again.
    mutating func advanceFirst(to now: Instant) {
        guard let timer = timers.removeFirst(), regions[timer.subject].due == timer.due else { return }
        advance(timer.subject, to: now)
    }
}
