/// The admission of instances: it decides which may exist, and which give way to others.
///
/// The instances of an expanded region come from the air, where anyone can make identities up. So an instance exists
/// only once a beacon has satisfied the entry rule. Before that it is *pending*: it has a slot, in which the debounce
/// runs, but no state and no record. A pending instance lasts only while the tracker remembers one of its beacons.
struct InstanceAdmission: Sendable {
    /// The time outside after which an instance is deleted; `forever` for no limit.
    let forgetAfter: TimeSpan
    var budget: EntryBudget
    /// Pending instances by id.
    var pending: [RegionInstanceID: InstanceSlot] = [:]
    /// Instances of expanded regions by the time of their exit. Those that were entered again are stale.
    var outside = TimerQueue<InstanceSlot>()
    /// The next deadline. It is stored, because every report asks for it.
    private(set) var due = Instant.distantFuture
    package var news = AdmissionNews()
    var counts = RefusedEntries()

    init(_ limits: RegionLimits) {
        forgetAfter = limits.forgetAfter
        budget = EntryBudget(limit: limits.maxNewcomersPerMinute)
    }

    /// Updates `due`. The monitor calls it wherever the budget or `outside` has changed.
    mutating func schedule() {
        due = min(budget.due, forgetAfter == .forever ? .distantFuture : outside.nextDue + forgetAfter)
    }
}

/// The decisions of admission since the last query, for the owner of the monitor.
struct AdmissionNews: Sendable {
    /// Instances that exist from now on.
    var admitted: [InstanceSlot] = []
    /// Instances that gave way, or were outside for too long. Each is pending again, in its slot.
    var forgotten: [(slot: InstanceSlot, id: RegionInstanceID)] = []
    /// Entries that were held back in a minute that has ended.
    var surges: [EntryBudget.Surge] = []
    /// Limits that refused an entry, each region reported once.
    var failures: [RegionMonitoringFailure] = []
    /// Expanded regions that have settled.
    var settled: [BeaconRegion] = []

    var isEmpty: Bool {
        admitted.isEmpty && forgotten.isEmpty && surges.isEmpty && failures.isEmpty && settled.isEmpty
    }
}

/// The number of entries refused since the start. An identity counts once in a minute.
package struct RefusedEntries: Hashable, Sendable {
    /// Refused because all instances allowed had a beacon inside.
    package var maxInstances: UInt64 = 0
    /// Refused because there were too many newcomers in a minute.
    package var maxNewcomersPerMinute: UInt64 = 0

    init() {}
}

extension RegionMonitor {
    /// Returns the interest of regions in an identity. A beacon with an instance of its own is known.
    func interest(in identity: BeaconIdentity) -> RegionInterest {
        let found = kinds.beacons.registrations(of: identity)
        for registration in found {
            guard case .beacon(let region) = registrations[registration].region else { continue }
            let isOwn = region.expansion != .none || region.minor != nil
            if isOwn, slots[region.instance(of: identity)] != nil { return .known }
        }
        return found.isEmpty ? .none : .wanted
    }

    /// Returns the decisions of admission since the last call.
    mutating func takeAdmissionNews() -> AdmissionNews {
        defer { admission.news = AdmissionNews() }
        return admission.news
    }

    /// Whether there are such decisions. Every report asks.
    var hasAdmissionNews: Bool { !admission.news.isEmpty }

    /// The entries refused since the start.
    var refusedEntries: RefusedEntries { admission.counts }

    /// Returns the slot of an instance, pending ones included.
    func slotOrPending(of id: RegionInstanceID) -> InstanceSlot? { slots[id] ?? admission.pending[id] }

    /// Ends the current minute's surges, because the process ends.
    mutating func closeSurges() {
        admission.news.surges += admission.budget.takeSurges()
        admission.schedule()
    }

    /// Frees the slot of a pending instance whose beacons are all forgotten. Does nothing where the instance exists.
    mutating func discard(_ slot: InstanceSlot) {
        let id = instances[slot].id
        guard admission.pending[id] == slot else { return }
        admission.pending[id] = nil
        instances[slot].end()
        instances.remove(slot)
    }

    /// Returns the slot of an expanded region's instance. A new instance is pending.
    mutating func pendingInstance(
        _ id: RegionInstanceID, of registration: RegistrationSlot, at now: Instant
    ) -> InstanceSlot {
        if let known = slotOrPending(of: id) { return known }
        let registered = registrations[registration]
        var instance = RegionInstance(
            id: id, registration: registration, source: registered.source, notices: registered.region.notices,
            at: now)
        instance.existence = .pending(refusedInMinute: nil)
        let slot = instances.insert(instance)
        admission.pending[id] = slot
        return slot
    }

    /// Makes a pending instance exist, because a beacon has satisfied its entry rule. A limit may refuse it; the
    /// identity is then tried again in the next minute.
    mutating func admit(
        _ slot: InstanceSlot, _ identity: BeaconIdentity, since candidacy: BeaconCandidacy, at now: Instant
    ) -> Bool {
        guard case .pending(let refusedInMinute) = instances[slot].existence else { return true }
        let minute = EntryBudget.minute(of: now)
        if refusedInMinute == minute { return false }
        let registration = instances[slot].registration
        if let cause = refusal(at: now) {
            instances[slot].existence = .pending(refusedInMinute: minute)
            let id = registrations[registration].region.id
            admission.budget.refuse(identity, of: id, at: now)
            admission.schedule()
            report(cause, of: registration)
            return false
        }
        admission.budget.admit()
        let id = instances[slot].id
        admission.pending[id] = nil
        slots[id] = slot
        instances[slot].existence = .exists
        // A beacon heard without a pause since before the region settled was there already.
        let wasThere = candidacy.firstSeen < registrations[registration].settlesAt
        _ = instances[slot].standing.begin(isSettling: wasThere, isBlind: false, at: now)
        admission.news.admitted.append(slot)
        return true
    }

    /// Returns why no further instance can exist now; `nil` where one can, for which another may have given way.
    private mutating func refusal(at now: Instant) -> RegionMonitoringFailure.Cause? {
        guard admission.budget.hasRoom(at: now) else {
            admission.counts.maxNewcomersPerMinute &+= 1
            return .tooManyNewcomers(limit: limits.maxNewcomersPerMinute)
        }
        guard hasRoomForInstance || makeRoom() else {
            admission.counts.maxInstances &+= 1
            return .tooManyInstances(limit: limits.maxInstances)
        }
        return nil
    }

    var hasRoomForInstance: Bool { slots.count - kinds.unlimitedCount < limits.maxInstances }

    /// Reports a refusal, once for each region and limit.
    private mutating func report(_ cause: RegionMonitoringFailure.Cause, of registration: RegistrationSlot) {
        let failure = RegionMonitoringFailure(region: registrations[registration].region.id, cause: cause)
        if case .tooManyNewcomers = cause {
            if !registrations[registration].hasRefusedNewcomer { admission.news.failures.append(failure) }
            registrations[registration].hasRefusedNewcomer = true
        } else {
            var failures: [RegionMonitoringFailure] = []
            note(failure, of: registration, &failures)
            admission.news.failures += failures
        }
    }

    // MARK: - Settling of expanded regions

    /// Begins the settling of an expanded region. A pending instance, which no beacon belongs to, holds its timer.
    mutating func settle(_ registration: RegistrationSlot, hasSettled: Bool, at now: Instant) {
        let registered = registrations[registration]
        let seen = sources[registered.source.index].sight.seenTime(at: now)
        if hasSettled { registrations[registration].settlesAt = seen }
        guard !hasSettled, registered.settlesAt > seen else { return }
        let slot = pendingInstance(RegionInstanceID(region: registered.region.id), of: registration, at: now)
        setTimer(slot, dueAtSeenTime: registered.settlesAt)
    }

    /// Ends the settling of an expanded region, whose timer that pending instance held.
    mutating func settled(_ slot: InstanceSlot) {
        if case .beacon(let region) = region(of: slot) { admission.news.settled.append(region) }
        discard(slot)
    }

    // MARK: - Deletion of instances

    /// Starts the time after which an expanded region's instance is deleted, because it was left.
    mutating func noteOutside(_ slot: InstanceSlot) {
        guard instances[slot].id.discriminator != .whole,
            case .outside(let since) = instances[slot].standing.occupancy
        else { return }
        admission.outside.set(slot, at: since)
        admission.outside.throwOutStale(of: slots.count) { [instances] in instances[$0.subject].isOutside(since: $0.due)
        }
        admission.schedule()
    }

    /// Deletes the instance that has been outside for longest, if there is one.
    private mutating func makeRoom() -> Bool {
        defer { admission.schedule() }
        while let timer = admission.outside.removeFirst() {
            guard instances[timer.subject].isOutside(since: timer.due) else { continue }
            forget(timer.subject)
            return true
        }
        return false
    }

    /// Does the work that is due: deletes instances that were outside for too long, and reports the surges of a minute.
    mutating func advanceAdmission(to now: Instant) {
        if admission.budget.due <= now { admission.news.surges += admission.budget.takeSurges() }
        while let timer = admission.outside.first, timer.due + admission.forgetAfter <= now {
            admission.outside.removeFirst()
            if instances[timer.subject].isOutside(since: timer.due) { forget(timer.subject) }
        }
        admission.schedule()
    }

    /// Deletes an instance. The tracker may remember a beacon of it, so it is pending.
    private mutating func forget(_ slot: InstanceSlot) {
        let id = instances[slot].id
        slots[id] = nil
        admission.pending[id] = slot
        instances[slot].existence = .pending(refusedInMinute: nil)
        instances[slot].standing.end()
        instances[slot].timerDue = .distantFuture
        admission.news.forgotten.append((slot, id))
    }
}

extension RegionInstance {
    /// Returns whether it exists and has been outside since that instant.
    fileprivate func isOutside(since instant: Instant) -> Bool {
        existence == .exists && standing.occupancy == .outside(since: instant)
    }
}
