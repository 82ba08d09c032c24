import Beacons
import HCI

/// The end of a registration, as Core Location's `stopMonitoring(for:)`. It is no crossing: what becomes of the stays under way is
/// for whoever ends it to say, see `RegionRecord.unmonitoredExit`.
extension RegionMonitor {
    /// Ends the monitoring of a region. Its place and those of its instances are used again.
    ///
    /// - Returns: where its instances stood, and what they were; empty where no region of that id is registered.
    public mutating func unregister(_ region: String) -> [(slot: InstanceSlot, id: RegionInstanceID)] {
        guard let registration = registration(where: { $0.region.id == region }) else { return [] }
        switch registrations[registration].region {
        case .beacon(let region): index.remove(region, of: registration)
        case .circle(let region):
            if let slot = slots[RegionInstanceID(region: region.id)] { endCircle(slot, region.circle) }
        }
        registrations[registration].isFree = true
        registrations.remove(registration)
        let freed = usedSlots.filter { instances[$0].registration == registration }
            .map { (slot: $0, id: instances[$0].id) }
        for (slot, id) in freed {
            slots[id] = nil
            instances[slot].end()
            instances.remove(slot)
        }
        // A region that was refused an instance may have one now, and say so if it is refused again.
        if !freed.isEmpty {
            for other in registrations.slots { registrations[other].hasRefusedInstance = false }
        }
        return freed
    }
}
