import HCI

/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// How many physical beacons are listed now: tracks, those still resolving left out.
    public var listedTrackCount: Int {
        var count = 0
        // A track stays with its identity, so only where an identity has several transmitters may some of them be one track.
        // That spares a set of all tracks, of 30 octets for each.
        var shared: Set<TrackID> = []
        for slot in table.usedSlots where table.transmitters[slot].isListed {
            if table.transmitters[slot].standing == .resolving { continue }
            if table.transmitters[slot].isOnlyOfIdentity {
                count += 1
            } else {
                shared.insert(table.transmitters[slot].track)
            }
        }
        return count + shared.count
    }
}
