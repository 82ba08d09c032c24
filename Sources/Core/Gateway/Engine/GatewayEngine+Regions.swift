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
        switch region {
        case .beacon(let region):
            try monitor.register(region, heardBy: radio, at: now, transitions: &transitions)
        case .circle(let region):
            try monitor.register(
                region, locatedBy: receiver(), at: now, transitions: &transitions, notices: &notices)
        }
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
