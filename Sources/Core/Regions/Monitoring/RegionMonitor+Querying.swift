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
