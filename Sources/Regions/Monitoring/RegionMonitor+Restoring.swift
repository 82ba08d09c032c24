import Beacons
public import HCI

/// State outlives the process: still inside is no event, gone is an exit with the time last heard, new is an entry.
extension RegionMonitor {
    /// What to store of an instance; `nil` while it is unsettled.
    public func record(of slot: InstanceSlot) -> RegionRecord? {
        let region = region(of: slot)
        let occupancy: RegionRecord.Occupancy
        switch states[slot].occupancy {
        case .unsettled: return nil
        case .outside: occupancy = .outside(since: states[slot].outsideSince)
        case .inside(let presence):
            occupancy = .inside(
                RegionRecord.OpenStay(
                    enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                    keeper: .beacon(presence.keeper), notifiesOnExit: region.notifyOnExit))
        }
        return RegionRecord(instance: states[slot].id, .beacon(of: region.constraint), occupancy)
    }

    /// What is known of the instances of a region, in the order of their slots.
    public func records(of region: String) -> [RegionRecord] {
        states.indices.filter { states[$0].id.region == region && status(of: $0) != nil }.compactMap { record(of: $0) }
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
        // Monitoring of its region began in an earlier process: an instance that is new by now enters.
        let registration = states[slot].registration
        registrations[registration].settlesAt = min(registrations[registration].settlesAt, radio.seenTime(at: now))
        switch record.occupancy {
        case .outside(let since):
            states[slot].outsideSince = since
            states[slot].occupancy = .outside
            announce(slot, .outside, since: since, at: now, transitions: &transitions)
        case .inside(let stay):
            goOn(stay, in: slot, at: now, transitions: &transitions)
        }
        return true
    }

    private mutating func goOn(
        _ stay: RegionRecord.OpenStay, in slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition]
    ) {
        let keeper =
            switch stay.keeper {
            case .beacon(let keeper): keeper
            }
        // Whoever left while nobody listened gets the same time to be heard again as anyone.
        let leavesAt = leavingTime(keeper.patience, rules: rules(of: slot), at: now)
        states[slot].occupancy = .inside(
            RegionInstance.Presence(
                enteredAt: stay.enteredAt, lastHeardAt: stay.lastHeardAt, leavesAt: leavesAt, major: keeper.major,
                minor: keeper.minor, holder: nil, patience: keeper.patience,
                level: keeper.rssi_dbm.map(SignalLevel.init(rssi_dbm:)), beginning: stay.beginning,
                isRestored: true))
        setTimer(slot, dueAtSeenTime: leavesAt)
        announce(slot, .inside, since: stay.enteredAt, at: now, transitions: &transitions)
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
