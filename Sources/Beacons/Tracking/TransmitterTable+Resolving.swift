import HCI

/// Which identities have newcomers that are resolving, and since when. Hardly any has, so the time does not stand in each.
extension TransmitterTable {
    /// A transmitter of the identity is resolving, which was first heard just now.
    mutating func beginResolving(_ slot: IdentitySlot, at now: Instant) {
        identities[slot].resolvingCount += 1
        newcomers[slot, default: Newcomers(latest: now)].latest = now
    }

    /// One of those that were resolving is decided, or gone.
    mutating func endResolving(_ slot: IdentitySlot) {
        identities[slot].resolvingCount -= 1
        if identities[slot].resolvingCount == 0 { newcomers[slot] = nil }
    }

    /// When the youngest of those that are resolving was first heard; `nil` where none is.
    func latestNewcomer(of slot: IdentitySlot) -> Instant? {
        // Asked for with every report, so the dictionary is left alone while there is nothing in it.
        identities[slot].resolvingCount > 0 ? newcomers[slot]?.latest : nil
    }

    /// Whether the newcomers of an identity were not weighed for so long; if so, they are now.
    mutating func takesTurn(_ slot: IdentitySlot, after pause: TimeSpan, at now: Instant) -> Bool {
        guard let last = newcomers[slot]?.weighedAt, now < last + pause else {
            newcomers[slot]?.weighedAt = now
            return true
        }
        return false
    }
}
