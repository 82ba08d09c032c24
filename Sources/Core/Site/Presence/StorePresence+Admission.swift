/// The admission of the store's region instances, by the rules of a gateway: see `RegionMonitor`.
///
/// A gateway's messages may be forged, by a person with a radio or by the gateway itself. So an instance of an expanded
/// region exists only once a gateway has it inside. Newcomers per minute are limited, and the instance outside for
/// longest gives way. A gateway tells an entry once. So the store keeps refused entries *pending*, and tries again in
/// the next minute while a gateway has them inside.
struct StoreAdmission: Sendable {
    let maxRegions: Int
    let maxInstances: Int
    /// The time outside after which an instance is deleted; `forever` for no limit.
    let forgetAfter: TimeSpan
    var budget: EntryBudget
    /// The existing plain regions, and instances of expanded ones.
    var plainCount = 0
    var instanceCount = 0
    /// Regions that wait for their admission, in the order of their entries.
    var pending: [StoreRegionSlot] = []
    /// The next time at which pending regions are tried again.
    var retryDue = Instant.distantFuture
    /// Instances by the time of their exit, stale ones included.
    var outside = TimerQueue<StoreRegionSlot>()
    var refused = RefusedEntries()

    init(_ limits: RegionLimits) {
        maxRegions = limits.maxRegions
        maxInstances = limits.maxInstances
        forgetAfter = limits.forgetAfter
        budget = EntryBudget(limit: limits.maxNewcomersPerMinute)
    }

    /// The time of the next deadline.
    var due: Instant {
        min(budget.due, retryDue, forgetAfter == .forever ? .distantFuture : outside.nextDue + forgetAfter)
    }
}

/// An entry that waits for its admission.
struct PendingEntry: Sendable {
    var evidence: StorePresence.Evidence
    /// The minute of `EntryBudget` in which it was refused; `nil` before its first try.
    var refusedInMinute: Int64?
}

extension StorePresence {
    /// Returns a region instance of a gateway's message.
    ///
    /// - Parameter isPresent: whether it is or was inside. Otherwise no instance of an expanded region is made.
    /// - Returns: `nil` where there is no such region, or no room for one.
    mutating func region(_ id: RegionInstanceID, isPresent: Bool, at now: Instant) -> StoreRegionSlot? {
        if let known = regions.slot(of: id) { return known }
        guard id.discriminator != .whole else {
            guard admission.plainCount < admission.maxRegions else {
                admission.refused.maxInstances &+= 1
                return nil
            }
            admission.plainCount += 1
            return insert(id, at: now)
        }
        guard isPresent else { return nil }
        if admission.pending.count >= admission.maxInstances, let oldest = admission.pending.first {
            // A newcomer may be real, even after a flood of others.
            admission.refused.maxInstances &+= 1
            discard(oldest)
        }
        let slot = insert(id, at: now)
        regions[slot].pending = PendingEntry(evidence: Evidence(at: now))
        admission.pending.append(slot)
        return slot
    }

    private mutating func insert(_ id: RegionInstanceID, at now: Instant) -> StoreRegionSlot {
        regions.insert(StoreRegion(id, after: endings.end(of: id) ?? .origin, at: now), for: id)
    }

    /// Returns whether a region exists, or exists from now on.
    ///
    /// - Returns: the evidence to weigh; for a region that was pending, that of its first entry. `nil` where it does
    ///   not exist.
    mutating func admit(_ slot: StoreRegionSlot, _ evidence: Evidence) -> Evidence? {
        guard var pending = regions[slot].pending else { return evidence }
        guard regions[slot].claims.contains(where: \.isThere) else {
            // It was left before it was admitted, or its state still waits for its event.
            let isAwaited = gateways.indices.contains { early.waits(slot, $0) }
            if regions[slot].isMonitored, !isAwaited { discard(slot) }
            return nil
        }
        if pending.refusedInMinute == nil { pending.evidence = evidence }
        let minute = EntryBudget.minute(of: now)
        if pending.refusedInMinute == minute { return nil }
        if let count = refusal() {
            admission.refused[keyPath: count] &+= 1
            pending.refusedInMinute = minute
            regions[slot].pending = pending
            if let identity = regions[slot].cause?.identity {
                admission.budget.refuse(identity, of: regions[slot].id.region, at: now)
            }
            admission.retryDue = EntryBudget.end(of: minute)
            return nil
        }
        admission.budget.admit()
        exists(slot)
        return pending.evidence
    }

    /// Makes a pending region exist.
    mutating func exists(_ slot: StoreRegionSlot) {
        regions[slot].pending = nil
        admission.pending.removeAll { $0 == slot }
        admission.instanceCount += 1
    }

    /// Returns the counter of the limit that refuses another instance; `nil` where there is room, perhaps because
    /// another gave way.
    private mutating func refusal() -> WritableKeyPath<RefusedEntries, UInt64>? {
        guard admission.budget.hasRoom(at: now) else { return \.maxNewcomersPerMinute }
        if admission.instanceCount < admission.maxInstances { return nil }
        guard let released = makeRoom() else { return \.maxInstances }
        note(.released(released))
        return nil
    }

    /// Deletes the instance that has been outside for longest; `nil` where there is none.
    mutating func makeRoom() -> Released? {
        while let timer = admission.outside.removeFirst() {
            if regions[timer.subject].isOutside(since: timer.due) { return release(timer.subject) }
        }
        return nil
    }

    /// Starts the time after which an expanded region's instance is deleted, because it was left.
    mutating func noteOutside(_ slot: StoreRegionSlot) {
        guard regions[slot].id.discriminator != .whole, regions[slot].pending == nil,
            case .outside(let since) = regions[slot].standing.occupancy
        else { return }
        admission.outside.set(slot, at: since)
        admission.outside.throwOutStale(of: regions.slotCount) { [regions] in
            regions[$0.subject].isOutside(since: $0.due)
        }
    }

    /// Does due work: tries pending entries again, and deletes instances.
    mutating func advanceAdmission(to now: Instant) {
        if admission.retryDue <= now {
            admission.retryDue = .distantFuture
            for slot in admission.pending { weigh(slot, Evidence(at: now)) }
        }
        while let timer = admission.outside.first, timer.due + admission.forgetAfter <= now {
            admission.outside.removeFirst()
            if regions[timer.subject].isOutside(since: timer.due) { note(.released(release(timer.subject))) }
        }
    }

    /// Deletes a region that is outside. Its late visits are told before.
    mutating func release(_ slot: StoreRegionSlot) -> Released {
        tellLate(slot, StoreGateways.Told(everythingUntil: now), at: now)
        let (id, ended) = (regions[slot].id, regions[slot].notBefore)
        if ended > endings.end(of: id) ?? .origin { endings.note(id, at: ended, lateAfter: spans.lateAfter) }
        let released = Released(slot: slot, id: regions[slot].id)
        if released.id.discriminator == .whole {
            admission.plainCount -= 1
        } else {
            admission.instanceCount -= 1
        }
        free(slot)
        return released
    }

    /// Discards a pending instance.
    mutating func discard(_ slot: StoreRegionSlot) {
        admission.pending.removeAll { $0 == slot }
        free(slot)
        note(.discarded(slot))
    }

    private mutating func free(_ slot: StoreRegionSlot) {
        for gateway in gateways.indices {
            early.forget(slot, gateway)
            gateways[gateway].progress.forget(slot)
        }
        let id = regions[slot].id
        regions.remove(id, leaving: StoreRegion(id, at: now))
    }
}

extension StoreRegion {
    /// Returns whether it exists and has been outside since that instant.
    func isOutside(since instant: Instant) -> Bool {
        pending == nil && standing.occupancy == .outside(since: instant)
    }
}
