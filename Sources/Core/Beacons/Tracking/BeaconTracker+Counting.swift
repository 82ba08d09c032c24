/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// The number of physical beacons on the list: tracks, without those still resolving.
    var listedTrackCount: Int {
        var count = 0
        // A track stays with its identity. So only the transmitters of an identity with several may share a track. That
        // saves a set of all tracks, with 30 octets for each.
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

    /// The newcomers refused because `max_transmitters` were listed already.
    var refusedCount: UInt64 { admission.refusedCount }

    /// The newcomers since `beginNewcomerWindow`.
    var newcomers: NewcomerCounts { newcomerCounter.counts }

    /// Resets the counts of newcomers.
    mutating func beginNewcomerWindow() { newcomerCounter.beginWindow() }
}

/// The rule of duplicates: two live beacons of one identity, a clone or a misconfiguration.
extension BeaconTracker {
    /// The time in which a track was heard, under all its addresses.
    private struct Life {
        var began: Instant
        var lastHeard: Instant
    }

    /// Returns the tracks that have another live track of their identity beside them.
    ///
    /// Two tracks are alive together where each was heard after the other had begun, and both are still listed. A
    /// beacon that was replaced, or that changed its address, is no duplicate: the old address was never heard again.
    ///
    /// - Parameter slots: the listed transmitters of one identity. A flood may bring thousands, so they are not
    ///   compared in pairs.
    func duplicateTracks(among slots: [TransmitterSlot]) -> Set<TrackID> {
        guard slots.count > 1 else { return [] }
        var lives: [TrackID: Life] = [:]
        for transmitter in slots.lazy.map({ table.transmitters[$0] }) where transmitter.standing != .resolving {
            var life = Life(began: transmitter.trackFirstHeard, lastHeard: transmitter.lastHeard)
            if let known = lives[transmitter.track] {
                life.began = min(life.began, known.began)
                life.lastHeard = max(life.lastHeard, known.lastHeard)
            }
            lives[transmitter.track] = life
        }
        // A track that was heard only once cannot have been heard after another began.
        let alive = lives.filter { $0.value.began < $0.value.lastHeard }
        guard alive.count > 1 else { return [] }
        let begins = alive.values.map(\.began).sorted()
        let ends = alive.values.map(\.lastHeard).sorted()
        return Set(
            alive.lazy.filter { _, life in
                // The tracks that began before this one ended, without those that had ended when it began. That leaves
                // this track and those that overlap it.
                Self.count(of: begins) { $0 < life.lastHeard } - Self.count(of: ends) { $0 <= life.began } > 1
            }.map(\.key))
    }

    /// Returns how many of the ascending `instants` come before the first one for which `isBefore` is false.
    private static func count(of instants: [Instant], where isBefore: (Instant) -> Bool) -> Int {
        var range = instants.startIndex..<instants.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBefore(instants[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// The invariants between the parts of a tracker, for tests and simulations. Checking them goes through everything.
extension BeaconTracker {
    /// The first broken invariant; `nil` where all hold.
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
    /// Returns the first broken invariant; `nil` where all hold.
    ///
    /// - Parameter used: the slots that hold transmitters.
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
    /// Checks that each transmitter has a valid timer. Returns the defect.
    fileprivate func brokenInvariant(_ used: Set<TransmitterSlot>, in table: TransmitterTable) -> String? {
        let watched = watched { table.transmitters[$0.subject].silenceDue == $0.due }
        return watched.isSuperset(of: used) ? nil : "the silence of a transmitter is never looked at"
    }
}
