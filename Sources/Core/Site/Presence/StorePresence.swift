/// Where a region instance stands in a store.
struct StoreRegionSlot: SlotNumber, Comparable {
    let number: UInt32

    static func < (left: StoreRegionSlot, right: StoreRegionSlot) -> Bool { left.number < right.number }
}

/// What is present in a store: what each gateway claims of each region instance, and how the instance stands because of that.
///
/// It knows no places. What it finds waits until `SiteEngine` takes it, after each region that was touched: so zones are left and
/// beacons placed by what is present at that moment.
struct StorePresence: Sendable {
    /// Something that is told, or that beacons are placed by.
    enum Finding: Sendable {
        /// A gateway has told an entry.
        case heard(StoreRegionSlot, ArrivedEvent, at: Instant)
        case changed(Changed)
        /// No gateway monitors the region any more. The output ends its stay, where one was under way.
        case ended(StoreRegionSlot, GatewayOutput?, at: Instant)
        case released(Released)
        /// It was held back, and exists no more before it was told of.
        case discarded(StoreRegionSlot)
    }

    /// A region's state has changed.
    struct Changed: Sendable {
        var slot: StoreRegionSlot
        var change: StoreRegion.Change
        /// The last evidence that it was inside.
        var lastHeardAt: Instant?
        var output: GatewayOutput
    }

    /// A region that was told of exists no more.
    struct Released: Sendable {
        var slot: StoreRegionSlot
        var id: RegionInstanceID
    }

    let spans: StoreRegion.Spans
    var gateways: StoreGateways
    /// Which region instances exist.
    var admission: StoreAdmission
    /// The region instances that gateways have told of, those among them that wait for their admission.
    var regions = IdentifiedSlots<StoreRegionSlot, RegionInstanceID, StoreRegion>()
    /// The UUID of each region, by its id.
    var owners = RegionOwners()
    /// When the stays ended of instances that no gateway monitors any more, while older news of them may come.
    var endings = StoreEndings()
    /// When regions have something to do; stale where `StoreRegion.due` says otherwise.
    private var timers = TimerQueue<StoreRegionSlot>()
    /// States that name an event which has not come yet.
    var early = EarlyStates()
    /// Messages that came too late to change anything.
    var lateCount: UInt64 = 0
    /// Whether the stays of all instances that are not told yet are too many, and when they were counted.
    private var hasManyStays = false
    private var staysCountedAt = Instant.origin
    /// What is not taken yet, in the order in which it was found.
    private var findings: [Finding] = []
    /// The latest time that it was told.
    var now: Instant

    init(_ spans: StoreRegion.Spans, _ limits: RegionLimits, _ gateways: StoreGateways, at now: Instant) {
        self.spans = spans
        self.gateways = gateways
        self.now = now
        admission = StoreAdmission(limits)
    }

    /// When there is something to do next.
    var nextDeadline: Instant {
        min(min(timers.nextDue, early.due), min(admission.due, gateways.restatedDue))
    }

    mutating func note(_ finding: Finding) { findings.append(finding) }

    mutating func takeFindings() -> [Finding] {
        if findings.isEmpty { return [] }
        defer { findings = [] }
        return findings
    }

    /// What an earlier process has stored of a region goes on.
    mutating func restore(_ record: RegionRecord) {
        guard let slot = restoredRegion(record.instance) else { return }
        let change = regions[slot].restore(record, at: now, unknownAt: now + spans.unknownAfter)
        if case .inside(let stay) = record.occupancy { regions[slot].cause = StoreRegion.Cause(of: stay, in: record) }
        tell(slot, StoreRegion.Change(change: change, at: now))
        schedule(slot)
    }

    /// A region that an earlier process has stored: it exists at once.
    mutating func restoredRegion(_ id: RegionInstanceID) -> StoreRegionSlot? {
        if let known = regions.slot(of: id) { return known }
        guard id.discriminator == .whole || admission.instanceCount < admission.maxInstances,
            let slot = region(id, isPresent: true, at: now)
        else { return nil }
        if regions[slot].pending != nil { exists(slot) }
        return slot
    }

    /// A gateway had something inside, and it left. What comes too late, or is too much, is counted.
    mutating func note(_ stay: StayLog.Stay, of slot: StoreRegionSlot) {
        if regions[slot].log.stays.count >= StayLog.few {
            // Thousands of instances are counted once a second at most.
            if now - staysCountedAt >= .seconds(1) {
                staysCountedAt = now
                hasManyStays = regions.slots.reduce(0) { $0 + regions[$1].log.stays.count } > admission.maxInstances
            }
            regions[slot].log.limit = hasManyStays ? StayLog.few : StayLog.most
        }
        if !regions[slot].note(stay, spans) { lateCount += 1 }
    }

    /// Something was told of a zone of the region: it is not left before that.
    mutating func noteZoneTold(of slot: StoreRegionSlot, at now: Instant) { regions[slot].zonesToldAt = now }

    /// To be called wherever a region's claims were weighed.
    mutating func schedule(_ slot: StoreRegionSlot) {
        let due = regions[slot].due
        if due < .distantFuture { timers.set(slot, at: due) }
        timers.throwOutStale(of: regions.slotCount) { [regions] in regions[$0.subject].due == $0.due }
    }

    /// Does the first thing that is due then of one region: it is left, or nobody knows any more, or it is asked again.
    mutating func advanceFirst(to now: Instant) {
        guard let timer = timers.removeFirst(), regions[timer.subject].due == timer.due else { return }
        advance(timer.subject, to: now)
    }
}
