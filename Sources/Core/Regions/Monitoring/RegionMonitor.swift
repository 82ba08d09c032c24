/// The slot of a region instance in the monitor.
struct InstanceSlot: SlotNumber {
    let number: UInt32
}

/// The slot of a registration in the monitor. Slots are in the order of registration, as long as none has ended.
package struct RegistrationSlot: SlotNumber, Comparable {
    let number: UInt32

    package static func < (left: RegistrationSlot, right: RegistrationSlot) -> Bool { left.number < right.number }
}

/// Monitors regions as Core Location documents it: only crossings of a boundary make events.
///
/// The monitor holds the registrations and the instances, each a `RegionInstance`, and passes on their changes. The
/// kind of a region decides which evidence counts: see `RegionKind`. The rules of beacons are in
/// `Beacon/RegionMonitor+Beacons`, those of circles in `Circle/RegionMonitor+Circles`. `EvidenceSource` holds the sight
/// and the proof of a source.
struct RegionMonitor: Sendable {
    /// One registered region.
    struct Registration: Sendable {
        var region: MonitoredRegion
        /// A copy of the region's rules. Every report asks for them, and reading them from the region would count
        /// references to its id.
        let rules: BeaconRules
        /// The source of evidence for its instances.
        var source: EvidenceSourceID
        /// The seen time at which settling ends.
        var settlesAt: Instant
        /// Whether a refused instance, newcomer or transmitter was reported: each is reported once.
        var hasRefusedInstance = false
        var hasRefusedNewcomer = false
        var hasRefusedTransmitter = false
        /// Whether it was unregistered, so that its slot may be reused.
        var isFree = false
    }

    let limits: RegionLimits
    var registrations = SlotTable<RegistrationSlot, Registration>()
    var instances = SlotTable<InstanceSlot, RegionInstance>()
    var slots: [RegionInstanceID: InstanceSlot] = [:]
    /// The sources, indexed by `EvidenceSourceID`.
    var sources: [EvidenceSource] = []
    var kinds = RegionKindTables()
    /// The admission of instances.
    var admission: InstanceAdmission

    init(limits: RegionLimits) {
        self.limits = limits
        admission = InstanceAdmission(limits)
    }

    /// Makes a source of evidence, which sees until `blinded` is called.
    ///
    /// - Parameter canProbe: whether the source can be probed. Then a timer that comes due in silence waits for the
    ///   probe; see `isAwaitingProof`.
    mutating func addSource(canProbe: Bool) -> EvidenceSourceID {
        sources.append(EvidenceSource(canProbe: canProbe))
        return EvidenceSourceID(index: sources.count - 1)
    }

    /// Begins to monitor a region of beacons. A region without expansion has its instance, and a state, at once.
    ///
    /// - Parameters:
    /// - source: the source that hears its beacons.
    /// - hasSettled: whether an expanded region has settled in an earlier process.
    mutating func register(
        _ region: BeaconRegion, heardBy source: EvidenceSourceID, hasSettled: Bool = false, at now: Instant,
        transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) {
        let registration = try makeRegistration(.beacon(region), source, at: now)
        kinds.beacons.insert(region, as: registration)
        guard region.expansion == .none else { return settle(registration, hasSettled: hasSettled, at: now) }
        do throws(RegionMonitoringFailure) {
            let id = RegionInstanceID(region: region.id)
            _ = try instance(id, of: registration, at: now, transitions: &transitions)
        } catch {
            registrations[registration].hasRefusedInstance = true
            throw error
        }
    }

    mutating func makeRegistration(
        _ region: MonitoredRegion, _ source: EvidenceSourceID, at now: Instant
    ) throws(RegionMonitoringFailure) -> RegistrationSlot {
        guard registrations.count < limits.maxRegions else {
            throw RegionMonitoringFailure(region: region.id, cause: .tooManyRegions(limit: limits.maxRegions))
        }
        let settlesAt = region.settle.map { sources[source.index].sight.seenTime(at: now) + $0 } ?? .distantFuture
        return registrations.insert(
            Registration(region: region, rules: region.rules, source: source, settlesAt: settlesAt))
    }

    /// Returns the instance of that id, a new one where there is none yet.
    mutating func instance(
        _ id: RegionInstanceID, of registration: RegistrationSlot, at now: Instant,
        transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) -> InstanceSlot {
        if let known = slots[id] { return known }
        let registered = registrations[registration]
        guard !registered.region.kind.isLimitedByInstances || hasRoomForInstance else {
            throw RegionMonitoringFailure(region: id.region, cause: .tooManyInstances(limit: limits.maxInstances))
        }
        let slot = instances.insert(
            RegionInstance(
                id: id, registration: registration, source: registered.source, notices: registered.region.notices,
                at: now))
        slots[id] = slot
        let sight = sources[registered.source.index].sight
        let isSettling = sight.seenTime(at: now) < registered.settlesAt
        let change = instances[slot].standing.begin(isSettling: isSettling, isBlind: sight.isBlind, at: now)
        announce(slot, change, at: now, transitions: &transitions)
        // An instance that settles by its evidence alone needs no timer.
        if isSettling { setTimer(slot, dueAtSeenTime: registered.settlesAt) }
        return slot
    }

    /// Reports that an instance of a region was refused, once.
    mutating func note(
        _ failure: RegionMonitoringFailure, of registration: RegistrationSlot,
        _ failures: inout [RegionMonitoringFailure]
    ) {
        if !registrations[registration].hasRefusedInstance { failures.append(failure) }
        registrations[registration].hasRefusedInstance = true
    }

    /// Announces a state. The next state replaces one that lasted no time and had no event.
    mutating func announce(
        _ slot: InstanceSlot, _ change: RegionStanding.Change, event: RegionEvent? = nil,
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
            instances[slot].announcement = transitions.count
            transitions.append(transition)
        }
    }

    func rules(of slot: InstanceSlot) -> BeaconRules {
        registrations[instances[slot].registration].rules
    }
}

/// The state of a region instance as announced to subscribers.
package struct RegionStatus: Hashable, Sendable {
    package var instance: RegionInstanceID
    var state: RegionState
    var since: Instant
}

/// Queries of states. Core Location's `requestState(for:)`, for many at once.
extension RegionMonitor {
    /// The number of instances.
    var instanceCount: Int { slots.count }

    /// Returns the slot of an instance; `nil` for one that was never heard or is not registered.
    func slot(of id: RegionInstanceID) -> InstanceSlot? { slots[id] }

    /// Returns the id of an instance.
    func id(of slot: InstanceSlot) -> RegionInstanceID { instances[slot].id }

    /// Returns the region of an instance.
    func region(of slot: InstanceSlot) -> MonitoredRegion {
        registrations[instances[slot].registration].region
    }

    /// Returns the registered region of that id.
    func region(_ id: String) -> MonitoredRegion? {
        registration { $0.region.id == id }.map { registrations[$0].region }
    }

    /// The slots that hold an instance.
    var usedSlots: [InstanceSlot] {
        instances.slots.filter { slots[instances[$0].id] == $0 }
    }

    /// Returns the first active registration for which `isWanted` holds.
    func registration(where isWanted: (Registration) -> Bool) -> RegistrationSlot? {
        registrations.slots.first { !registrations[$0].isFree && isWanted(registrations[$0]) }
    }

    /// Returns states of instances for which `isWanted` holds, in the order of their slots.
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
            guard slots[instance.id] == slot else { continue }
            if page.count == limit { return (page, slot.index) }
            page.append(
                RegionStatus(instance: instance.id, state: instance.standing.state, since: instance.standing.since))
        }
        return (page, nil)
    }
}

/// The passing of time: instances are left, settle, and become unknown, each in the seen time of its source.
extension RegionMonitor {
    /// The time of the next deadline.
    var nextDeadline: Instant { min(earliest().deadline, admission.due) }

    /// Returns the source with the first deadline; of several the one made first.
    private func earliest() -> (source: Int, deadline: Instant) {
        var earliest = (source: 0, deadline: Instant.distantFuture)
        for source in sources.indices {
            let deadline = sources[source].nextDeadline
            if deadline < earliest.deadline { earliest = (source, deadline) }
        }
        return earliest
    }

    /// Runs the first timer that is due before `limit`. Returns its time; `nil` where none is due.
    mutating func advance(before limit: Instant, transitions: inout [RegionTransition]) -> Instant? {
        let (source, sourceDue) = earliest()
        let now = min(sourceDue, admission.due)
        guard now < limit else { return nil }
        if admission.due == now {
            advanceAdmission(to: now)
            return now
        }
        guard sources.indices.contains(source) else { return nil }
        if sources[source].unknownDue == now {
            statesBecomeUnknown(EvidenceSourceID(index: source), at: now, transitions: &transitions)
        } else if sources[source].silenceDue == now {
            blinded(EvidenceSourceID(index: source), since: sources[source].listening.silentSince, at: now)
        } else if let timer = sources[source].popTimer(), instances[timer.subject].timerDue == timer.due {
            guard sources[source].isProved(until: timer) || isOvertaken(timer) else {
                sources[source].awaitProof(of: timer)
                return now
            }
            instances[timer.subject].timerDue = .distantFuture
            timerFired(timer.subject, seen: timer.due, at: now, transitions: &transitions)
        }
        return now
    }

    mutating func setTimer(_ slot: InstanceSlot, dueAtSeenTime due: Instant) {
        guard instances[slot].timerDue != due else { return }
        instances[slot].timerDue = due
        let source = instances[slot].source.index
        sources[source].setTimer(slot, dueAtSeenTime: due)
        // Regions that come and go leave stale timers behind.
        sources[source].throwOutStaleTimers(of: slots.count) { instances[$0.subject].timerDue == $0.due }
    }

    func seenTime(of slot: InstanceSlot, at now: Instant) -> Instant {
        sources[instances[slot].source.index].sight.seenTime(at: now)
    }

    /// Returns whether evidence of the inside came since the timer was set, so that the timer decides nothing.
    private func isOvertaken(_ timer: EvidenceSource.Timer) -> Bool {
        instances[timer.subject].standing.presence.map { $0.leavesAt > timer.due } ?? false
    }

    private mutating func timerFired(
        _ slot: InstanceSlot, seen: Instant, at now: Instant, transitions: inout [RegionTransition]
    ) {
        if case .pending = instances[slot].existence { return settled(slot) }
        // Timers are lazy: reports only moved the time of leaving.
        if let presence = instances[slot].standing.presence, presence.leavesAt > seen {
            return setTimer(slot, dueAtSeenTime: presence.leavesAt)
        }
        if let lapsesAt = candidacyLapses(slot), lapsesAt > seen {
            return setTimer(slot, dueAtSeenTime: lapsesAt)
        }
        left(slot, at: now, transitions: &transitions)
    }

    /// Takes evidence of the outside: silence, or the word of a source that perceives the outside.
    mutating func left(_ slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition]) {
        let keeper = instances[slot].beacons.keeper
        guard let change = instances[slot].standing.outside(at: now) else { return }
        let event = change.crossing.flatMap { crossing in
            region(of: slot).recorded.exitCause(keeper).map { RegionEvent(crossing, by: $0) }
        }
        if keeper != nil { instances[slot].beacons = .nobody }
        noteOutside(slot)
        announce(slot, change, event: event, at: now, transitions: &transitions)
    }
}

/// The restart. Still inside makes no event, gone makes an exit at the last report, and new makes an entry.
extension RegionMonitor {
    /// Returns the record of an instance to store; `nil` while it is unsettled.
    func record(of slot: InstanceSlot) -> RegionRecord? {
        let instance = instances[slot]
        let occupancy: RegionRecord.Occupancy
        switch instance.standing.occupancy {
        case .unsettled: return nil
        case .outside(let since): occupancy = .outside(since: since)
        case .inside(let presence):
            let keeper = instance.beacons.keeper
            guard keeper != nil || !region(of: slot).kind.hasBeacons else { return nil }
            occupancy = .inside(
                RegionRecord.OpenStay(
                    enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                    keeper: keeper, notifiesOnExit: instance.standing.notices.onExit))
        }
        return RegionRecord(instance: instance.id, region(of: slot).recorded, occupancy)
    }

    /// Returns the records of a region's instances, in the order of their slots.
    func records(of region: String) -> [RegionRecord] {
        usedSlots.filter { instances[$0].id.region == region }.compactMap { record(of: $0) }
    }

    /// Returns the records of instances that are inside, in the order of their slots.
    func recordsOfStays() -> [RegionRecord] {
        instances.slots.lazy.filter { instances[$0].standing.presence != nil }
            .compactMap { record(of: $0) }
    }

    /// Restores a stored state. The caller calls it after the registrations and before the first report.
    ///
    /// - Parameter failures: instances that a limit refused, each region reported once.
    /// - Returns: `false` for a refused instance, and where no region of that id, expansion and constraint is
    ///   registered any more.
    mutating func restore(
        _ record: RegionRecord, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> Bool {
        guard let slot = restorableSlot(record, at: now, transitions: &transitions, failures: &failures) else {
            return false
        }
        // Monitoring of the region began in an earlier process, so a new instance is an entry.
        let registration = instances[slot].registration
        registrations[registration].settlesAt = min(registrations[registration].settlesAt, seenTime(of: slot, at: now))
        let change: RegionStanding.Change
        switch record.moved(notAfter: now).occupancy {
        case .outside(let since):
            change = instances[slot].standing.restore(outsideSince: since)
            noteOutside(slot)
        case .inside(let stay):
            let leavesAt = restoreInside(slot, stay.keeper, at: now)
            change = instances[slot].standing.restore(stay, until: leavesAt)
            setTimer(slot, dueAtSeenTime: leavesAt)
        }
        announce(slot, change, at: now, transitions: &transitions)
        watchBlindness(of: slot, at: now)
        return true
    }

    private mutating func restorableSlot(
        _ record: RegionRecord, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> InstanceSlot? {
        if let slot = slots[record.instance] { return region(of: slot).canRestore(record) ? slot : nil }
        guard let registration = registration(where: { $0.region.canRestore(record) }) else { return nil }
        do throws(RegionMonitoringFailure) {
            return try instance(record.instance, of: registration, at: now, transitions: &transitions)
        } catch {
            note(error, of: registration, &failures)
            return nil
        }
    }
}
