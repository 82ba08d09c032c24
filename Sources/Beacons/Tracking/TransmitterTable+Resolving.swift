import HCI

/// Which identities have newcomers that are resolving, and since when. Hardly any has, so the time does not stand in each.
extension TransmitterTable {
    /// A transmitter of the identity is resolving, which was first heard just now.
    mutating func beginResolving(_ slot: IdentitySlot, at now: Instant) {
        identities[slot].resolvingCount += 1
        latestNewcomers[slot] = now
    }

    /// One of those that were resolving is decided, or gone.
    mutating func endResolving(_ slot: IdentitySlot) {
        identities[slot].resolvingCount -= 1
        if identities[slot].resolvingCount == 0 { latestNewcomers[slot] = nil }
    }

    /// When the youngest of those that are resolving was first heard; `nil` where none is.
    func latestNewcomer(of slot: IdentitySlot) -> Instant? {
        // Asked for with every report, so the dictionary is left alone while there is nothing in it.
        identities[slot].resolvingCount > 0 ? latestNewcomers[slot] : nil
    }
}
