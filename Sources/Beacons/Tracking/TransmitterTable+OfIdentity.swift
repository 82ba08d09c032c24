import HCI

/// The transmitters of one identity, linked through themselves. Those that are listed come first, so that what is asked of
/// them passes over none of those that are only remembered, of which a flood may leave thousands.
extension TransmitterTable {
    /// The slots of an identity's transmitters.
    func slots(of identity: IdentitySlot) -> [TransmitterSlot] {
        var slots: [TransmitterSlot] = []
        var next = identities[identity].first
        while let slot = next {
            slots.append(slot)
            next = transmitters[slot].nextOfIdentity
        }
        return slots
    }

    /// The slots of those that are listed.
    func listedSlots(of identity: IdentitySlot) -> [TransmitterSlot] {
        var slots: [TransmitterSlot] = []
        var next = identities[identity].first
        while let slot = next, transmitters[slot].isListed {
            slots.append(slot)
            next = transmitters[slot].nextOfIdentity
        }
        return slots
    }

    mutating func linkFirst(_ slot: TransmitterSlot) {
        let identity = transmitters[slot].identitySlot
        let next = identities[identity].first
        transmitters[slot].previousOfIdentity = nil
        transmitters[slot].nextOfIdentity = next
        if let next { transmitters[next].previousOfIdentity = slot } else { identities[identity].last = slot }
        identities[identity].first = slot
    }

    mutating func linkLast(_ slot: TransmitterSlot) {
        let identity = transmitters[slot].identitySlot
        let previous = identities[identity].last
        transmitters[slot].previousOfIdentity = previous
        transmitters[slot].nextOfIdentity = nil
        if let previous { transmitters[previous].nextOfIdentity = slot } else { identities[identity].first = slot }
        identities[identity].last = slot
    }

    mutating func unlink(_ slot: TransmitterSlot) {
        let identity = transmitters[slot].identitySlot
        let (previous, next) = (transmitters[slot].previousOfIdentity, transmitters[slot].nextOfIdentity)
        if let previous { transmitters[previous].nextOfIdentity = next } else { identities[identity].first = next }
        if let next { transmitters[next].previousOfIdentity = previous } else { identities[identity].last = previous }
    }
}
