import HCI

/// The end of a registration, as Core Location's `stopMonitoring(for:)`. It is no crossing: what becomes of the stays under way is
/// for whoever ends it to say, see `RegionRecord.unmonitoredExit`.
extension RegionMonitor {
    /// Ends the monitoring of a region. Its place and those of its instances are used again.
    ///
    /// - Returns: where its instances stood, and what they were; empty where no region of that id is registered.
    public mutating func unregister(_ region: String) -> [(slot: InstanceSlot, id: RegionInstanceID)] {
        guard let found = registrations.firstIndex(where: { !$0.isFree && $0.region.id == region }) else { return [] }
        let registration = RegistrationSlot(index: found)
        switch registrations[found].region {
        case .beacon(let region): index.remove(region, of: registration)
        case .circle(let region):
            if let slot = slots[RegionInstanceID(region: region.id)] { endCircle(slot, region.circle) }
        }
        registrations[found].isFree = true
        freeRegistrations.append(registration)
        let freed = usedSlots.filter { instances[$0.index].registration == registration }
            .map { (slot: $0, id: instances[$0.index].id) }
        for (slot, id) in freed {
            slots[id] = nil
            instances[slot.index].end()
            freeSlots.append(slot)
        }
        // A region that was refused an instance may have one now, and say so if it is refused again.
        if !freed.isEmpty {
            for other in registrations.indices { registrations[other].hasRefusedInstance = false }
        }
        return freed
    }
}
