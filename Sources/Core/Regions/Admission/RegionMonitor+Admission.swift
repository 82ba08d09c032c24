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
    var news = AdmissionNews()
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

/// The limit on new instances in a minute, and the count of the entries that it held back.
///
/// Anyone with a radio can make identities up. Each one that enters costs an event on the disk, a retained topic and a
/// slot, so the newcomers of a minute are limited. Minutes begin at multiples of 60 s of the clock of instants. A
/// refused identity may try again in the next minute, so a real beacon waits for its turn.
struct EntryBudget: Sendable {
    static let window = TimeSpan.seconds(60)

    /// The entries held back in one region during one minute.
    struct Surge: Hashable, Sendable {
        var region: String
        /// The first entry that was held back.
        var from: Instant
        /// The last one; never before `from`.
        var to: Instant
        /// The number of entries held back, at least 1. An identity counts once in a minute.
        var refused: Int64
        /// An estimate of the number of distinct identities. It may be too small, never too large. From 1 to `refused`.
        var identities: Int64
    }

    /// The most newcomers in a minute; 0 for no limit.
    private let limit: Int
    /// The number of the minute that `admitted` counts.
    private var minute = Int64.min
    private var admitted = 0
    private var surges: [String: Surge] = [:]
    /// The time to report `surges`; `distantFuture` where no entry was held back.
    private(set) var due = Instant.distantFuture
    /// The identities in `surges`, of all regions.
    private var identities = DistinctNumbers()

    /// - Parameter limit: the most newcomers in a minute; 0 for no limit.
    init(limit: Int) { self.limit = limit }

    /// Returns the number of the minute that an instant belongs to.
    static func minute(of instant: Instant) -> Int64 {
        let (number, rest) = instant.microseconds.quotientAndRemainder(dividingBy: window.microseconds)
        return rest < 0 ? number - 1 : number
    }

    /// Returns whether a newcomer may get an instance now. It counts only once `admit` is called.
    mutating func hasRoom(at now: Instant) -> Bool {
        begin(Self.minute(of: now))
        return limit == 0 || admitted < limit
    }

    /// Counts a newcomer that gets its instance.
    mutating func admit() { admitted += 1 }

    /// Counts an entry that is held back.
    mutating func refuse(_ identity: BeaconIdentity, of region: String, at now: Instant) {
        if surges.isEmpty { due = Self.end(of: Self.minute(of: now)) }
        var surge = surges[region] ?? Surge(region: region, from: now, to: now, refused: 0, identities: 0)
        surge.to = max(surge.to, now)
        surge.refused += 1
        if identities.insert(identity.mixed(with: region)) { surge.identities += 1 }
        // Two identities may share a bit.
        surge.identities = max(1, surge.identities)
        surges[region] = surge
    }

    /// Returns the surges of the minute, by region, and clears them.
    mutating func takeSurges() -> [Surge] {
        guard !surges.isEmpty else { return [] }
        defer {
            surges = [:]
            due = .distantFuture
            identities.removeAll()
        }
        return surges.values.sorted { $0.region < $1.region }
    }

    private mutating func begin(_ minute: Int64) {
        guard minute != self.minute else { return }
        self.minute = minute
        admitted = 0
    }

    /// Returns the end of a minute.
    static func end(of minute: Int64) -> Instant {
        let (end, isOver) = (minute + 1).multipliedReportingOverflow(by: window.microseconds)
        return isOver ? .distantFuture : Instant(microseconds: end)
    }
}

extension BeaconIdentity {
    /// A number for `DistinctNumbers`, which differs where the identity or the region differs.
    fileprivate func mixed(with region: String) -> UInt64 {
        // FNV-1a is the same in every process, so a replay is repeatable.
        let hash = region.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return distinctNumber ^ hash
    }
}
