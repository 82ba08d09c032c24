struct InstanceSlot: SlotNumber {
    let number: UInt32
}

/// The slot of a registration in the monitor. Slots are in the order of registration, as long as none has ended.
package struct RegistrationSlot: SlotNumber, Comparable {
    let number: UInt32

    package static func < (left: RegistrationSlot, right: RegistrationSlot) -> Bool { left.number < right.number }
}

/// The registered regions of a monitor, their instances, and the sources of their evidence.
///
/// `RegionInstances` keeps ids, slots and timers in step, and decides nothing. `RegionMonitor`, `CircleMonitor` and
/// `InstanceAdmission` decide.
struct RegionInstances: Sendable {
    private struct Registration: Sendable {
        let region: MonitoredRegion
        /// A copy of the region's rules. Every report asks for them, and reading them from the region would count
        /// references to its id.
        let rules: BeaconRules
        let source: EvidenceSourceID
        /// The seen time at which settling ends.
        var settlesAt: Instant
        /// The limits that refused an instance, a newcomer or a transmitter: each is reported once.
        var reported: Set<RegionMonitoringFailure.Cause> = []
        /// True once the region was unregistered, so that its slot may be reused.
        var isFree = false
    }

    let limits: RegionLimits
    private var registrations = SlotTable<RegistrationSlot, Registration>()
    private var instances = SlotTable<InstanceSlot, RegionInstance>()
    /// The instances that exist.
    private var slotOfID: [RegionInstanceID: InstanceSlot] = [:]
    /// The instances that wait for their admission; see `InstanceAdmission`.
    private var pending: [RegionInstanceID: InstanceSlot] = [:]
    /// The number of existing instances that `max_instances` limits.
    private var limitedCount = 0
    /// The sources, indexed by `EvidenceSourceID`.
    private(set) var sources: [EvidenceSource] = []

    init(limits: RegionLimits) { self.limits = limits }

    /// An instance. Changes happen in place.
    subscript(slot: InstanceSlot) -> RegionInstance {
        get { instances[slot] }
        _modify { yield &instances[slot] }
    }

    /// Changes an instance in place with a report: see `SlotTable.change`.
    mutating func change<Result>(_ slot: InstanceSlot, _ change: (inout RegionInstance) -> Result) -> Result {
        instances.change(slot, change)
    }

    /// A source of evidence. Changes happen in place.
    subscript(source: EvidenceSourceID) -> EvidenceSource {
        get { sources[source.index] }
        _modify { yield &sources[source.index] }
    }

    /// Makes a source of evidence, which sees until `blinded` is called.
    mutating func addSource(canProbe: Bool) -> EvidenceSourceID {
        sources.append(EvidenceSource(canProbe: canProbe))
        return EvidenceSourceID(index: sources.count - 1)
    }

    // MARK: - Registrations

    mutating func register(
        _ region: MonitoredRegion, _ source: EvidenceSourceID, at now: Instant
    ) throws(RegionMonitoringFailure) -> RegistrationSlot {
        guard registrations.count < limits.maxRegions else {
            throw RegionMonitoringFailure(region: region.id, cause: .tooManyRegions(limit: limits.maxRegions))
        }
        let settlesAt = region.settle.map { self[source].sight.seenTime(at: now) + $0 } ?? .distantFuture
        return registrations.insert(
            Registration(region: region, rules: region.rules, source: source, settlesAt: settlesAt))
    }

    func region(in registration: RegistrationSlot) -> MonitoredRegion { registrations[registration].region }

    func region(_ id: String) -> MonitoredRegion? { registration { $0.id == id }.map { registrations[$0].region } }

    /// Returns the first active registration whose region is wanted.
    func registration(where isWanted: (MonitoredRegion) -> Bool) -> RegistrationSlot? {
        registrations.slots.first { !registrations[$0].isFree && isWanted(registrations[$0].region) }
    }

    /// Returns the seen time at which the settling of a region ends, and the present one.
    func settling(of registration: RegistrationSlot, at now: Instant) -> (settlesAt: Instant, seen: Instant) {
        let registered = registrations[registration]
        return (registered.settlesAt, self[registered.source].sight.seenTime(at: now))
    }

    /// Moves the end of a region's settling forward to a seen time, because an earlier process has monitored it.
    mutating func settle(_ registration: RegistrationSlot, bySeenTime seen: Instant) {
        registrations[registration].settlesAt = min(registrations[registration].settlesAt, seen)
    }

    /// Reports a refusal, once for each region and limit.
    mutating func report(
        _ failure: RegionMonitoringFailure, of registration: RegistrationSlot,
        _ failures: inout [RegionMonitoringFailure]
    ) {
        if registrations[registration].reported.insert(failure.cause).inserted { failures.append(failure) }
    }

    /// Ends a registration. Its slot and those of its instances are reused.
    ///
    /// - Returns: the slots that are free now, and the instances that existed.
    mutating func unregister(_ registration: RegistrationSlot) -> (freed: [InstanceSlot], ended: [RegionInstanceID]) {
        registrations[registration].isFree = true
        registrations.remove(registration)
        let ending = usedSlots.filter { instances[$0].registration == registration }
        let waiting = pending.values.filter { instances[$0].registration == registration }
            .sorted { $0.number < $1.number }
        let ended = ending.map { instances[$0].id }
        for slot in ending {
            remove(slot)
            instances[slot].end()
            instances.remove(slot)
        }
        for slot in waiting { discard(slot) }
        // A region whose instance was refused may have one now. If it is refused again, that is reported again.
        if !ending.isEmpty {
            for other in registrations.slots {
                registrations[other].reported.remove(.tooManyInstances(limit: limits.maxInstances))
            }
            for other in pending.values { instances[other].becomePending() }
        }
        return (ending + waiting, ended)
    }

    // MARK: - Instances

    /// The number of existing instances.
    var count: Int { slotOfID.count }

    var hasRoom: Bool { limitedCount < limits.maxInstances }

    /// All slots, free ones and those of pending instances included.
    var slots: some RandomAccessCollection<InstanceSlot> { instances.slots }

    /// Returns whether a slot holds an instance, existing or pending.
    func isInUse(_ slot: InstanceSlot) -> Bool {
        let id = instances[slot].id
        return slotOfID[id] == slot || pending[id] == slot
    }

    /// The slots that hold an existing instance.
    private var usedSlots: [InstanceSlot] { instances.slots.filter { slotOfID[instances[$0].id] == $0 } }

    /// Returns the slot of an instance; `nil` for one that was never heard or is not registered.
    func slot(of id: RegionInstanceID) -> InstanceSlot? { slotOfID[id] }

    /// Returns the slot of an instance, pending ones included.
    func slotOrPending(of id: RegionInstanceID) -> InstanceSlot? { slotOfID[id] ?? pending[id] }

    func region(of slot: InstanceSlot) -> MonitoredRegion { registrations[instances[slot].registration].region }

    func rules(of slot: InstanceSlot) -> BeaconRules { registrations[instances[slot].registration].rules }

    func seenTime(of slot: InstanceSlot, at now: Instant) -> Instant {
        self[instances[slot].source].sight.seenTime(at: now)
    }

    /// Returns the instance of that id, a new one where there is none yet.
    mutating func instance(
        _ id: RegionInstanceID, of registration: RegistrationSlot, at now: Instant,
        transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) -> InstanceSlot {
        if let known = slotOfID[id] { return known }
        let registered = registrations[registration]
        guard !registered.region.kind.isLimitedByInstances || hasRoom else {
            throw RegionMonitoringFailure(region: id.region, cause: .tooManyInstances(limit: limits.maxInstances))
        }
        let slot = instances.insert(
            RegionInstance(
                id: id, registration: registration, source: registered.source, notices: registered.region.notices,
                at: now))
        add(slot)
        let sight = self[registered.source].sight
        let isSettling = sight.seenTime(at: now) < registered.settlesAt
        let change = instances[slot].machine.begin(isSettling: isSettling, isBlind: sight.isBlind, at: now)
        announce(slot, change, at: now, transitions: &transitions)
        // An instance that settles by its evidence alone needs no timer.
        if isSettling { setTimer(slot, dueAtSeenTime: registered.settlesAt) }
        return slot
    }

    /// Returns the slot of an expanded region's instance. A new instance is pending.
    mutating func pendingInstance(
        _ id: RegionInstanceID, of registration: RegistrationSlot, at now: Instant
    ) -> InstanceSlot {
        if let known = slotOrPending(of: id) { return known }
        let registered = registrations[registration]
        let slot = instances.insert(
            RegionInstance(
                id: id, registration: registration, source: registered.source, notices: registered.region.notices,
                .pending(refusedInMinute: nil), at: now))
        pending[id] = slot
        return slot
    }

    /// Makes a pending instance exist.
    mutating func admit(_ slot: InstanceSlot) {
        pending[instances[slot].id] = nil
        add(slot)
        instances[slot].becomeExisting()
    }

    /// Makes an instance pending that existed. The tracker may remember a beacon of it.
    mutating func suspend(_ slot: InstanceSlot) {
        remove(slot)
        pending[instances[slot].id] = slot
        instances[slot].becomePending()
        instances[slot].endState()
    }

    /// Frees the slot of a pending instance whose beacons are all forgotten. Does nothing where the instance exists.
    mutating func discard(_ slot: InstanceSlot) {
        let id = instances[slot].id
        guard pending[id] == slot else { return }
        pending[id] = nil
        instances[slot].end()
        instances.remove(slot)
    }

    private mutating func add(_ slot: InstanceSlot) {
        slotOfID[instances[slot].id] = slot
        if region(of: slot).kind.isLimitedByInstances { limitedCount += 1 }
    }

    private mutating func remove(_ slot: InstanceSlot) {
        slotOfID[instances[slot].id] = nil
        if region(of: slot).kind.isLimitedByInstances { limitedCount -= 1 }
    }

    /// Announces a state. The next state replaces one that lasted no time and had no event.
    mutating func announce(
        _ slot: InstanceSlot, _ change: RegionStateMachine.Change, event: RegionEvent? = nil,
        detail: RegionDetail? = nil, at now: Instant, transitions: inout [RegionTransition]
    ) {
        let id = instances[slot].id
        let transition = RegionTransition(
            instance: id, state: change.state, since: change.since, at: now, event: event,
            detail: detail ?? region(of: slot).detail)
        // Only the place of its last announcement is checked. Otherwise a start with many regions would search the
        // whole list for each.
        let latest = instances[slot].announcement
        if transitions.indices.contains(latest), transitions[latest].instance == id, transitions[latest].at == now,
            transitions[latest].event == nil
        {
            transitions[latest] = transition
        } else {
            instances[slot].announced(as: transitions.count)
            transitions.append(transition)
        }
    }

    // MARK: - Timers

    /// The source with the first deadline; of several the one made first.
    var earliest: (source: EvidenceSourceID, due: Instant) {
        var earliest = (source: 0, due: Instant.distantFuture)
        for source in sources.indices {
            let due = sources[source].nextDeadline
            if due < earliest.due { earliest = (source, due) }
        }
        return (EvidenceSourceID(index: earliest.source), earliest.due)
    }

    mutating func setTimer(_ slot: InstanceSlot, dueAtSeenTime due: Instant) {
        guard instances[slot].timerDue != due else { return }
        instances[slot].setTimer(dueAtSeenTime: due)
        let source = instances[slot].source.index
        sources[source].setTimer(slot, dueAtSeenTime: due)
        // Regions that come and go leave stale timers behind.
        sources[source].throwOutStaleTimers(of: slotOfID.count) { instances[$0.subject].timerDue == $0.due }
    }

    /// Takes the first timer of a source, which is due. Without a proof that the source perceived until then, the
    /// timer waits for one.
    ///
    /// - Returns: `nil` where the timer waits, or was set again.
    mutating func takeTimer(of source: EvidenceSourceID) -> EvidenceSource.Timer? {
        guard let timer = self[source].popTimer(), instances[timer.subject].timerDue == timer.due else { return nil }
        guard self[source].isProved(until: timer) || isOvertaken(timer) else {
            self[source].awaitProof(of: timer)
            return nil
        }
        instances[timer.subject].setTimer(dueAtSeenTime: .distantFuture)
        return timer
    }

    /// Returns whether evidence of the inside came since the timer was set, so that the timer decides nothing.
    private func isOvertaken(_ timer: EvidenceSource.Timer) -> Bool {
        instances[timer.subject].machine.presence.map { $0.leavesAt > timer.due } ?? false
    }

    // MARK: - Sight

    /// Marks a source as blind, or as possibly blind.
    ///
    /// - Parameters:
    /// - since: its last report. Exits that were due after it and have not been made wait.
    /// - now: the time of detection. States become unknown no earlier.
    mutating func blinded(_ source: EvidenceSourceID, since: Instant, at now: Instant) {
        guard !self[source].sight.isBlind else { return }
        self[source].blinded(since: since, at: now)
        var earliest = Instant.distantFuture
        for slot in registrations.slots where registrations[slot].source == source && !registrations[slot].isFree {
            earliest = min(earliest, since + registrations[slot].region.unknownStateAfter)
        }
        self[source].statesBecomeUnknown(at: max(earliest, now))
    }

    /// Lets a state become unknown that was restored from the store while its source is blind.
    mutating func watchBlindness(of slot: InstanceSlot, at now: Instant) {
        let source = instances[slot].source
        guard let since = self[source].sight.blindSince else { return }
        let due = max(now, since + region(of: slot).unknownStateAfter)
        self[source].statesBecomeUnknown(at: min(self[source].unknownDue, due))
    }

    /// Marks a source as seeing, or as proved to hear in quiet air.
    ///
    /// An inside region goes on: a report makes no event, and without one its exit timer continues. An outside region
    /// whose state became unknown is outside again once the source has listened for the settling time. A beacon heard
    /// before that has entered.
    ///
    /// A circle is announced again once fixes have come for `crossing_after_s`; see `SettlingCircles`.
    mutating func sees(_ source: EvidenceSourceID, at now: Instant) {
        guard self[source].sight.isBlind else { return }
        self[source].sees(at: now)
        let seen = self[source].sight.seenTime(at: now)
        for slot in instances.slots where instances[slot].source == source {
            guard case .outside = instances[slot].machine.occupancy, instances[slot].machine.state == .unknown
            else { continue }
            guard let settle = region(of: slot).settle else { continue }
            setTimer(slot, dueAtSeenTime: seen + settle)
        }
    }

    /// Makes states unknown, because a source is blind for `unknown_state_after_s`.
    ///
    /// - Returns: the instances whose state is unknown from now on.
    mutating func statesBecomeUnknown(
        _ source: EvidenceSourceID, at now: Instant, transitions: inout [RegionTransition]
    ) -> [InstanceSlot] {
        self[source].statesBecomeUnknown(at: .distantFuture)
        guard let since = self[source].sight.blindSince else { return [] }
        var unknown: [InstanceSlot] = []
        for slot in instances.slots
        where instances[slot].source == source && instances[slot].machine.state != .unknown {
            let due = since + region(of: slot).unknownStateAfter
            if due > now {
                self[source].statesBecomeUnknown(at: min(self[source].unknownDue, due))
            } else if let change = instances[slot].machine.unknown(at: now) {
                announce(slot, change, at: now, transitions: &transitions)
                unknown.append(slot)
            }
        }
        return unknown
    }
}

/// The state of a region instance as announced to subscribers.
package struct RegionStatus: Hashable, Sendable {
    package var instance: RegionInstanceID
    var state: RegionState
    var since: Instant
}

/// Queries of states, and the records to store.
extension RegionInstances {
    /// Returns states of instances for which `isWanted` holds, in the order of their slots. Core Location's
    /// `requestState(for:)`, for many at once. Regions of people have none to show.
    ///
    /// - Parameters:
    /// - start: the first slot: 0, or `next` of the page before.
    /// - limit: the most states.
    /// - Returns: the states, and the slot of the first one that did not fit.
    func statuses(
        from start: Int, limit: Int, where isWanted: (RegionInstanceID) -> Bool
    ) -> (page: [RegionStatus], next: Int?) {
        var page: [RegionStatus] = []
        for slot in instances.slots.dropFirst(max(0, start)) where isWanted(instances[slot].id) {
            let instance = instances[slot]
            guard slotOfID[instance.id] == slot, !region(of: slot).isOfPeople else { continue }
            if page.count == limit { return (page, slot.index) }
            page.append(
                RegionStatus(instance: instance.id, state: instance.machine.state, since: instance.machine.since))
        }
        return (page, nil)
    }

    /// The number of existing instances whose states are published.
    var publishedCount: Int { usedSlots.count { !region(of: $0).isOfPeople } }

    /// Returns the record of an instance to store; `nil` while it is unsettled, and in a region of people.
    func record(of slot: InstanceSlot) -> RegionRecord? {
        guard !region(of: slot).isOfPeople else { return nil }
        let instance = instances[slot]
        let occupancy: RegionRecord.Occupancy
        switch instance.machine.occupancy {
        case .unsettled: return nil
        case .outside(let since): occupancy = .outside(since: since)
        case .inside(let presence):
            let keeper = instance.beacons.keeper
            guard keeper != nil || !region(of: slot).kind.hasBeacons else { return nil }
            occupancy = .inside(
                RegionRecord.OpenStay(
                    enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                    keeper: keeper, notifiesOnExit: instance.machine.notices.onExit))
        }
        return RegionRecord(instance: instance.id, region(of: slot).recorded, occupancy)
    }

    /// Returns the records of a region's instances, in the order of their slots.
    func records(of region: String) -> [RegionRecord] {
        usedSlots.filter { instances[$0].id.region == region }.compactMap { record(of: $0) }
    }

    /// Returns the records of instances that are inside, in the order of their slots.
    func recordsOfStays() -> [RegionRecord] {
        instances.slots.lazy.filter { instances[$0].machine.presence != nil }
            .compactMap { record(of: $0) }
    }

    /// Returns what is wrong between registrations, instances, ids and timers; for tests.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ rule: @autoclosure () -> String) { if !holds { broken.append(rule()) } }
        check(registrations.isSound && instances.isSound, "a slot of a region is free twice")
        let used = Set(slotOfID.values).union(pending.values)
        check(used.count == slotOfID.count + pending.count, "two instances share a slot")
        check(used.count == instances.count, "an instance is neither known nor pending, or it is free")
        check(used.isDisjoint(with: instances.freeSlots), "the slot of an instance is free")
        check(registrations.count <= limits.maxRegions, "there are \(registrations.count) regions")
        check(limitedCount <= limits.maxInstances, "there are \(limitedCount) instances of regions")
        let limited = slotOfID.values.count { region(of: $0).kind.isLimitedByInstances }
        check(limited == limitedCount, "\(limited) instances are counted as \(limitedCount)")
        let timers = sources.map { source in
            Set((source.timers.all + source.proof.waiting).map { TimerKey(slot: $0.subject, due: $0.due) })
        }
        for (id, slot) in slotOfID.merging(pending, uniquingKeysWith: { known, _ in known }) {
            let instance = instances[slot]
            check(instance.id == id, "\(id) is in the slot of \(instance.id)")
            check((instance.existence == .exists) == (slotOfID[id] == slot), "\(id) exists, and is pending")
            check(!registrations[instance.registration].isFree, "\(id) belongs to a region that has ended")
            check(
                instance.timerDue == .distantFuture
                    || timers[instance.source.index].contains(TimerKey(slot: slot, due: instance.timerDue)),
                "\(id) waits for a timer that does not exist")
            guard region(of: slot).kind.hasBeacons else { continue }
            check(
                instance.machine.presence == nil || instance.beacons.keeper != nil, "\(id) is inside without a beacon")
            check(
                instance.machine.presence == nil || instance.timerDue < .distantFuture,
                "\(id) is inside, and no timer ends that")
        }
        return broken
    }

    private struct TimerKey: Hashable {
        var slot: InstanceSlot
        var due: Instant
    }
}

/// The memberships of beacons in region instances.
///
/// `GatewayPresence` fills it when an identity appears or regions change. A report only looks its instances up.
struct RegionMembership: Sendable {
    /// The instances, indexed by the slot of the identity.
    private var instancesOfIdentity: [[InstanceSlot]] = []
    /// The list made last. Identities of one region share it, unless the region is expanded.
    private var latestInstances: [InstanceSlot] = []
    /// The identities heard that belong to an instance. Their transmitters are ranged for it.
    private var identitiesOfInstance: [InstanceSlot: Set<IdentitySlot>] = [:]
    /// The identities not heard since regions were registered or ended. Their instances are found when they are heard.
    private var unmetIdentities: Set<IdentitySlot> = []

    /// - Parameter capacity: the most identities. A growing array would exist twice while it moves.
    init(capacity: Int) { instancesOfIdentity.reserveCapacity(capacity) }

    /// The number of an identity's instances, and each of them. A caller that asks with every report would otherwise
    /// count a reference to the list.
    func count(of identity: IdentitySlot) -> Int { instancesOfIdentity[identity.index].count }
    func instance(_ index: Int, of identity: IdentitySlot) -> InstanceSlot {
        instancesOfIdentity[identity.index][index]
    }

    subscript(identity: IdentitySlot) -> [InstanceSlot] {
        instancesOfIdentity.indices.contains(identity.index) ? instancesOfIdentity[identity.index] : []
    }

    /// Returns the identities heard that belong to an instance, in no particular order.
    func identities(of instance: InstanceSlot) -> some Sequence<IdentitySlot> { identitiesOfInstance[instance] ?? [] }

    /// Returns whether the instances of the identity still have to be found.
    func isUnmet(_ identity: IdentitySlot) -> Bool { !unmetIdentities.isEmpty && unmetIdentities.contains(identity) }

    /// Postpones finding the instances until the identity is heard.
    mutating func postpone(_ identity: IdentitySlot) { unmetIdentities.insert(identity) }

    mutating func set(_ instances: [InstanceSlot], of identity: IdentitySlot) {
        unmetIdentities.remove(identity)
        while instancesOfIdentity.count <= identity.index { instancesOfIdentity.append([]) }
        if instances != latestInstances { latestInstances = instances }
        instancesOfIdentity[identity.index] = latestInstances
        for instance in instances { identitiesOfInstance[instance, default: []].insert(identity) }
    }

    /// Returns whether any remembered identity belongs to the instance.
    func hasIdentities(_ instance: InstanceSlot) -> Bool { !(identitiesOfInstance[instance] ?? []).isEmpty }

    /// Removes an identity, whose slot will be reused.
    ///
    /// - Returns: the instances whose last identity it was.
    mutating func remove(_ identity: IdentitySlot) -> [InstanceSlot] {
        unmetIdentities.remove(identity)
        let instances = self[identity]
        for instance in instances {
            identitiesOfInstance[instance]?.remove(identity)
            if identitiesOfInstance[instance]?.isEmpty == true { identitiesOfInstance[instance] = nil }
        }
        if !instances.isEmpty { instancesOfIdentity[identity.index] = [] }
        return instances.filter { !hasIdentities($0) }
    }

    /// Returns what is wrong between beacons and instances; for tests.
    func checkInvariants(_ instances: RegionInstances) -> [String] {
        var broken: [String] = []
        for (instance, identities) in identitiesOfInstance {
            if identities.isEmpty { broken.append("an instance has a list of no beacons") }
            if !instances.isInUse(instance) { broken.append("a beacon belongs to an instance that has ended") }
            if !identities.allSatisfy({ self[$0].contains(instance) }) {
                broken.append("an instance has a beacon that does not belong to it")
            }
        }
        let memberships = instancesOfIdentity.reduce(0) { $0 + $1.count }
        if memberships != identitiesOfInstance.values.reduce(0, { $0 + $1.count }) {
            broken.append("a beacon belongs to an instance that does not have it")
        }
        return broken
    }

    /// Removes an instance that is not monitored any more.
    mutating func end(_ instance: InstanceSlot) {
        for identity in identitiesOfInstance.removeValue(forKey: instance) ?? [] {
            instancesOfIdentity[identity.index].removeAll { $0 == instance }
        }
    }
}

/// The patience that an earlier process had learned for the beacons of an instance. It holds for a while after the
/// start, in which each beacon's interval is learned anew.
struct RestoredPatience: Sendable {
    /// More than three receptions of the slowest beacon.
    private static let holdsFor = TimeSpan.seconds(15 * 60)

    private let end: Instant
    private var spans: [InstanceSlot: TimeSpan] = [:]

    init(at now: Instant) { end = now + Self.holdsFor }

    mutating func restore(_ patience: TimeSpan, of instance: InstanceSlot) {
        if patience > .zero { spans[instance] = patience }
    }

    /// Removes an instance that is not monitored any more.
    mutating func end(_ instance: InstanceSlot) { spans[instance] = nil }

    /// True if there are no spans. Every report asks.
    var isEmpty: Bool { spans.isEmpty }

    /// Returns the patience for the beacons of these instances.
    mutating func patience(of instances: [InstanceSlot], at now: Instant) -> [TimeSpan] {
        if now >= end { spans.removeAll() }
        return instances.compactMap { spans[$0] }
    }
}
