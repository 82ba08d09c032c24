/// What holds between the parts of a tracker at any time, for tests and simulations: to find it out goes through everything.
extension BeaconTracker {
    /// What does not hold; `nil` where all is well.
    var brokenInvariant: String? {
        let used = Set(table.usedSlots)
        return table.brokenInvariant(used) ?? brokenAdmission(used) ?? presence.brokenInvariant(used, in: table)
            ?? rotation.brokenInvariant(used, in: table)
    }

    private func brokenAdmission(_ used: Set<TransmitterSlot>) -> String? {
        let (gone, unwanted, wanted) = admission.givingWay(in: table)
        if gone.count + unwanted.count + wanted.count > used.count {
            return "a transmitter is twice among those that give way"
        }
        if Set(gone) != used.filter({ !table.transmitters[$0].isListed }) {
            return "others are off the list than give way"
        }
        let listed = used.filter { table.transmitters[$0].isListed }
        guard Set(unwanted) == listed.filter({ table.transmitters[$0].interest == .none }) else {
            return "others are unwanted than give way"
        }
        return Set(wanted) == listed.filter { table.transmitters[$0].interest == .wanted }
            ? nil : "others are wanted without an instance than give way"
    }
}

extension TransmitterTable {
    /// What does not hold; `nil` where all is well.
    ///
    /// - Parameter used: the slots that stand for transmitters.
    fileprivate func brokenInvariant(_ used: Set<TransmitterSlot>) -> String? {
        guard transmitters.isSound, identities.isSound else { return "a slot is free twice" }
        guard used.count == count, count == transmitters.count, used.isDisjoint(with: transmitters.freeSlots) else {
            return "slots are in use that are free"
        }
        for slot in used where self.slot(transmitters[slot].identity, transmitters[slot].address) != slot {
            return "a transmitter is not found under its address"
        }
        if used.count(where: { transmitters[$0].presence == .heard }) != heardCount {
            return "others are heard than counted"
        }
        var members = 0
        for identity in Set(identities.slots).subtracting(identities.freeSlots) {
            members += slots(of: identity).count
            if let broken = brokenInvariant(of: identity, used) { return broken }
        }
        return members == count ? nil : "a transmitter stands with no identity"
    }

    private func brokenInvariant(of identity: IdentitySlot, _ used: Set<TransmitterSlot>) -> String? {
        let members = slots(of: identity)
        let listed = members.filter { transmitters[$0].isListed }
        guard let value = value(of: identity), existingIdentitySlot(value) == identity,
            members.allSatisfy({ used.contains($0) && transmitters[$0].identitySlot == identity }),
            members.allSatisfy({ transmitters[$0].identity == value })
        else { return "a transmitter stands with another identity" }
        if listedSlots(of: identity) != listed || Int(identities[identity].listedCount) != listed.count {
            return "not all that are listed stand in front, or are counted"
        }
        let resolving = members.count { transmitters[$0].standing == .resolving }
        return Int(identities[identity].resolvingCount) == resolving ? nil : "others are resolving than counted"
    }
}

extension Presence {
    /// Whether the silence of each transmitter is looked at some time; what is wrong if not.
    fileprivate func brokenInvariant(_ used: Set<TransmitterSlot>, in table: TransmitterTable) -> String? {
        let watched = watched { table.transmitters[$0.subject].silenceDue == $0.due }
        return watched.isSuperset(of: used) ? nil : "the silence of a transmitter is never looked at"
    }
}
