/// What outlives the process of one region instance. One that had not settled has nothing to restore.
package struct RegionRecord: Hashable, Sendable {
    package enum Occupancy: Hashable, Sendable {
        case outside(since: Instant)
        case inside(OpenStay)
    }

    /// A stay that is under way.
    package struct OpenStay: Hashable, Sendable {
        var enteredAt: Instant
        /// The last evidence that kept the region inside.
        var lastHeardAt: Instant
        var beginning: RegionStay.Beginning
        /// The beacons that keep the region inside; `nil` where the gateway itself does, of which there is nothing to store.
        var keeper: BeaconKeeper?
        /// Whether the end of the stay is told.
        var notifiesOnExit: Bool

        init(
            enteredAt: Instant, lastHeardAt: Instant, beginning: RegionStay.Beginning = .observed,
            keeper: BeaconKeeper?, notifiesOnExit: Bool = true
        ) {
            self.enteredAt = enteredAt
            self.lastHeardAt = lastHeardAt
            self.beginning = beginning
            self.keeper = keeper
            self.notifiesOnExit = notifiesOnExit
        }
    }

    package var instance: RegionInstanceID
    var kind: Kind
    var occupancy: Occupancy

    package init(instance: RegionInstanceID, _ kind: Kind, _ occupancy: Occupancy) {
        self.instance = instance
        self.kind = kind
        self.occupancy = occupancy
    }

    /// The stay under way; `nil` while outside.
    var stay: OpenStay? {
        if case .inside(let stay) = occupancy { stay } else { nil }
    }

    var isInside: Bool { stay != nil }

    /// The last evidence that is stored with it: the process still ran then.
    package var lastHeardAt: Instant {
        switch occupancy {
        case .outside(let since): since
        case .inside(let stay): stay.lastHeardAt
        }
    }
}

extension RegionRecord {
    /// The same, with nothing of it later than `now`.
    ///
    /// Times of day outlive a boot, and so does a clock that was wrong: where it was set back meanwhile, or has lost its
    /// battery, what was stored lies in the future. By how much it is off nobody knows, so everything moves by as much as
    /// brings the last of it to `now`. Lengths stay what they were, and of the time nobody listened nothing is counted.
    func moved(notAfter now: Instant) -> RegionRecord {
        let latest = max(stay?.enteredAt ?? lastHeardAt, lastHeardAt)
        guard latest > now else { return self }
        let ahead = latest - now
        var moved = self
        switch occupancy {
        case .outside(let since):
            moved.occupancy = .outside(since: since - ahead)
        case .inside(var stay):
            stay.enteredAt = stay.enteredAt - ahead
            stay.lastHeardAt = stay.lastHeardAt - ahead
            moved.occupancy = .inside(stay)
        }
        return moved
    }
}

/// The rule of ending: a stay that nobody watches any more is over for subscribers too, or their visit stays open for ever.
extension RegionRecord {
    /// The exit that ends the stay under way where the region is monitored no more. It is no crossing, so nothing is inferred:
    /// the stay is told as long as it was watched.
    ///
    /// - Parameter now: a clock that was set back before a boot may have left times that are still to come. The stay then moves as
    ///   a whole.
    /// - Returns: `nil` where nobody is inside or nobody wants to know of exits, and for a record of a version that did not store
    ///   which beacons it is about.
    package func unmonitoredExit(at now: Instant) -> RegionEvent? {
        guard case .inside(let stay) = moved(notAfter: now).occupancy, stay.notifiesOnExit else { return nil }
        let ended = RegionStay(
            enteredAt: min(stay.enteredAt, stay.lastHeardAt), lastHeardAt: stay.lastHeardAt, beginning: stay.beginning,
            ending: .unmonitored)
        return kind.exitCause(stay.keeper).map { RegionEvent(.exit(ended), by: $0) }
    }
}
