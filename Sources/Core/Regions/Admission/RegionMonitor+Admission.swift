/// The admission of instances: which may exist, and which make room for others.
///
/// The instances of an expanded region come from the air, where anyone can make identities up. So an instance exists only once a
/// beacon has satisfied the entry rule. Before that it is *pending*: it has a slot, in which the debounce runs, and neither a state
/// nor a record. Pending instances last no longer than the tracker remembers their beacons.
struct InstanceAdmission: Sendable {
    /// How long an instance may have been outside before it goes; `forever` for no limit.
    let forgetAfter: TimeSpan
    var budget: EntryBudget
    /// Instances that do not exist yet, by their names.
    var pending: [RegionInstanceID: InstanceSlot] = [:]
    /// Instances of expanded regions by when they were left, stale ones among them: those that were entered again.
    var outside = TimerQueue<InstanceSlot>()
    /// When there is something to do next. It is asked for with every report, so it is kept.
    private(set) var due = Instant.distantFuture
    package var news = AdmissionNews()
    var counts = RefusedEntries()

    init(_ limits: RegionLimits) {
        forgetAfter = limits.forgetAfter
        budget = EntryBudget(limit: limits.maxNewcomersPerMinute)
    }

    /// To be called wherever the budget or `outside` has changed.
    mutating func schedule() {
        due = min(budget.due, forgetAfter == .forever ? .distantFuture : outside.nextDue + forgetAfter)
    }
}

/// What admission has decided since it was asked last, for the owner of the monitor.
struct AdmissionNews: Sendable {
    /// Instances that exist from now on.
    var admitted: [InstanceSlot] = []
    /// Instances that made room, or were outside for too long. Each is pending again, in its slot.
    var forgotten: [(slot: InstanceSlot, id: RegionInstanceID)] = []
    /// Entries that were held back in a minute that is over.
    var surges: [EntryBudget.Surge] = []
    /// Limits that refused an entry, each region reported once.
    var failures: [RegionMonitoringFailure] = []

    var isEmpty: Bool { admitted.isEmpty && forgotten.isEmpty && surges.isEmpty && failures.isEmpty }
}

/// Entries that were refused since the start. An identity counts once in a minute.
package struct RefusedEntries: Hashable, Sendable {
    /// Because every instance that there may be had something inside.
    package var maxInstances: UInt64 = 0
    /// Because there were too many newcomers in a minute.
    package var maxNewcomersPerMinute: UInt64 = 0

    init() {}
}

extension RegionMonitor {
    /// How much regions want an identity. A beacon with an instance of its own is known.
    func interest(in identity: BeaconIdentity) -> RegionInterest {
        let found = kinds.beacons.registrations(of: identity)
        for registration in found {
            guard case .beacon(let region) = registrations[registration].region else { continue }
            let isOwn = region.expansion != .none || region.minor != nil
            if isOwn, slots[region.instance(of: identity)] != nil { return .known }
        }
        return found.isEmpty ? .none : .wanted
    }

    /// What admission has decided since this was asked last.
    mutating func takeAdmissionNews() -> AdmissionNews {
        defer { admission.news = AdmissionNews() }
        return admission.news
    }

    /// Whether there is any: asked with every report.
    var hasAdmissionNews: Bool { !admission.news.isEmpty }

    /// Entries that were refused since the start.
    var refusedEntries: RefusedEntries { admission.counts }

    /// The slot of an instance, pending ones among them.
    func slotOrPending(of id: RegionInstanceID) -> InstanceSlot? { slots[id] ?? admission.pending[id] }

    /// Ends the account of the minute under way, because the process ends.
    mutating func closeSurges() {
        admission.news.surges += admission.budget.takeSurges()
        admission.schedule()
    }

    /// No beacon of a pending instance is remembered any more: its slot is used again. Nothing where the instance exists.
    mutating func discard(_ slot: InstanceSlot) {
        let id = instances[slot].id
        guard admission.pending[id] == slot else { return }
        admission.pending[id] = nil
        instances[slot].end()
        instances.remove(slot)
    }

    /// The slot of an expanded region's instance, which is pending where it is new.
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

    /// A beacon has satisfied the entry rule of a pending instance: the instance exists from now on, unless a limit refuses it.
    /// An identity that is refused is asked for again in the next minute.
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
        // What has been heard without a pause since the region settled was there before.
        let wasThere = candidacy.firstSeen < registrations[registration].settlesAt
        _ = instances[slot].standing.begin(isSettling: wasThere, isBlind: false, at: now)
        admission.news.admitted.append(slot)
        return true
    }

    /// Why no further instance can exist now; `nil` where one can, for which another may have made room.
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

    // MARK: - Instances that go

    /// An instance was left: if it is one of an expanded region, it goes in time.
    mutating func noteOutside(_ slot: InstanceSlot) {
        guard instances[slot].id.discriminator != .whole,
            case .outside(let since) = instances[slot].standing.occupancy
        else { return }
        admission.outside.set(slot, at: since)
        admission.outside.throwOutStale(of: slots.count) { [instances] in instances[$0.subject].isOutside(since: $0.due)
        }
        admission.schedule()
    }

    /// The instance that has been outside for longest makes room, where there is one.
    private mutating func makeRoom() -> Bool {
        defer { admission.schedule() }
        while let timer = admission.outside.removeFirst() {
            guard instances[timer.subject].isOutside(since: timer.due) else { continue }
            forget(timer.subject)
            return true
        }
        return false
    }

    /// Does what is due: instances go that were outside for too long, and the account of a minute is told.
    mutating func advanceAdmission(to now: Instant) {
        if admission.budget.due <= now { admission.news.surges += admission.budget.takeSurges() }
        while let timer = admission.outside.first, timer.due + admission.forgetAfter <= now {
            admission.outside.removeFirst()
            if instances[timer.subject].isOutside(since: timer.due) { forget(timer.subject) }
        }
        admission.schedule()
    }

    /// The instance exists no more. A beacon of it may be remembered, so it is pending.
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
    /// Whether it exists and has been outside since that instant.
    fileprivate func isOutside(since instant: Instant) -> Bool {
        existence == .exists && standing.occupancy == .outside(since: instant)
    }
}
