/// The end of a registration, as Core Location's `stopMonitoring(for:)`. It is no crossing: what becomes of the stays under way is
/// for whoever ends it to say, see `RegionRecord.unmonitoredExit`.
extension RegionMonitor {
    /// Ends the monitoring of a region. Its place and those of its instances are used again.
    ///
    /// - Returns: the slots that are free now, and the instances that existed; empty where no region of that id is registered.
    mutating func unregister(_ region: String) -> (freed: [InstanceSlot], ended: [RegionInstanceID]) {
        guard let registration = registration(where: { $0.region.id == region }) else { return ([], []) }
        switch registrations[registration].region {
        case .beacon(let region): index.remove(region, of: registration)
        case .circle(let region):
            if let slot = slots[RegionInstanceID(region: region.id)] { endCircle(slot, region.circle) }
        }
        registrations[registration].isFree = true
        registrations.remove(registration)
        let ending = usedSlots.filter { instances[$0].registration == registration }
        let pending = admission.pending.values.filter { instances[$0].registration == registration }
            .sorted { $0.number < $1.number }
        let ended = ending.map { instances[$0].id }
        for slot in ending {
            slots[instances[slot].id] = nil
            instances[slot].end()
            instances.remove(slot)
        }
        for slot in pending { discard(slot) }
        // A region that was refused an instance may have one now, at once, and say so if it is refused again.
        if !ending.isEmpty {
            for other in registrations.slots { registrations[other].hasRefusedInstance = false }
            for other in admission.pending.values { instances[other].existence = .pending(refusedInMinute: nil) }
        }
        return (ending + pending, ended)
    }
}
