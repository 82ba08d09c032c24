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
