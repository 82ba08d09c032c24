import HCI

/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// How many physical beacons are listed now: tracks, those still resolving left out.
    public var listedTrackCount: Int {
        let listed = table.usedSlots.lazy.map { table.transmitters[$0] }.filter(\.isListed)
        return Set(listed.filter { $0.standing != .resolving }.map(\.track)).count
    }
}
