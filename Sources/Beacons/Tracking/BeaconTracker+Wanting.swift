/// Regions that come and go while beacons are heard.
extension BeaconTracker {
    /// Every identity that has a transmitter, listed or only remembered.
    public var knownIdentities: [IdentitySlot] {
        table.identities.indices.filter { table.identities[$0].first != nil }
    }

    /// A region became interested in an identity, or the last one lost its interest.
    public mutating func setWanted(_ isWanted: Bool, _ identity: IdentitySlot) {
        for slot in table.slots(of: identity) where table.transmitters[slot].isWanted != isWanted {
            table.transmitters[slot].isWanted = isWanted
            guard table.transmitters[slot].isListed else { continue }
            if isWanted {
                unwanted.remove(slot, in: &table.transmitters)
            } else {
                unwanted.append(slot, in: &table.transmitters)
            }
        }
    }
}
