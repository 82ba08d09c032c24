/// The admission of instances: it decides which may exist, and which give way to others.
///
/// The instances of an expanded region come from the air, where anyone can make identities up. So an instance exists
/// only once a beacon has satisfied the entry rule. Before that it is *pending*: it has a slot, in which the debounce
/// runs, but no state and no record. A pending instance lasts only while the tracker remembers one of its beacons.
struct InstanceAdmission: Sendable {
    /// The time outside after which an instance is deleted; `forever` for no limit.
    private let forgetAfter: TimeSpan
    private var budget: EntryBudget
    /// Instances of expanded regions by the time of their exit. Those that were entered again are stale.
    private var outside = TimerQueue<InstanceSlot>()
    /// The next deadline. It is stored, because every report asks for it.
    private(set) var due = Instant.distantFuture
    private var decisions = AdmissionDecisions()
    /// The entries refused since the start.
    private(set) var refused = RefusedEntries()

    init(_ limits: RegionLimits) {
        forgetAfter = limits.forgetAfter
        budget = EntryBudget(limit: limits.maxNewcomersPerMinute)
    }

    /// Updates `due`, where the budget or `outside` has changed.
    private mutating func schedule() {
        due = min(budget.due, forgetAfter == .forever ? .distantFuture : outside.nextDue + forgetAfter)
    }

    /// True if there are decisions to take. Every report asks.
    var hasDecisions: Bool { !decisions.isEmpty }

    /// Returns the decisions since the last call.
    mutating func takeDecisions() -> AdmissionDecisions {
        defer { decisions = AdmissionDecisions() }
        return decisions
    }

    /// Makes a pending instance exist, because a beacon has satisfied its entry rule. A limit may refuse it; the
    /// identity is then tried again in the next minute.
    mutating func admit(
        _ slot: InstanceSlot, _ identity: BeaconIdentity, since candidacy: BeaconCandidacy,
        in instances: inout RegionInstances, at now: Instant
    ) -> Bool {
        guard case .pending(let refusedInMinute) = instances[slot].existence else { return true }
        let minute = EntryBudget.minute(of: now)
        if refusedInMinute == minute { return false }
        let registration = instances[slot].registration
        if let cause = refusal(in: &instances, at: now) {
            instances[slot].becomePending(refusedInMinute: minute)
            let region = instances[slot].id.region
            budget.refuse(identity, of: region, at: now)
            schedule()
            let failure = RegionMonitoringFailure(region: region, cause: cause)
            instances.report(failure, of: registration, &decisions.failures)
            return false
        }
        budget.admit()
        instances.admit(slot)
        // A beacon heard without a pause since before the region settled was there already.
        let wasThere = candidacy.firstSeen < instances.settling(of: registration, at: now).settlesAt
        _ = instances[slot].machine.begin(isSettling: wasThere, isBlind: false, at: now)
        decisions.admitted.append(slot)
        return true
    }

    /// Counts an instance of a region that is not expanded, for which there was no room.
    mutating func countRefusedInstance() { refused.maxInstances &+= 1 }

    /// Returns why no further instance can exist now; `nil` where one can, for which another may have given way.
    private mutating func refusal(
        in instances: inout RegionInstances, at now: Instant
    ) -> RegionMonitoringFailure.Cause? {
        guard budget.hasRoom(at: now) else {
            refused.maxNewcomersPerMinute &+= 1
            return .tooManyNewcomers(limit: instances.limits.maxNewcomersPerMinute)
        }
        guard instances.hasRoom || makeRoom(in: &instances) else {
            refused.maxInstances &+= 1
            return .tooManyInstances(limit: instances.limits.maxInstances)
        }
        return nil
    }

    // MARK: - Settling of expanded regions

    /// Begins the settling of an expanded region. A pending instance, which no beacon belongs to, holds its timer.
    func settle(
        _ registration: RegistrationSlot, hasSettled: Bool, in instances: inout RegionInstances, at now: Instant
    ) {
        let (settlesAt, seen) = instances.settling(of: registration, at: now)
        if hasSettled { return instances.settle(registration, bySeenTime: seen) }
        guard settlesAt > seen else { return }
        let id = RegionInstanceID(region: instances.region(in: registration).id)
        let slot = instances.pendingInstance(id, of: registration, at: now)
        instances.setTimer(slot, dueAtSeenTime: settlesAt)
    }

    /// Ends the settling of an expanded region, whose timer that pending instance held.
    mutating func settled(_ slot: InstanceSlot, in instances: inout RegionInstances) {
        if case .beacon(let region) = instances.region(of: slot) { decisions.settled.append(region) }
        instances.discard(slot)
    }

    // MARK: - Deletion of instances

    /// Starts the time after which an expanded region's instance is deleted, because it was left.
    mutating func left(_ slot: InstanceSlot, in instances: RegionInstances) {
        guard instances[slot].id.discriminator != .whole,
            case .outside(let since) = instances[slot].machine.occupancy
        else { return }
        outside.set(slot, at: since)
        outside.throwOutStale(of: instances.count) { instances[$0.subject].isOutside(since: $0.due) }
        schedule()
    }

    /// Deletes the instance that has been outside for longest, if there is one.
    private mutating func makeRoom(in instances: inout RegionInstances) -> Bool {
        defer { schedule() }
        while let timer = outside.removeFirst() {
            guard instances[timer.subject].isOutside(since: timer.due) else { continue }
            delete(timer.subject, in: &instances)
            return true
        }
        return false
    }

    /// Does the work that is due: deletes instances that were outside for too long, and reports the surges of a minute.
    mutating func advance(to now: Instant, _ instances: inout RegionInstances) {
        if budget.due <= now { decisions.surges += budget.takeSurges() }
        while let timer = outside.first, timer.due + forgetAfter <= now {
            outside.removeFirst()
            if instances[timer.subject].isOutside(since: timer.due) { delete(timer.subject, in: &instances) }
        }
        schedule()
    }

    /// Deletes an instance. The tracker may remember a beacon of it, so it is pending.
    mutating func delete(_ slot: InstanceSlot, in instances: inout RegionInstances) {
        instances.suspend(slot)
        decisions.deleted.append((slot, instances[slot].id))
    }

    /// Ends the current minute's surges, because the process ends.
    mutating func closeSurges() {
        decisions.surges += budget.takeSurges()
        schedule()
    }

    /// Returns what is wrong with the deletion of instances; for tests.
    func checkInvariants(_ instances: RegionInstances) -> [String] {
        let timers = Set(outside.all.map(\.subject))
        var broken: [String] = []
        for slot in instances.slots where instances.slot(of: instances[slot].id) == slot {
            let instance = instances[slot]
            guard case .outside = instance.machine.occupancy, instance.id.discriminator != .whole else { continue }
            if !timers.contains(slot) { broken.append("\(instance.id) is outside, and never deleted") }
        }
        if let first = outside.first, forgetAfter < .forever, due > first.due + forgetAfter {
            broken.append("the deletion of an instance is due before the admission's deadline")
        }
        return broken
    }
}

/// The decisions of admission since the last query, for the owner of the monitor.
struct AdmissionDecisions: Sendable {
    /// Instances that exist from now on.
    var admitted: [InstanceSlot] = []
    /// Instances that gave way, or were outside for too long. Each is pending again, in its slot.
    var deleted: [(slot: InstanceSlot, id: RegionInstanceID)] = []
    /// Entries that were held back in a minute that has ended.
    var surges: [EntryBudget.Surge] = []
    /// Limits that refused an entry, each region reported once.
    var failures: [RegionMonitoringFailure] = []
    /// Expanded regions that have settled.
    var settled: [BeaconRegion] = []

    var isEmpty: Bool { admitted.isEmpty && deleted.isEmpty && surges.isEmpty && failures.isEmpty && settled.isEmpty }
}

/// The number of entries refused since the start. An identity counts once in a minute.
package struct RefusedEntries: Hashable, Sendable {
    /// Refused because all instances allowed had a beacon inside.
    package var maxInstances: UInt64 = 0
    /// Refused because there were too many newcomers in a minute.
    package var maxNewcomersPerMinute: UInt64 = 0

    init() {}
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
