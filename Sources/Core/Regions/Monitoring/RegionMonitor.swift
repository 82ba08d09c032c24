/// Where a region instance stands in the monitor.
struct InstanceSlot: SlotNumber {
    let number: UInt32

    package init(number: UInt32) { self.number = number }
}

/// Where a registration stands in the monitor: in the order in which they were made, as long as none has ended.
package struct RegistrationSlot: SlotNumber, Comparable {
    let number: UInt32

    package static func < (left: RegistrationSlot, right: RegistrationSlot) -> Bool { left.number < right.number }
}

/// Monitors regions the way Core Location documents it: only crossings of a boundary make events.
///
/// It holds what is registered and the instances, each a `RegionInstance`, and passes on what they tell. A region's kind says
/// what counts as evidence for its instances: see `RegionKind`. The rules of beacons stand in `Beacon/RegionMonitor+Beacons`, those of
/// circles in `Circle/RegionMonitor+Circles`. What a source of evidence can see and prove is the `EvidenceSource`'s.
package struct RegionMonitor: Sendable {
    /// One registered region.
    struct Registration: Sendable {
        var region: MonitoredRegion
        /// Those of beacons, again: they are asked for with every report, and to look into the region would count references to its
        /// name.
        let rules: BeaconRules
        /// Whose evidence counts for its instances.
        var source: EvidenceSourceID
        /// Seen time at which what is there counts as having been there before.
        var settlesAt: Instant
        /// Whether a refused instance was reported, a refused newcomer, and a refused transmitter: once is enough.
        var hasRefusedInstance = false
        var hasRefusedNewcomer = false
        var hasRefusedTransmitter = false
        /// It was unregistered; its place waits to be used again.
        var isFree = false
    }

    let limits: RegionLimits
    var registrations = SlotTable<RegistrationSlot, Registration>()
    var instances = SlotTable<InstanceSlot, RegionInstance>()
    var slots: [RegionInstanceID: InstanceSlot] = [:]
    /// By `EvidenceSourceID`.
    var sources: [EvidenceSource] = []
    var kinds = RegionKindTables()
    /// Which instances may exist.
    var admission: InstanceAdmission

    init(limits: RegionLimits) {
        self.limits = limits
        admission = InstanceAdmission(limits)
    }

    /// Makes a source of evidence, which sees until `blinded` says that it does not.
    ///
    /// - Parameter canProbe: whether it can be asked if it perceives. Then a timer that comes due in silence waits for that;
    ///   see `isAwaitingProof`.
    mutating func addSource(canProbe: Bool) -> EvidenceSourceID {
        sources.append(EvidenceSource(canProbe: canProbe))
        return EvidenceSourceID(index: sources.count - 1)
    }

    /// Begins to monitor a region of beacons. One that is not expanded has its instance, and a state, at once.
    ///
    /// - Parameter source: what hears its beacons.
    mutating func register(
        _ region: BeaconRegion, heardBy source: EvidenceSourceID, at now: Instant,
        transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) {
        let registration = try makeRegistration(.beacon(region), source, at: now)
        kinds.beacons.insert(region, as: registration)
        guard region.expansion == .none else { return }
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

    /// The instance of that name, which is made where there is none yet.
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
        // What settles by its evidence alone has no time for it.
        if isSettling { setTimer(slot, dueAtSeenTime: registered.settlesAt) }
        return slot
    }

    /// An instance of a region was refused: that is reported once.
    mutating func note(
        _ failure: RegionMonitoringFailure, of registration: RegistrationSlot,
        _ failures: inout [RegionMonitoringFailure]
    ) {
        if !registrations[registration].hasRefusedInstance { failures.append(failure) }
        registrations[registration].hasRefusedInstance = true
    }

    /// Tells of a state. One that lasted no time and came with no event is not told: the next one takes its place.
    mutating func announce(
        _ slot: InstanceSlot, _ change: RegionStanding.Change, event: RegionEvent? = nil,
        detail: RegionDetail? = nil, at now: Instant, transitions: inout [RegionTransition]
    ) {
        let id = instances[slot].id
        let transition = RegionTransition(
            instance: id, state: change.state, since: change.since, at: now, event: event,
            detail: detail ?? region(of: slot).detail)
        // Looked for where it would stand and nowhere else, or a start with many regions would look through all for each.
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

/// The state of a region instance as subscribers were told it.
package struct RegionStatus: Hashable, Sendable {
    package var instance: RegionInstanceID
    var state: RegionState
    var since: Instant

    package init(instance: RegionInstanceID, state: RegionState, since: Instant) {
        self.instance = instance
        self.state = state
        self.since = since
    }
}

/// Asking for states. Core Location's `requestState(for:)`, for many at once.
extension RegionMonitor {
    /// How many instances there are.
    var instanceCount: Int { slots.count }

    /// Where an instance stands; `nil` for one that was never heard or is not registered.
    func slot(of id: RegionInstanceID) -> InstanceSlot? { slots[id] }

    /// What an instance is called.
    func id(of slot: InstanceSlot) -> RegionInstanceID { instances[slot].id }

    /// The region that an instance belongs to.
    func region(of slot: InstanceSlot) -> MonitoredRegion {
        registrations[instances[slot].registration].region
    }

    /// The registered region of that id.
    func region(_ id: String) -> MonitoredRegion? {
        registration { $0.region.id == id }.map { registrations[$0].region }
    }

    /// Those that hold an instance.
    var usedSlots: [InstanceSlot] {
        instances.slots.filter { slots[instances[$0].id] == $0 }
    }

    /// The first registration that holds, of those that have not ended.
    func registration(where isWanted: (Registration) -> Bool) -> RegistrationSlot? {
        registrations.slots.first { !registrations[$0].isFree && isWanted(registrations[$0]) }
    }

    /// States of instances for which `isWanted` holds, in the order of their slots.
    ///
    /// - Parameters:
    ///   - start: where to begin: 0, or what the page before said as `next`.
    ///   - limit: how many, at most.
    /// - Returns: them, and where the first one stands that there was no room for.
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
