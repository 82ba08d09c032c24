import HCI

/// The end of a registration, as Core Location's `stopMonitoring(for:)`. It is no crossing: what becomes of the stays under way is
/// for whoever ends it to say, see `RegionRecord.unmonitoredExit`.
extension RegionMonitor {
    /// Ends the monitoring of a region. Its place and those of its instances are used again.
    ///
    /// - Returns: where its instances stood, and what they were; empty where no region of that id is registered.
    public mutating func unregister(_ region: String) -> [(slot: InstanceSlot, id: RegionInstanceID)] {
        guard let registration = registrations.firstIndex(where: { !$0.isFree && $0.region.id == region }) else {
            return []
        }
        index.remove(registrations[registration].region, of: registration)
        registrations[registration].isFree = true
        freeRegistrations.append(registration)
        var freed: [(slot: InstanceSlot, id: RegionInstanceID)] = []
        for slot in states.indices where states[slot].registration == registration && status(of: slot) != nil {
            let id = states[slot].id
            slots[id] = nil
            // Unsettled, unknown and without a timer: nothing that goes through all slots finds anything to do here.
            states[slot].occupancy = .unsettled
            states[slot].state = .unknown
            states[slot].candidacy = nil
            states[slot].due = .distantFuture
            freeSlots.append(slot)
            freed.append((slot, id))
        }
        // A region that was refused an instance may have one now, and say so if it is refused again.
        if !freed.isEmpty {
            for other in registrations.indices { registrations[other].hasRefusedInstance = false }
        }
        return freed
    }
}
