/// One region instance of a monitor: its id, its source of evidence and its state.
struct RegionInstance: Sendable {
    /// The existence of an instance for subscribers.
    enum Existence: Equatable, Sendable {
        /// The instance has a state and a record.
        case exists
        /// No beacon of it has satisfied the entry rule, or a limit refused the entry, last in that minute of
        /// `EntryBudget`.
        case pending(refusedInMinute: Int64?)
    }

    let id: RegionInstanceID
    let registration: RegistrationSlot
    /// The source of its evidence, on whose seen time its timer runs.
    let source: EvidenceSourceID
    /// The beacons inside. Stored here and not in `RegionKindTables`, because every report asks for them. A kind
    /// without beacons has `nobody`.
    private(set) var beacons = BeaconState.nobody
    private(set) var existence: Existence
    /// The state. Its methods take the evidence.
    var machine: RegionStateMachine
    /// The seen time of the valid timer; others in the queue are stale.
    private(set) var timerDue = Instant.distantFuture
    /// The index of its announced transition in the caller's list, until the caller takes it.
    private(set) var announcement = 0

    init(
        id: RegionInstanceID, registration: RegistrationSlot, source: EvidenceSourceID,
        notices: RegionStateMachine.Notices, _ existence: Existence = .exists, at now: Instant
    ) {
        self.id = id
        self.registration = registration
        self.source = source
        self.existence = existence
        self.machine = RegionStateMachine(notices: notices, at: now)
    }

    /// Sets the timer; `distantFuture` ends it.
    mutating func setTimer(dueAtSeenTime due: Instant) { timerDue = due }

    /// Takes the place of its latest transition in the caller's list.
    mutating func announced(as index: Int) { announcement = index }

    /// Makes the instance pending: it has no state any more, or not yet.
    mutating func becomePending(refusedInMinute minute: Int64? = nil) { existence = .pending(refusedInMinute: minute) }

    mutating func becomeExisting() { existence = .exists }

    /// Takes the beacons that are inside, or about to be; `nobody` where the last one has left.
    mutating func hold(_ beacons: BeaconState) { self.beacons = beacons }

    /// Returns whether it exists and has been outside since that instant.
    func isOutside(since instant: Instant) -> Bool {
        existence == .exists && machine.occupancy == .outside(since: instant)
    }

    /// Ends the state of an instance that is pending from now on.
    mutating func endState() {
        machine.end()
        timerDue = .distantFuture
    }

    /// Ends the monitoring. An iteration over all slots then finds nothing to do here.
    mutating func end() {
        endState()
        beacons = .nobody
    }

    /// Takes a report in a region that is inside. One function, because nearly every report calls it.
    ///
    /// - Returns: the change to announce, and the seen time of the timer to set, if any.
    mutating func heard(
        _ evidence: BeaconEvidence, _ rules: BeaconRules, seen: Instant, at now: Instant
    ) -> (change: RegionStateMachine.Change?, timer: Instant?) {
        guard evidence.qualifies(rules.exitRSSI_dbm), case .present(var present) = beacons,
            case .inside(let stay) = machine.occupancy
        else { return (nil, nil) }
        let patience = evidence.patience.leaving(exitAfter: rules.exitAfter)
        var leavesAt = seen + max(rules.exitAfter, patience)
        // The beacon that may be silent longest decides the time of leaving. Its own reports move that time in both
        // directions.
        if leavesAt >= stay.leavesAt || present.holder == evidence.transmitter || stay.isRestored {
            present.holder = evidence.transmitter
            present.patience = patience
        } else {
            leavesAt = stay.leavesAt
        }
        present.level = evidence.level
        beacons = .present(present)
        return (machine.heard(until: leavesAt, at: now), leavesAt < timerDue ? leavesAt : nil)
    }
}

/// The id of a region instance: the registered region, and the discriminator among that region's instances.
package struct RegionInstanceID: Hashable, Sendable {
    /// The part of an id that distinguishes the instances of one region.
    package enum Discriminator: Hashable, Sendable {
        /// The region is not expanded: this is its only instance.
        case whole
        /// The beacons of one major.
        case major(UInt16)
        case minor(major: UInt16, minor: UInt16)
    }

    /// The configured id.
    package var region: String
    var discriminator: Discriminator
    /// The zone of a store; `nil` for the whole region.
    package var zone: String?

    package init(region: String, _ discriminator: Discriminator = .whole, zone: String? = nil) {
        self.region = region
        self.discriminator = discriminator
        self.zone = zone
    }

    /// Returns the id of this instance in a zone of the store, or in the whole of it.
    func inZone(_ zone: String?) -> RegionInstanceID { RegionInstanceID(region: region, discriminator, zone: zone) }

    /// The major; `nil` unless the region is expanded by major or minor.
    package var major: UInt16? { discriminator.numbers.major }

    /// The minor; `nil` unless the region is expanded by minor.
    var minor: UInt16? { discriminator.numbers.minor }
}

extension RegionInstanceID.Discriminator {
    /// Makes a discriminator of the numbers in messages, topics and keys. Returns `nil` for a minor without a major.
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

/// The stored state of one region instance, which outlives the process. An unsettled instance has none.
package struct RegionRecord: Hashable, Sendable {
    package enum Occupancy: Hashable, Sendable {
        case outside(since: Instant)
        case inside(OpenStay)
    }

    /// A stay that has not ended.
    package struct OpenStay: Hashable, Sendable {
        var enteredAt: Instant
        /// The last evidence that kept the region inside.
        var lastHeardAt: Instant
        var beginning: RegionStay.Beginning = .observed
        /// The beacons that keep the region inside; `nil` for a circle, which has none.
        var keeper: BeaconKeeper?
        var notifiesOnExit: Bool = true
    }

    package var instance: RegionInstanceID
    var kind: Kind
    var occupancy: Occupancy

    package init(instance: RegionInstanceID, _ kind: Kind, _ occupancy: Occupancy) {
        self.instance = instance
        self.kind = kind
        self.occupancy = occupancy
    }

    /// The stay that has not ended; `nil` while outside.
    var stay: OpenStay? {
        if case .inside(let stay) = occupancy { stay } else { nil }
    }

    var isInside: Bool { stay != nil }

    /// The last stored evidence: the process still ran at that time.
    package var lastHeardAt: Instant {
        switch occupancy {
        case .outside(let since): since
        case .inside(let stay): stay.lastHeardAt
        }
    }
}

extension RegionRecord {
    /// Returns the record, moved so that no time is later than `now`.
    ///
    /// Wall times outlive a boot, and so does clock skew. Where the clock was set back or has lost its battery, the
    /// stored times lie in the future. The skew is unknown, so all times move by as much as brings the last one to
    /// `now`. Durations stay as they were, and the time without the agent is not counted.
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

/// The rule of ending. A stay in a region that is not monitored any more has to end for subscribers too. Otherwise
/// their visit would stay open for ever.
extension RegionRecord {
    /// Returns the exit that ends the stay in a region that is not monitored any more. No boundary was crossed, so
    /// nothing is inferred: the stay is as long as it was watched.
    ///
    /// - Parameter now: the time of day. If the clock was set back before a boot, stored times may be in the future.
    ///   The stay then moves as a whole.
    /// - Returns: `nil` where the region is outside or its exits make no events. Also `nil` for a record of a version
    ///   that did not store the beacons of the region.
    package func unmonitoredExit(at now: Instant) -> RegionEvent? {
        guard case .inside(let stay) = moved(notAfter: now).occupancy, stay.notifiesOnExit else { return nil }
        let ended = RegionStay(
            enteredAt: min(stay.enteredAt, stay.lastHeardAt), lastHeardAt: stay.lastHeardAt, beginning: stay.beginning,
            ending: .unmonitored)
        return kind.exitCause(stay.keeper).map { RegionEvent(.exit(ended), by: $0) }
    }
}

/// A crossing of a region's boundary, and its cause.
package struct RegionEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case enter
        case exit(RegionStay)
    }

    var kind: Kind
    var cause: Cause
    /// The gateway's place; `nil` where it is not known.
    package var location: EventLocation?
    /// The gateway whose message decided it, in a store's event; `nil` in a gateway's own event.
    package var gateway: String?

    init(_ kind: Kind, by cause: Cause, location: EventLocation? = nil, gateway: String? = nil) {
        self.kind = kind
        self.cause = cause
        self.location = location
        self.gateway = gateway
    }

    /// The stay of a store's exit that became known late; `nil` for any other event.
    package var lateStay: RegionStay? {
        if case .exit(let stay) = kind, stay.isLate { stay } else { nil }
    }
}

/// The gateway's place at the time of an event: the last used fix.
package struct EventLocation: Hashable, Sendable {
    /// The age beyond which a fix does not describe an event.
    static let maxAge = TimeSpan.seconds(3_600)

    var coordinate: Coordinate
    /// The radius that contains the true place two times out of three. Metres.
    var horizontalAccuracy_m: Double
    /// The time from the fix to the event.
    var age: TimeSpan
}

/// The stay that an exit ends.
package struct RegionStay: Hashable, Sendable {
    enum Beginning: Hashable, Sendable {
        case observed
        /// The stay had begun before monitoring did, so it is longer than known.
        case partial
    }

    /// The knowledge about the end of a stay.
    enum Ending: Hashable, Sendable {
        /// The source watched until the exit.
        case observed
        /// No report came since the start of the agent: the stay ended while the agent was not running.
        case inferred
        /// No exit happened: the region is not monitored any more.
        case unmonitored
    }

    /// The entry; for a beacon that was there before monitoring began, its first report.
    var enteredAt: Instant
    /// The last evidence that kept the region inside.
    var lastHeardAt: Instant
    var beginning: Beginning = .observed
    var ending: Ending = .observed
    /// True if a store learned of the visit after the store had published a later visit. Then no entry was published.
    var isLate: Bool = false

    /// The time from the entry to the last evidence; never negative.
    var dwell: TimeSpan { max(.zero, lastHeardAt - enteredAt) }
}

/// Core Location's states of a region.
enum RegionState: String, Sendable, CaseIterable {
    case unknown
    case inside
    case outside
}

/// A change of a region's state. The state and its event, if there is one, belong together and must be stored together.
package struct RegionTransition: Hashable, Sendable {
    package var instance: RegionInstanceID
    var state: RegionState
    /// The time from which the region is in this state.
    var since: Instant
    /// The time of the change.
    package var at: Instant
    /// The crossing that made the change. `nil` where no boundary was crossed: as monitoring begins, or as the radio
    /// goes blind and sees again.
    package var event: RegionEvent?
    package var detail: RegionDetail = .beacon
}
