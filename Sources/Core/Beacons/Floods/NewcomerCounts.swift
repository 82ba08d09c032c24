/// What was new in the air during one window of time, by what it could be a flood of. Nothing is decided by it, it only lets a
/// flood be named.
struct NewcomerCounts: Hashable, Sendable {
    /// Identities that had no transmitter, refused ones among them.
    var identities: UInt64 = 0
    /// Addresses of an identity that more transmitters carry than any real one does, refused ones among them.
    var crowdedAddresses: UInt64 = 0
    /// Addresses that may be those of known transmitters after a rotation.
    var rotations: UInt64 = 0

    init() {}

    /// The same with no identity among them.
    var withoutIdentities: NewcomerCounts {
        var others = self
        others.identities = 0
        return others
    }
}

/// Counts newcomers: those that found a place, and those that were refused, each of them once in a window.
struct NewcomerCounter: Sendable {
    private(set) var counts = NewcomerCounts()
    private var refused = DistinctNumbers()

    /// Counts from zero again.
    mutating func beginWindow() {
        counts = NewcomerCounts()
        refused.removeAll()
    }

    /// A new transmitter has its place and its standing.
    mutating func taken(_ slot: TransmitterSlot, isNewIdentity: Bool, in table: inout TransmitterTable) {
        if isNewIdentity {
            counts.identities &+= 1
        } else if table.identities[table.transmitters[slot].identitySlot].isFlooded {
            counts.crowdedAddresses &+= 1
        } else if table.transmitters[slot].standing == .resolving {
            counts.rotations &+= 1
        }
    }

    /// A newcomer finds no place. It is refused with every report.
    mutating func refused(_ sighting: Sighting, in table: inout TransmitterTable) {
        let identity = sighting.identity
        let number = identity.distinctNumber
        guard let known = table.existingIdentitySlot(identity) else {
            if refused.insert(number) { counts.identities &+= 1 }
            return
        }
        guard table.identities[known].isFlooded else { return }
        // An address has 48 bits and its type two.
        let address = sighting.address.bits << 8 | UInt64(sighting.address.type.rawValue)
        if refused.insert(number ^ address &* 0x1656_67B1_9E37_79F9) { counts.crowdedAddresses &+= 1 }
    }
}
