/// One region instance of a monitor: what it is called, whose evidence counts, and how it stands.
package struct RegionInstance: Sendable {
    /// What an instance has beside, by the kind of its region. A kind that leaves by positive evidence keeps here since when
    /// that has come.
    package enum Kind: Equatable, Sendable {
        case beacon(BeaconStanding)
        /// How it stands is in the `WatchedCircles`: there are many circles, and few of them have anything to keep.
        case circle
    }

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
    var kind: Kind
    var existence = Existence.exists
    var standing: RegionStanding
    /// Seen time of the timer that is set; others in the queue are stale.
    var timerDue = Instant.distantFuture
    /// Where the transition that told subscribers stands in the caller's list, until the caller takes it.
    var announcement = 0

    package init(
        id: RegionInstanceID, registration: RegistrationSlot, source: EvidenceSourceID,
        notices: RegionStanding.Notices, kind: Kind, at now: Instant
    ) {
        self.id = id
        self.registration = registration
        self.source = source
        self.kind = kind
        self.standing = RegionStanding(notices: notices, at: now)
    }

    /// It is monitored no more. Nothing that goes through all slots finds anything to do here.
    mutating func end() {
        standing.end()
        kind.clear()
        timerDue = .distantFuture
    }
}
