import HCI

/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// How many physical beacons the given transmitters are: tracks, those still resolving left out.
    public func count(_ slots: some Sequence<TransmitterSlot>) -> Int {
        Set(slots.lazy.map { table.transmitters[$0] }.filter { $0.standing != .resolving }.map(\.track)).count
    }

    /// How many physical beacons are listed now.
    public var listedTrackCount: Int { count(table.usedSlots.filter { table.transmitters[$0].isListed }) }
}
