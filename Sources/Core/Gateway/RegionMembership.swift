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

    /// The instances that an identity belongs to.
    subscript(identity: IdentitySlot) -> [InstanceSlot] {
        instancesOfIdentity.indices.contains(identity.index) ? instancesOfIdentity[identity.index] : []
    }

    /// Returns the identities heard that belong to an instance, in no particular order.
    func identities(of instance: InstanceSlot) -> some Sequence<IdentitySlot> { identitiesOfInstance[instance] ?? [] }

    /// Returns whether the instances of the identity still have to be found.
    func isUnmet(_ identity: IdentitySlot) -> Bool { !unmetIdentities.isEmpty && unmetIdentities.contains(identity) }

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

    /// Forgets an instance that is not monitored any more.
    mutating func end(_ instance: InstanceSlot) { spans[instance] = nil }

    /// True if there are no spans. Every report asks.
    var isEmpty: Bool { spans.isEmpty }

    /// Returns the patience for the beacons of these instances.
    mutating func patience(of instances: [InstanceSlot], at now: Instant) -> [TimeSpan] {
        if now >= end { spans.removeAll() }
        return instances.compactMap { spans[$0] }
    }
}
