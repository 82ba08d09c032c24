/// What regions hear of a transmitter, and which transmitters they are interested in.
extension BeaconTracker {
    /// What regions ask of a transmitter with every report: the level that their thresholds look at, `nil` before the first
    /// one, and the silence that is ordinary for it. Read where it stands, because a copy of the transmitter costs more
    /// than all that is done with it.
    func hearing(of slot: TransmitterSlot) -> (regionLevel: SignalLevel?, patience: Patience) {
        var level = smoothing.region.level(table.transmitters[slot].signal.region)
        if table.transmitters[slot].standing == .resolving { level = cautiousLevel(of: slot, own: level) }
        return (level, table.transmitters[slot].interval.patience)
    }

    /// The level of a newcomer that may have rotated. Its few readings alone say too much: one that fades upwards would make a
    /// beacon enter that was there all the time, too weak. So it is the weakest that it would be had it been one of those that
    /// it may have been, until that is decided.
    private func cautiousLevel(of slot: TransmitterSlot, own: SignalLevel?) -> SignalLevel? {
        guard var weakest = own else { return nil }
        for other in table.listedSlots(of: table.transmitters[slot].identitySlot)
        where other != slot && table.mayHaveBeen(other, slot) {
            guard let former = smoothing.region.level(table.transmitters[other].signal.region) else { continue }
            let level = smoothing.regionLevel(
                of: table.transmitters[slot].signal, after: table.transmitters[other].signal)
            // A filter without a memory can't tell; the former's own level is cautious enough.
            weakest = min(weakest, level ?? former)
        }
        return weakest
    }

    /// Every identity that has a transmitter, listed or only remembered.
    var knownIdentities: [IdentitySlot] {
        table.identities.slots.filter { table.identities[$0].members.first != nil }
    }

    /// Regions want an identity more than before, or less.
    mutating func setInterest(_ interest: RegionInterest, _ identity: IdentitySlot) {
        for slot in table.slots(of: identity) { admission.setInterest(interest, slot, in: &table) }
    }
}
