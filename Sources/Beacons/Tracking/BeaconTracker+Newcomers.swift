import HCI

/// Counting newcomers: nothing is decided by it, it only lets a flood be named.
extension BeaconTracker {
    /// Counts from zero again.
    public mutating func beginNewcomerWindow() {
        newcomers = NewcomerCounts()
        refusedNewcomers.removeAll()
    }

    /// A new transmitter has its place and its standing.
    mutating func countNewcomer(_ slot: TransmitterSlot, isNewIdentity: Bool) {
        let identity = table.transmitters[slot].identitySlot
        if isNewIdentity {
            newcomers.identities &+= 1
        } else if table.identities[identity].listedCount > Self.maxListedOfIdentity {
            newcomers.crowdedAddresses &+= 1
        } else if table.transmitters[slot].standing == .resolving {
            newcomers.rotations &+= 1
        }
    }

    /// A newcomer finds no place. It is refused with every report, and counts once in a window.
    mutating func countRefused(_ sighting: Sighting) {
        let identity = sighting.identity
        // Only has to differ where they do; an address has 48 bits and its type two.
        let number =
            identity.uuid.high ^ identity.uuid.low &* 0x9E37_79B9_7F4A_7C15
            &+ (UInt64(identity.major) << 16 | UInt64(identity.minor)) &* 0xC2B2_AE3D_27D4_EB4F
        guard let known = table.existingIdentitySlot(identity) else {
            if refusedNewcomers.insert(number) { newcomers.identities &+= 1 }
            return
        }
        guard table.identities[known].listedCount > Self.maxListedOfIdentity else { return }
        let address = sighting.address.bits << 8 | UInt64(sighting.address.type.rawValue)
        if refusedNewcomers.insert(number ^ address &* 0x1656_67B1_9E37_79F9) { newcomers.crowdedAddresses &+= 1 }
    }
}
