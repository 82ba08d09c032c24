/// One region instance of a monitor: what it is called, whose evidence counts, and how it stands.
package struct RegionInstance: Sendable {
    /// Whether subscribers know of it.
    enum Existence: Equatable, Sendable {
        /// It has a state and a record.
        case exists
        /// No beacon of it has satisfied the entry rule, or a limit refused the entry, last in that minute of `EntryBudget`.
        case pending(refusedInMinute: Int64?)
    }

    let id: RegionInstanceID
    let registration: RegistrationSlot
    /// Whose evidence counts, and on whose seen time its timer runs.
    let source: EvidenceSourceID
    /// Who is heard in it. Here and not in `RegionKindTables`, because every report asks for it; a kind without beacons has `nobody`.
    var beacons = BeaconStanding.nobody
    var existence = Existence.exists
    var standing: RegionStanding
    /// Seen time of the timer that is set; others in the queue are stale.
    var timerDue = Instant.distantFuture
    /// Where the transition that told subscribers stands in the caller's list, until the caller takes it.
    var announcement = 0

    package init(
        id: RegionInstanceID, registration: RegistrationSlot, source: EvidenceSourceID,
        notices: RegionStanding.Notices, at now: Instant
    ) {
        self.id = id
        self.registration = registration
        self.source = source
        self.standing = RegionStanding(notices: notices, at: now)
    }

    /// It is monitored no more. Nothing that goes through all slots finds anything to do here.
    mutating func end() {
        standing.end()
        beacons = .nobody
        timerDue = .distantFuture
    }
}

/// Names one region instance: the registered region, and what tells this instance from the others of that region.
package struct RegionInstanceID: Hashable, Sendable {
    /// What tells the instances of one region apart.
    package enum Discriminator: Hashable, Sendable {
        /// The region is not expanded: this is its only instance.
        case whole
        /// The beacons of one major.
        case major(UInt16)
        /// The beacons of one major and minor.
        case minor(major: UInt16, minor: UInt16)
    }

    /// The configured id.
    package var region: String
    var discriminator: Discriminator
    /// The zone of a store that it is about; `nil` for the whole of what is heard.
    package var zone: String?

    package init(region: String, _ discriminator: Discriminator = .whole, zone: String? = nil) {
        self.region = region
        self.discriminator = discriminator
        self.zone = zone
    }

    /// The same instance in one zone of the store, or in all of it.
    func inZone(_ zone: String?) -> RegionInstanceID {
        RegionInstanceID(region: region, discriminator, zone: zone)
    }

    /// `nil` unless the region is expanded by major or minor.
    package var major: UInt16? { discriminator.numbers.major }

    /// `nil` unless the region is expanded by minor.
    var minor: UInt16? { discriminator.numbers.minor }
}

extension RegionInstanceID.Discriminator {
    /// By the numbers as messages, topics and keys have them; `nil` for a minor without a major, which names nothing.
    init?(major: UInt16?, minor: UInt16?) {
        switch (major, minor) {
        case (nil, nil): self = .whole
        case (let major?, nil): self = .major(major)
        case (let major?, let minor?): self = .minor(major: major, minor: minor)
        case (nil, _?): return nil
        }
    }

    fileprivate var numbers: (major: UInt16?, minor: UInt16?) {
        switch self {
        case .whole: (nil, nil)
        case .major(let major): (major, nil)
        case .minor(let major, let minor): (major, minor)
        }
    }
}

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
