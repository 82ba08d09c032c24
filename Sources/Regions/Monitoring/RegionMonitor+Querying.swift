public import HCI

/// The state of a region instance as subscribers were told it.
public struct RegionStatus: Hashable, Sendable {
    public var instance: RegionInstanceID
    public var state: RegionState
    public var since: Instant

    public init(instance: RegionInstanceID, state: RegionState, since: Instant) {
        self.instance = instance
        self.state = state
        self.since = since
    }
}

/// Asking for states. Core Location's `requestState(for:)`, for many at once.
extension RegionMonitor {
    /// How many instances there are.
    public var instanceCount: Int { slots.count }

    /// The state of the instance in a slot; `nil` for a slot that is free.
    public func status(of slot: InstanceSlot) -> RegionStatus? {
        guard states.indices.contains(slot), slots[states[slot].id] == slot else { return nil }
        return RegionStatus(instance: states[slot].id, state: states[slot].state, since: states[slot].since)
    }

    /// States of instances for which `isWanted` holds, in the order of their slots.
    ///
    /// - Parameters:
    ///   - start: the slot to begin with.
    ///   - limit: how many, at most.
    /// - Returns: them, and the slot of the first one that there was no room for.
    public func statuses(
        from start: InstanceSlot, limit: Int, where isWanted: (RegionInstanceID) -> Bool
    ) -> (page: [RegionStatus], next: InstanceSlot?) {
        var page: [RegionStatus] = []
        for slot in states.indices.dropFirst(max(0, start)) where isWanted(states[slot].id) {
            guard let status = status(of: slot) else { continue }
            if page.count == limit { return (page, slot) }
            page.append(status)
        }
        return (page, nil)
    }

    /// The registered region of that id.
    public func region(_ id: String) -> BeaconRegion? {
        registrations.first { !$0.isFree && $0.region.id == id }?.region
    }
}
