/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// How many physical beacons are listed now: tracks, those still resolving left out.
    var listedTrackCount: Int {
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

    /// Newcomers refused because `max_transmitters` were listed already.
    var refusedCount: UInt64 { admission.refusedCount }

    /// What was new since `beginNewcomerWindow`.
    var newcomers: NewcomerCounts { newcomerCounter.counts }

    /// Counts newcomers from zero again.
    mutating func beginNewcomerWindow() { newcomerCounter.beginWindow() }
}

/// The rule of duplicates: two beacons of one identity that are both alive, a clone or a misconfiguration.
extension BeaconTracker {
    /// From when to when a track was heard, under whatever address.
    private struct Life {
        var began: Instant
        var lastHeard: Instant
    }

    /// The tracks beside which another track of the same identity is alive.
    ///
    /// Two are alive together where each was heard after the other had begun and both are still listed. A beacon that
    /// was replaced by another, or that changed its address, is none: the old address was never heard again.
    ///
    /// - Parameter slots: the listed transmitters of one identity. There may be thousands, in a flood, so they are not
    ///   compared with each other.
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
        // One that was heard only once can't have been heard after another began.
        let alive = lives.filter { $0.value.began < $0.value.lastHeard }
        guard alive.count > 1 else { return [] }
        let begins = alive.values.map(\.began).sorted()
        let ends = alive.values.map(\.lastHeard).sorted()
        return Set(
            alive.lazy.filter { _, life in
                // Those that began before it ended, less those that had ended when it began: itself, and who overlaps.
                Self.count(of: begins) { $0 < life.lastHeard } - Self.count(of: ends) { $0 <= life.began } > 1
            }.map(\.key))
    }

    /// How many of the ascending `instants` come before the first one that `isBefore` denies.
    private static func count(of instants: [Instant], where isBefore: (Instant) -> Bool) -> Int {
        var range = instants.startIndex..<instants.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBefore(instants[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
