public import Beacons
public import HCI

/// What outlives the process of one region instance.
public struct RegionRecord: Hashable, Sendable {
    public var instance: RegionInstanceID
    /// Which beacons belonged to the region; `nil` where that was not stored.
    public var constraint: BeaconIdentityConstraint?
    /// `inside` or `outside`: a region that had not settled has nothing to restore.
    public var isInside: Bool
    /// Since when.
    public var since: Instant
    /// The stay under way, while inside, and the beacon that began it.
    public var major: UInt16
    public var minor: UInt16
    /// The last report that kept the region inside.
    public var lastHeardAt: Instant
    /// The silence that was ordinary for the beacon that kept the region inside.
    public var patience: TimeSpan
    /// The last smoothed RSSI, for the exit; `nil` where no report carried one.
    public var rssi_dbm: Double?
    /// The stay began before monitoring did.
    public var isPartial: Bool
    /// Whether the end of the stay is told.
    public var notifiesOnExit: Bool

    public init(
        instance: RegionInstanceID, of constraint: BeaconIdentityConstraint? = nil, isInside: Bool, since: Instant,
        major: UInt16, minor: UInt16, lastHeardAt: Instant, patience: TimeSpan, rssi_dbm: Double?, isPartial: Bool,
        notifiesOnExit: Bool = true
    ) {
        self.instance = instance
        self.constraint = constraint
        self.isInside = isInside
        self.since = since
        self.major = major
        self.minor = minor
        self.lastHeardAt = lastHeardAt
        self.patience = patience
        self.rssi_dbm = rssi_dbm
        self.isPartial = isPartial
        self.notifiesOnExit = notifiesOnExit
    }
}

extension RegionRecord {
    /// The same, with nothing of it later than `now`.
    ///
    /// Times of day outlive a boot, and so does a clock that was wrong: where it was set back meanwhile, or has lost its
    /// battery, what was stored lies in the future. By how much it is off nobody knows, so everything moves by as much as
    /// brings the last of it to `now`. Lengths stay what they were, and of the time nobody listened nothing is counted.
    func moved(notAfter now: Instant) -> RegionRecord {
        let latest = max(since, lastHeardAt)
        guard latest > now else { return self }
        var moved = self
        let ahead = latest - now
        moved.since = since - ahead
        moved.lastHeardAt = lastHeardAt - ahead
        return moved
    }
}

/// State outlives the process: still inside is no event, gone is an exit with the time last heard, new is an entry.
extension RegionMonitor {
    /// What to store of an instance; `nil` while it is unsettled.
    public func record(of slot: InstanceSlot) -> RegionRecord? {
        switch states[slot].occupancy {
        case .unsettled:
            nil
        case .outside:
            RegionRecord(
                instance: states[slot].id, of: region(of: slot).constraint, isInside: false,
                since: states[slot].outsideSince, major: 0, minor: 0,
                lastHeardAt: states[slot].outsideSince, patience: .zero, rssi_dbm: nil, isPartial: false)
        case .inside(let presence):
            RegionRecord(
                instance: states[slot].id, of: region(of: slot).constraint, isInside: true, since: presence.enteredAt,
                major: presence.major, minor: presence.minor, lastHeardAt: presence.lastHeardAt,
                patience: presence.patience, rssi_dbm: presence.level?.rssi_dbm, isPartial: presence.isPartial,
                notifiesOnExit: region(of: slot).notifyOnExit)
        }
    }

    /// Goes on from a stored state. Call it after the registrations and before the first report.
    ///
    /// - Parameter failures: an instance that a limit refuses, each region reported once.
    /// - Returns: `false` for such an instance, and where no region of that id, expanded in that way and of those beacons, is registered any more.
    public mutating func restore(
        _ record: RegionRecord, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> Bool {
        guard let slot = restorableSlot(record, at: now, transitions: &transitions, failures: &failures) else {
            return false
        }
        let record = record.moved(notAfter: now)
        defer { watchBlindness(of: slot, at: now) }
        let rules = rules(of: slot)
        // Monitoring of its region began in an earlier process: an instance that is new by now enters.
        let registration = states[slot].registration
        registrations[registration].settlesAt = min(registrations[registration].settlesAt, radio.seenTime(at: now))
        guard record.isInside else {
            states[slot].outsideSince = record.since
            states[slot].occupancy = .outside
            announce(slot, .outside, since: record.since, at: now, transitions: &transitions)
            return true
        }
        // Whoever left while nobody listened gets the same time to be heard again as anyone.
        let leavesAt = leavingTime(record.patience, rules: rules, at: now)
        states[slot].occupancy = .inside(
            RegionInstance.Presence(
                enteredAt: record.since, lastHeardAt: record.lastHeardAt, leavesAt: leavesAt, major: record.major,
                minor: record.minor, holder: nil, patience: record.patience,
                level: record.rssi_dbm.map(SignalLevel.init(rssi_dbm:)), isPartial: record.isPartial,
                isRestored: true))
        setTimer(slot, dueAtSeenTime: leavesAt)
        announce(slot, .inside, since: record.since, at: now, transitions: &transitions)
        return true
    }

    private mutating func restorableSlot(
        _ record: RegionRecord, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> InstanceSlot? {
        if let slot = slots[record.instance] { return region(of: slot).canRestore(record) ? slot : nil }
        let registration = registrations.firstIndex { !$0.isFree && $0.region.canRestore(record) }
        guard let registration else { return nil }
        do throws(RegionMonitoringFailure) {
            return try instance(record.instance, of: registration, at: now, transitions: &transitions)
        } catch {
            if !registrations[registration].hasRefusedInstance { failures.append(error) }
            registrations[registration].hasRefusedInstance = true
            return nil
        }
    }
}
