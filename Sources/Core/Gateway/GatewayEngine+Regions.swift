/// The membership of beacons in region instances, while both come and go.
extension GatewayEngine {
    /// Returns whether an instance exists: its region is monitored, and no limit refused it.
    package func holds(_ instance: RegionInstanceID) -> Bool { monitor.instances.slot(of: instance) != nil }

    /// Returns whether a stored state belongs to an existing instance.
    package func holds(_ record: RegionRecord) -> Bool {
        monitor.instances.slot(of: record.instance).map { monitor.instances.region(of: $0).canRestore(record) } ?? false
    }

    /// Registers a region with the source of evidence of its kind.
    mutating func register(_ region: MonitoredRegion, hasSettled: Bool = false) throws(RegionMonitoringFailure) {
        let source = region.kind.needsFixes ? receiver() : radio
        try monitor.register(
            region, perceivedBy: source, hasSettled: hasSettled, at: now, transitions: &transitions, notices: &notices)
    }

    /// Updates the memberships after regions were registered or ended. Listed beacons get theirs at once. Remembered
    /// ones get theirs when they are heard again, so that no instance is made of a value that is not heard.
    mutating func meetTrackedBeacons() {
        for identity in tracker.knownIdentities {
            if tracker.listed(identity).isEmpty {
                membership.postpone(identity)
            } else {
                meet(identity)
            }
        }
    }

    /// Finds the instances that an identity belongs to. New ones are pending.
    mutating func meet(_ identity: IdentitySlot) {
        guard let value = tracker.identity(in: identity) else { return }
        let instances = monitor.instances(of: value, at: now, transitions: &transitions, failures: &failures)
        tracker.setInterest(monitor.interest(in: value), identity)
        membership.set(instances, of: identity)
    }
}

/// The regions that requests have registered.
struct RequestedRegions: Sendable {
    /// The regions by id.
    private var monitored: [String: MonitoredRegion] = [:]
    /// The regions that an earlier process had registered and a limit refuses now. A request may register or stop them.
    private var refused: Set<String> = []

    /// Returns whether to register the region.
    ///
    /// - Returns: `false` where it is registered already: a broker may deliver a request twice.
    /// - Throws: `regionExists` where another region has its id.
    func admits(_ region: MonitoredRegion) throws(RequestError) -> Bool {
        guard let known = monitored[region.id] else { return true }
        guard known == region else { throw .regionExists(region.id) }
        return false
    }

    mutating func registered(_ region: MonitoredRegion) {
        monitored[region.id] = region
        refused.remove(region.id)
    }

    mutating func refused(_ region: MonitoredRegion) { refused.insert(region.id) }

    /// Ends the monitoring of a region.
    ///
    /// - Throws: `unknownRegion` where no request has registered it.
    mutating func remove(_ region: String) throws(RequestError) {
        let wasMonitored = monitored.removeValue(forKey: region) != nil
        guard refused.remove(region) != nil || wasMonitored else { throw .unknownRegion(region) }
    }
}

/// The memberships of beacons in region instances.
///
/// `GatewayEngine.meet` fills it when an identity appears or regions change. A report only looks its instances up.
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

    /// The instances that an identity belongs to.
    subscript(identity: IdentitySlot) -> [InstanceSlot] {
        instancesOfIdentity.indices.contains(identity.index) ? instancesOfIdentity[identity.index] : []
    }

    /// Returns the identities heard that belong to an instance, in no particular order.
    func identities(of instance: InstanceSlot) -> some Sequence<IdentitySlot> {
        identitiesOfInstance[instance] ?? []
    }

    /// Returns whether the instances of the identity still have to be found.
    func isUnmet(_ identity: IdentitySlot) -> Bool {
        !unmetIdentities.isEmpty && unmetIdentities.contains(identity)
    }

    /// Postpones finding the instances until the identity is heard.
    mutating func postpone(_ identity: IdentitySlot) { unmetIdentities.insert(identity) }

    /// Sets the instances of an identity.
    mutating func set(_ instances: [InstanceSlot], of identity: IdentitySlot) {
        unmetIdentities.remove(identity)
        while instancesOfIdentity.count <= identity.index { instancesOfIdentity.append([]) }
        if instances != latestInstances { latestInstances = instances }
        instancesOfIdentity[identity.index] = latestInstances
        for instance in instances { identitiesOfInstance[instance, default: []].insert(identity) }
    }

    /// Returns whether any remembered identity belongs to the instance.
    func hasIdentities(_ instance: InstanceSlot) -> Bool { !(identitiesOfInstance[instance] ?? []).isEmpty }

    /// Forgets an identity, whose slot will be reused.
    ///
    /// - Returns: the instances whose last identity it was.
    mutating func forget(_ identity: IdentitySlot) -> [InstanceSlot] {
        unmetIdentities.remove(identity)
        let instances = self[identity]
        for instance in instances {
            identitiesOfInstance[instance]?.remove(identity)
            if identitiesOfInstance[instance]?.isEmpty == true { identitiesOfInstance[instance] = nil }
        }
        if !instances.isEmpty { instancesOfIdentity[identity.index] = [] }
        return instances.filter { !hasIdentities($0) }
    }

    /// Forgets an instance that is not monitored any more.
    mutating func end(_ instance: InstanceSlot) {
        for identity in identitiesOfInstance.removeValue(forKey: instance) ?? [] {
            instancesOfIdentity[identity.index].removeAll { $0 == instance }
        }
    }
}

/// The lists of beacons, where `[beacons]` asks for them.
extension GatewayEngine {
    /// Starts the list with the beacons that an earlier process has listed, as far as a region still wants them.
    mutating func startList(_ heard: [HeardBeacon]) {
        let wanted = heard.filter { monitor.interest(in: $0.identity) != .none }
        register = settings.beacons.map { BeaconRegister($0, restoring: wanted, at: now) }
        listingDue = register?.nextDeadline ?? .distantFuture
    }

    /// Passes the transmitters of an identity to the register: they came, left, or fell silent.
    mutating func listChanged(_ identity: IdentitySlot) {
        guard register != nil else { return }
        for (transmitter, level_dbm) in tracker.wantedTransmitters(of: identity) {
            register?.note(transmitter, level_dbm: level_dbm, at: now)
        }
    }

    /// Passes the telemetry of the latest event to the beacons with its address. Inlined, it would make the way of each
    /// report longer.
    @inline(never)
    mutating func takeTelemetry() {
        for (address, frame) in intake.telemetry {
            register?.take(frame, from: address, of: tracker.wantedTransmitters(at: address), at: now)
        }
    }

    /// Samples the beacons in the air, and publishes the list where that is due.
    ///
    /// - Parameter isEnd: publishes the list in any case, with the beacons heard until then.
    mutating func list(isEnd: Bool = false, _ outputs: inout [GatewayOutput]) {
        guard let due = register?.reportDue else { return }
        register?.sample(tracker.wantedTransmitters, at: now)
        if isEnd || due <= now, let beacons = register?.report(at: now) {
            outputs.append(.message(BeaconList(beacons), at: now))
        }
        listingDue = register?.nextDeadline ?? .distantFuture
    }
}
