import HCI

/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// How many physical beacons the given transmitters are: tracks, those still resolving left out.
    public func count(_ slots: some Sequence<TransmitterSlot>) -> Int {
        Set(slots.lazy.map { table.transmitters[$0] }.filter { $0.standing != .resolving }.map(\.track)).count
    }

    /// How many physical beacons are listed now.
    public var listedTrackCount: Int { count(table.usedSlots.filter { table.transmitters[$0].isListed }) }

    /// Whether another beacon with the same identity is alive: a clone, or a misconfiguration.
    ///
    /// Two tracks are alive together where each was heard after the other had begun and both are still listed. A beacon
    /// that was replaced by another, or that changed its address, is none: the old address was never heard again.
    ///
    /// - Parameter others: the listed transmitters of its identity.
    public func isDuplicate(_ slot: TransmitterSlot, among others: some Sequence<TransmitterSlot>) -> Bool {
        let transmitter = table.transmitters[slot]
        guard transmitter.standing != .resolving else { return false }
        return others.contains {
            let other = table.transmitters[$0]
            return other.track != transmitter.track && other.standing != .resolving
                && max(transmitter.trackFirstHeard, other.trackFirstHeard) < min(transmitter.lastHeard, other.lastHeard)
        }
    }
}
