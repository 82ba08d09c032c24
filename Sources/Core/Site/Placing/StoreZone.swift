/// A zone of a region of the store: inside while any beacon of the region is in the zone.
struct StoreZone: StoreInstance {
    let id: RegionInstanceID
    /// The region that it is a zone of.
    let region: StoreRegionSlot
    var standing: RegionStanding
    /// When an entry or an exit was told last: nothing that is told later is older.
    var toldAt = Instant.origin
    /// How many beacons of the region are there.
    var members = 0
    /// Of the beacon that was there last.
    var cause: StoreRegion.Cause?

    init(_ id: RegionInstanceID, of region: StoreRegionSlot, at now: Instant) {
        self.id = id
        self.region = region
        standing = RegionStanding(notices: RegionStanding.Notices(onEntry: true, onExit: true), at: now)
        // Nobody has heard of it before, so it was empty.
        _ = standing.begin(isSettling: false, isBlind: false, at: now)
    }

    /// Whether somebody is told to be there, by an earlier process, and nobody was found there since.
    var isDeserted: Bool { members == 0 && standing.presence != nil }

    /// A beacon is there.
    ///
    /// - Parameter wasThere: nobody has seen it come, so it is no crossing.
    mutating func enter(since: Instant, wasThere: Bool, at now: Instant) -> RegionStanding.Change? {
        members += 1
        if standing.presence != nil { return standing.heard(until: .distantFuture, at: now) }
        if wasThere { _ = standing.begin(isSettling: true, isBlind: false, at: now) }
        return standing.inside(since: since, at: now)
    }

    /// A beacon was there until then.
    mutating func leave(until last: Instant, at now: Instant) -> RegionStanding.Change? {
        members = max(0, members - 1)
        return members == 0 ? empty(until: last, at: now) : nil
    }

    /// Nobody is there any more.
    mutating func empty(until last: Instant, at now: Instant) -> RegionStanding.Change? {
        members = 0
        if let presence = standing.presence, !presence.isRestored {
            standing.perceived(at: max(presence.enteredAt, min(last, now)))
        }
        return standing.outside(at: max(now, standing.presence?.enteredAt ?? standing.since))
    }
}
