struct StoreRegionSlot: SlotNumber, Comparable {
    let number: UInt32

    static func < (left: StoreRegionSlot, right: StoreRegionSlot) -> Bool { left.number < right.number }
}

/// The region instances of a store with their deadlines, and the limits on their number: see `InstanceAdmission`, whose
/// rules hold here too.
///
/// A gateway's messages may be forged, by a person with a radio or by the gateway itself. So an instance of an expanded
/// region exists only once a gateway has it inside. Newcomers per minute are limited, and the instance outside for
/// longest gives way. A gateway reports an entry once. So the store keeps refused entries *pending*, and tries again in
/// the next minute while a gateway has them inside.
struct StoreRegions: Sendable {
    /// The decision about a pending entry.
    enum Admission {
        case admitted
        /// Refused in this minute already.
        case refusedBefore
        /// The instance that has been outside for longest has to give way.
        case needsRoom
        case refused
    }

    let spans: StoreRegion.Spans
    let limits: RegionLimits
    private var table = IdentifiedSlots<StoreRegionSlot, RegionInstanceID, StoreRegion>()
    private var budget: EntryBudget
    /// The existing plain regions, and instances of expanded ones.
    private(set) var plainCount = 0
    private(set) var instanceCount = 0
    /// Regions that wait for their admission, in the order of their entries.
    private(set) var pending: [StoreRegionSlot] = []
    /// The next time at which pending regions are tried again.
    private var retryDue = Instant.distantFuture
    /// Instances by the time of their exit, stale ones included.
    private var outside = TimerQueue<StoreRegionSlot>()
    private(set) var refused = RefusedEntries()
    /// The ends of instances that no gateway monitors any more, as long as older messages about them may come.
    private var endings = StoreEndings()
    /// The deadlines of regions; stale where `StoreRegion.due` differs.
    private var timers = TimerQueue<StoreRegionSlot>()
    /// The exits that wait for lists of gateways, by their times; stale where `StoreRegion.awaitedUntil` differs.
    private var awaitingLists = TimerQueue<StoreRegionSlot>()
    /// True if all instances together have too many waiting stays, and the time of the last count.
    private var hasManyStays = false
    private var staysCountedAt = Instant.origin

    init(_ spans: StoreRegion.Spans, _ limits: RegionLimits) {
        self.spans = spans
        self.limits = limits
        budget = EntryBudget(limit: limits.maxNewcomersPerMinute)
    }

    // MARK: - The table

    /// A region. Changes happen in place.
    subscript(slot: StoreRegionSlot) -> StoreRegion {
        get { table[slot] }
        _modify { yield &table[slot] }
    }

    /// All slots, free ones included.
    var slots: some RandomAccessCollection<StoreRegionSlot> { table.slots }

    func slot(of id: RegionInstanceID) -> StoreRegionSlot? { table.slot(of: id) }

    /// Returns the slots of the regions whose ids are wanted, in the order of the slots.
    func slots(where isWanted: (RegionInstanceID) -> Bool) -> [StoreRegionSlot] { table.slots(where: isWanted) }

    /// Adds a region that is not expanded; `nil` where there are too many.
    mutating func insertPlain(_ id: RegionInstanceID, at now: Instant) -> StoreRegionSlot? {
        guard plainCount < limits.maxRegions else {
            countRefusedInstance()
            return nil
        }
        plainCount += 1
        return insert(id, at: now)
    }

    /// Adds an instance of an expanded region, which waits for its admission.
    mutating func insertPending(_ id: RegionInstanceID, at now: Instant) -> StoreRegionSlot {
        let slot = insert(id, at: now)
        table[slot].wait(for: PendingEntry(evidence: ClaimEvidence(at: now)))
        pending.append(slot)
        return slot
    }

    /// The pending region that has to give way to another one; `nil` where there is room.
    var oldestOfTooManyPending: StoreRegionSlot? { pending.count >= limits.maxInstances ? pending.first : nil }

    private mutating func insert(_ id: RegionInstanceID, at now: Instant) -> StoreRegionSlot {
        table.insert(StoreRegion(id, after: endings.end(of: id) ?? .origin, at: now), for: id)
    }

    /// Removes a region that exists. No older message about it begins a visit.
    mutating func remove(_ slot: StoreRegionSlot, at now: Instant) {
        let (id, ended) = (table[slot].id, table[slot].notBefore)
        if ended > endings.end(of: id) ?? .origin { endings.add(id, at: ended, lateAfter: spans.lateAfter) }
        if id.discriminator == .whole { plainCount -= 1 } else { instanceCount -= 1 }
        table.remove(id, leaving: StoreRegion(id, at: now))
    }

    /// Removes a region before it existed.
    mutating func discard(_ slot: StoreRegionSlot, at now: Instant) {
        pending.removeAll { $0 == slot }
        let id = table[slot].id
        table.remove(id, leaving: StoreRegion(id, at: now))
    }

    /// Takes the end of a region with an open visit that no gateway monitors any more.
    mutating func ended(_ slot: StoreRegionSlot, at now: Instant) {
        endings.add(table[slot].id, at: now, lateAfter: spans.lateAfter)
    }

    // MARK: - Admission

    /// The time of the next `retries` or `takeLeft`.
    var admissionDue: Instant {
        let forgetAfter = limits.forgetAfter
        return min(budget.due, retryDue, forgetAfter == .forever ? .distantFuture : outside.nextDue + forgetAfter)
    }

    /// Decides whether a pending region may exist now. It exists from now on where it is `admitted`.
    ///
    /// - Parameter hasMadeRoom: whether another instance was to give way already.
    mutating func admit(
        _ slot: StoreRegionSlot, _ entry: PendingEntry, hasMadeRoom: Bool, at now: Instant
    ) -> Admission {
        let minute = EntryBudget.minute(of: now)
        if entry.refusedInMinute == minute { return .refusedBefore }
        if !budget.hasRoom(at: now) {
            refused.maxNewcomersPerMinute &+= 1
        } else if instanceCount < limits.maxInstances {
            budget.admit()
            exists(slot)
            return .admitted
        } else if !hasMadeRoom {
            return .needsRoom
        } else {
            refused.maxInstances &+= 1
        }
        table[slot].wait(for: PendingEntry(evidence: entry.evidence, refusedInMinute: minute))
        if let identity = table[slot].cause?.identity { budget.refuse(identity, of: table[slot].id.region, at: now) }
        retryDue = EntryBudget.end(of: minute)
        return .refused
    }

    /// Makes a pending region exist.
    mutating func exists(_ slot: StoreRegionSlot) {
        table[slot].wait(for: nil)
        pending.removeAll { $0 == slot }
        instanceCount += 1
    }

    /// Counts an instance or a zone for which there was no room.
    mutating func countRefusedInstance() { refused.maxInstances &+= 1 }

    /// Starts the time after which an expanded region's instance is deleted, because it was left.
    mutating func left(_ slot: StoreRegionSlot) {
        guard table[slot].id.discriminator != .whole, table[slot].pending == nil,
            case .outside(let since) = table[slot].machine.occupancy
        else { return }
        outside.set(slot, at: since)
        outside.throwOutStale(of: table.slotCount) { table[$0.subject].isOutside(since: $0.due) }
    }

    /// Returns the instance that has been outside for longest; `nil` where there is none.
    mutating func takeLongestOutside() -> StoreRegionSlot? {
        while let timer = outside.removeFirst() {
            if table[timer.subject].isOutside(since: timer.due) { return timer.subject }
        }
        return nil
    }

    /// Returns the next instance that was outside for too long; `nil` where there is none.
    mutating func takeLeft(at now: Instant) -> StoreRegionSlot? {
        while let timer = outside.first, timer.due + limits.forgetAfter <= now {
            outside.removeFirst()
            if table[timer.subject].isOutside(since: timer.due) { return timer.subject }
        }
        return nil
    }

    /// Returns the pending regions, if they are tried again now.
    mutating func retries(at now: Instant) -> [StoreRegionSlot] {
        guard retryDue <= now else { return [] }
        retryDue = .distantFuture
        return pending
    }

    /// Returns whether a minute with surges has ended.
    func hasSurges(at now: Instant) -> Bool { budget.due <= now }

    mutating func takeSurges() -> [EntryBudget.Surge] { budget.takeSurges() }

    // MARK: - Deadlines

    /// The deadline of the first region, or earlier.
    var nextDue: Instant { timers.nextDue }

    /// Sets the timer of a region. The store calls it wherever a region's claims were evaluated.
    mutating func schedule(_ slot: StoreRegionSlot) {
        let due = table[slot].due
        if due < .distantFuture { timers.set(slot, at: due) }
        timers.throwOutStale(of: table.slotCount) { table[$0.subject].due == $0.due }
    }

    /// Returns the region with the first deadline; `nil` where that deadline has moved.
    mutating func takeFirstDue() -> StoreRegionSlot? {
        guard let timer = timers.removeFirst(), table[timer.subject].due == timer.due else { return nil }
        return timer.subject
    }

    /// Checks a waiting exit of a region again as soon as each gateway that lists beacons has reported what happened
    /// until then.
    mutating func awaitLists(_ slot: StoreRegionSlot) {
        guard let due = table[slot].awaitedUntil(spans) else { return }
        awaitingLists.set(slot, at: due)
        awaitingLists.throwOutStale(of: table.slotCount) { table[$0.subject].awaitedUntil(spans) == $0.due }
    }

    /// True if any exit waits for lists.
    var awaitsLists: Bool { awaitingLists.first != nil }

    /// Checks the exits again that waited for lists until then.
    mutating func listsArrived(until instant: Instant, at now: Instant) {
        while let next = awaitingLists.first, next.due <= instant {
            awaitingLists.removeFirst()
            table[next.subject].look(at: now)
            schedule(next.subject)
        }
    }

    /// Checks the exits again that wait for gateways beyond that time.
    mutating func recheck(at due: Instant) {
        for slot in table.slots where table[slot].awaits(after: due) {
            table[slot].look(at: due)
            schedule(slot)
        }
    }

    /// Adds an ended stay of a gateway.
    ///
    /// - Returns: false where it comes too late to be published as it was, or there are too many.
    mutating func add(_ stay: StayLog.Stay, to slot: StoreRegionSlot, at now: Instant) -> Bool {
        if table[slot].log.stays.count >= StayLog.few {
            // Thousands of instances are counted at most once a second.
            if now - staysCountedAt >= .seconds(1) {
                staysCountedAt = now
                hasManyStays = table.slots.reduce(0) { $0 + table[$1].log.stays.count } > limits.maxInstances
            }
            table[slot].limitLog(to: hasManyStays ? StayLog.few : StayLog.most)
        }
        return table[slot].add(stay, spans, at: now)
    }

    /// Returns what is wrong with the table, its counts and its deadlines; for tests.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ rule: @autoclosure () -> String) { if !holds { broken.append(rule()) } }
        let used = table.slots(where: { _ in true })
        let waiting = used.filter { table[$0].pending != nil }
        check(Set(waiting) == Set(pending) && pending.count == waiting.count, "pending regions are counted wrongly")
        let existing = used.filter { table[$0].pending == nil }
        let plain = existing.count { table[$0].id.discriminator == .whole }
        check(plain == plainCount, "\(plain) plain regions are counted as \(plainCount)")
        let expanded = existing.count - plain
        check(expanded == instanceCount, "\(expanded) instances are counted as \(instanceCount)")
        check(plainCount <= limits.maxRegions && instanceCount <= limits.maxInstances, "there are too many regions")
        check(pending.count <= limits.maxInstances, "\(pending.count) regions wait for their admission")
        check(pending.isEmpty || pending.allSatisfy { table[$0].id.discriminator != .whole }, "a plain region waits")
        let due = Set(timers.all.map { RegionTimer(slot: $0.subject, due: $0.due) })
        let left = Set(outside.all.map { RegionTimer(slot: $0.subject, due: $0.due) })
        for slot in existing {
            let region = table[slot]
            check(table.slot(of: region.id) == slot, "\(region.id) is in another slot than its id's")
            check(
                region.due == .distantFuture || due.contains(RegionTimer(slot: slot, due: region.due)),
                "\(region.id) waits for a timer that does not exist")
            guard region.id.discriminator != .whole, case .outside(let since) = region.machine.occupancy
            else { continue }
            check(left.contains(RegionTimer(slot: slot, due: since)), "\(region.id) is outside, and never deleted")
        }
        return broken
    }

    private struct RegionTimer: Hashable {
        var slot: StoreRegionSlot
        var due: Instant
    }
}

/// An entry that waits for its admission.
struct PendingEntry: Sendable {
    var evidence: ClaimEvidence
    /// The minute of `EntryBudget` in which it was refused; `nil` before its first try.
    var refusedInMinute: Int64?
}
