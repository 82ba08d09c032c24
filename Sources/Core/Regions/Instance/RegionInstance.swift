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
