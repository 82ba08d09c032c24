/// Keeps who belongs to which region instance, while regions and beacons come and go.
extension GatewayEngine {
    /// Whether an instance has a place: its region is monitored, and no limit refused it.
    package func holds(_ instance: RegionInstanceID) -> Bool { monitor.slot(of: instance) != nil }

    /// Whether a stored state is that of an instance which has a place.
    package func holds(_ record: RegionRecord) -> Bool {
        monitor.slot(of: record.instance).map { monitor.region(of: $0).canRestore(record) } ?? false
    }

    /// Has a region monitored by what perceives its kind.
    mutating func register(_ region: MonitoredRegion) throws(RegionMonitoringFailure) {
        let source = region.kind.needsFixes ? receiver() : radio
        try monitor.register(region, perceivedBy: source, at: now, transitions: &transitions, notices: &notices)
    }

    /// Regions were registered or ended. Beacons in range belong to theirs at once; those that are only remembered once
    /// they are heard again, so that no instance is made of a value that nobody hears.
    mutating func meetTrackedBeacons() {
        for identity in tracker.knownIdentities {
            if tracker.listed(identity).isEmpty {
                membership.postpone(identity)
            } else {
                meet(identity)
            }
        }
    }

    /// Finds the instances that an identity belongs to. Those that are new are pending.
    mutating func meet(_ identity: IdentitySlot) {
        guard let value = tracker.identity(in: identity) else { return }
        let instances = monitor.instances(of: value, at: now, transitions: &transitions, failures: &failures)
        tracker.setInterest(monitor.interest(in: value), identity)
        membership.set(instances, of: identity)
    }
}

/// The regions that requests have registered.
struct RequestedRegions: Sendable {
    /// By id.
    private var monitored: [String: MonitoredRegion] = [:]
    /// Those that an earlier process had registered and a limit refuses now. They may be asked for again, or stopped.
    private var refused: Set<String> = []

    /// Whether the region is to be registered.
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

    /// The monitoring of a region ends.
    ///
    /// - Throws: `unknownRegion` where no request has registered it.
    mutating func remove(_ region: String) throws(RequestError) {
        let wasMonitored = monitored.removeValue(forKey: region) != nil
        guard refused.remove(region) != nil || wasMonitored else { throw .unknownRegion(region) }
    }
}

/// Who belongs to which region instance, while regions and beacons come and go.
///
/// It is filled by `GatewayEngine.meet`, as an identity appears or regions change, so that a report looks its instances up and
/// decides nothing.
struct RegionMembership: Sendable {
    /// By the slot of the identity.
    private var instancesOfIdentity: [[InstanceSlot]] = []
    /// The list that was made last: identities of one region share it, unless the region is expanded.
    private var latestInstances: [InstanceSlot] = []
    /// The identities heard that belong to an instance: whose transmitters are ranged for it.
    private var identitiesOfInstance: [InstanceSlot: Set<IdentitySlot>] = [:]
    /// Identities not heard since regions were registered or ended: what they belong to is found when they are.
    private var unmetIdentities: Set<IdentitySlot> = []

    /// - Parameter capacity: identities at most. An array that grew would hold itself twice while it moves.
    init(capacity: Int) { instancesOfIdentity.reserveCapacity(capacity) }

    /// How many instances an identity belongs to, and each of them: for whoever asks with every report, and would otherwise count a
    /// reference to the list.
    package func count(of identity: IdentitySlot) -> Int { instancesOfIdentity[identity.index].count }
    package func instance(_ index: Int, of identity: IdentitySlot) -> InstanceSlot {
        instancesOfIdentity[identity.index][index]
    }

    /// The instances that an identity belongs to.
    subscript(identity: IdentitySlot) -> [InstanceSlot] {
        instancesOfIdentity.indices.contains(identity.index) ? instancesOfIdentity[identity.index] : []
    }

    /// The identities heard that belong to an instance, in no order.
    func identities(of instance: InstanceSlot) -> some Sequence<IdentitySlot> {
        identitiesOfInstance[instance] ?? []
    }

    /// Whether it has yet to be found out what the identity belongs to.
    func isUnmet(_ identity: IdentitySlot) -> Bool {
        !unmetIdentities.isEmpty && unmetIdentities.contains(identity)
    }

    /// What the identity belongs to is found when it is heard.
    mutating func postpone(_ identity: IdentitySlot) { unmetIdentities.insert(identity) }

    /// The identity belongs to these.
    mutating func set(_ instances: [InstanceSlot], of identity: IdentitySlot) {
        unmetIdentities.remove(identity)
        while instancesOfIdentity.count <= identity.index { instancesOfIdentity.append([]) }
        if instances != latestInstances { latestInstances = instances }
        instancesOfIdentity[identity.index] = latestInstances
        for instance in instances { identitiesOfInstance[instance, default: []].insert(identity) }
    }

    /// Whether any identity that is remembered belongs to the instance.
    func hasIdentities(_ instance: InstanceSlot) -> Bool { !(identitiesOfInstance[instance] ?? []).isEmpty }

    /// The identity is remembered no more: its slot will be that of another.
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

    /// The instance is monitored no more.
    mutating func end(_ instance: InstanceSlot) {
        for identity in identitiesOfInstance.removeValue(forKey: instance) ?? [] {
            instancesOfIdentity[identity.index].removeAll { $0 == instance }
        }
    }
}
