import Beacons
import HCI
import Regions

/// Keeps who belongs to which region instance, while regions and beacons come and go.
extension GatewayEngine {
    /// Regions were registered or ended. Beacons in range belong to theirs at once; those that are only remembered once
    /// they are heard again, so that no instance is made of a value that nobody hears.
    mutating func meetTrackedBeacons() {
        for identity in tracker.knownIdentities {
            if tracker.listed(identity).isEmpty {
                unmetIdentities.insert(identity)
            } else {
                meet(identity)
            }
        }
    }

    /// Finds the instances that an identity belongs to, and makes those that are new.
    mutating func meet(_ identity: IdentitySlot) {
        unmetIdentities.remove(identity)
        guard let value = tracker.identity(in: identity) else { return }
        let known = failures.count
        let instances = monitor.instances(of: value, at: now, transitions: &transitions, failures: &failures)
        refusedInstanceCount &+= UInt64(failures.count - known)
        tracker.setWanted(monitor.isWanted(value), identity)
        while instancesOfIdentity.count <= identity { instancesOfIdentity.append([]) }
        // Beacons of one region share one list, unless it is expanded.
        if instances != latestInstances { latestInstances = instances }
        instancesOfIdentity[identity] = latestInstances
        for instance in instances { identitiesOfInstance[instance, default: []].insert(UInt32(clamping: identity)) }
    }
}
