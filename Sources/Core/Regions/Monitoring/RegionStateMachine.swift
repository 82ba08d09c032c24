/// The state of a region: outside or inside, since when, and what was published to subscribers.
///
/// This is the state machine of Core Location's states, without beacons or radios. Its owner turns perceptions into
/// four kinds of evidence, which are methods here: inside, heard until a time, outside, unknown. Settling, crossings,
/// stays and the restart are the same for every kind of region, for a gateway and for a store.
struct RegionStateMachine: Sendable {
    /// The occupancy of the region according to the evidence. Blindness of the source does not change it.
    enum Occupancy: Equatable, Sendable {
        /// Monitoring has begun, and the initial state is not decided yet.
        case unsettled
        /// Outside; subscribers may have got `unknown` meanwhile.
        case outside(since: Instant)
        case inside(Presence)
    }

    /// The stay of a region that is inside.
    struct Presence: Equatable, Sendable {
        var enteredAt: Instant
        /// The last evidence that it is inside.
        var lastHeardAt: Instant
        /// The seen time at which it is left unless evidence comes; `distantFuture` where only evidence of the outside
        /// ends it.
        var leavesAt: Instant
        var beginning: RegionStay.Beginning
        /// True if it was restored from the store without evidence since.
        var isRestored: Bool
    }

    /// The crossings that make events.
    struct Notices: Equatable, Sendable {
        var onEntry: Bool
        var onExit: Bool
    }

    let notices: Notices
    private(set) var occupancy = Occupancy.unsettled
    /// The state that was published last, and the time from which it held.
    private(set) var state = RegionState.unknown
    private(set) var since: Instant

    init(notices: Notices, at now: Instant) {
        self.notices = notices
        self.since = now
    }

    /// The stay that has not ended; `nil` while the region is not known to be inside.
    var presence: Presence? {
        if case .inside(let presence) = occupancy { presence } else { nil }
    }

    /// Returns whether it is inside since that time or earlier, and its entry was observed.
    func hasObservedEntry(by instant: Instant) -> Bool {
        presence.map { $0.beginning == .observed && $0.enteredAt <= instant } ?? false
    }

    /// True if the initial state is decided.
    var isSettled: Bool { occupancy != .unsettled }

    /// A change to announce to subscribers.
    struct Change: Equatable, Sendable {
        var state: RegionState
        var since: Instant
        /// The crossing; `nil` where no boundary was crossed, or its event is not wanted.
        var crossing: RegionEvent.Kind?
    }
}

/// The effect of evidence on a region. Each method returns the change to announce; `nil` where there is none.
extension RegionStateMachine {
    /// *Inside*: evidence that the region is inside.
    ///
    /// Before the region has settled, that is no crossing: the beacon or the gateway was there already.
    ///
    /// - Parameters:
    /// - began: the time since which it is inside. It counts only where the region was not inside before.
    /// - leavesAt: the seen time at which it is left unless evidence comes; never where only evidence ends it.
    mutating func inside(since began: Instant, until leavesAt: Instant = .distantFuture, at now: Instant)
        -> Change?
    {
        if case .inside = occupancy { return heard(until: leavesAt, at: now) }
        let wasThere = occupancy == .unsettled
        let presence = Presence(
            enteredAt: began, lastHeardAt: now, leavesAt: leavesAt, beginning: wasThere ? .partial : .observed,
            isRestored: false)
        return become(
            .inside(presence), state: .inside, since: began, crossing: !wasThere && notices.onEntry ? .enter : nil)
    }

    /// *Heard until t*: evidence that holds until a seen time.
    ///
    /// After a blindness of its source, and inside before, that is no crossing.
    mutating func heard(until leavesAt: Instant, at now: Instant) -> Change? {
        guard case .inside(var presence) = occupancy else { return nil }
        presence.lastHeardAt = now
        presence.leavesAt = leavesAt
        presence.isRestored = false
        // This runs with nearly every report, so nothing else is touched.
        occupancy = .inside(presence)
        if state == .inside { return nil }
        return become(.inside(presence), state: .inside, since: presence.enteredAt)
    }

    /// Takes evidence of the inside that is not enough to announce: an unknown state stays unknown.
    mutating func perceived(at now: Instant) {
        guard case .inside(var presence) = occupancy else { return }
        presence.lastHeardAt = now
        presence.isRestored = false
        occupancy = .inside(presence)
    }

    /// Moves the entry back, because earlier evidence arrived late.
    ///
    /// - Parameter beginning: the beginning of the earlier stay; `partial` also for a stay that began at the known time.
    mutating func began(at instant: Instant, _ beginning: RegionStay.Beginning) {
        guard case .inside(var presence) = occupancy else { return }
        guard instant < presence.enteredAt || (instant == presence.enteredAt && beginning == .partial) else { return }
        presence.enteredAt = instant
        presence.beginning = beginning
        occupancy = .inside(presence)
    }

    /// *As before*: the source was blind, and there is no evidence of a crossing since. The earlier state is announced
    /// again.
    mutating func known(at now: Instant) -> Change? {
        guard state == .unknown else { return nil }
        switch occupancy {
        case .unsettled: return nil
        case .outside: return become(occupancy, state: .outside, since: now)
        case .inside(let presence): return become(occupancy, state: .inside, since: presence.enteredAt)
        }
    }

    /// *Outside*: evidence that the region is outside. An inside region is left; an unsettled one was outside from the
    /// start.
    mutating func outside(at now: Instant) -> Change? {
        switch occupancy {
        case .inside(let presence):
            let stay = RegionStay(
                enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                ending: presence.isRestored ? .inferred : .observed)
            return become(
                .outside(since: now), state: .outside, since: now, crossing: notices.onExit ? .exit(stay) : nil)
        case .unsettled:
            return become(.outside(since: now), state: .outside, since: now)
        case .outside:
            return state == .outside ? nil : become(occupancy, state: .outside, since: now)
        }
    }

    /// *Unknown*: the source has been blind for so long that the state is unknown. That is no crossing.
    mutating func unknown(at now: Instant) -> Change? {
        state == .unknown ? nil : become(occupancy, state: .unknown, since: now)
    }

    // MARK: - Begin and end

    /// Begins a new instance: unsettled while its region is, otherwise outside. While the source is blind, the state is
    /// unknown.
    mutating func begin(isSettling: Bool, isBlind: Bool, at now: Instant) -> Change {
        if isSettling { return become(.unsettled, state: .unknown, since: now) }
        return become(.outside(since: now), state: isBlind ? .unknown : .outside, since: now)
    }

    /// Restores an instance that an earlier process left outside.
    mutating func restore(outsideSince since: Instant) -> Change {
        become(.outside(since: since), state: .outside, since: since)
    }

    /// Restores the stay of an earlier process. A beacon that left while the agent was not running gets the usual time
    /// to be heard again.
    mutating func restore(_ stay: RegionRecord.OpenStay, until leavesAt: Instant) -> Change {
        let presence = Presence(
            enteredAt: stay.enteredAt, lastHeardAt: stay.lastHeardAt, leavesAt: leavesAt, beginning: stay.beginning,
            isRestored: true)
        return become(.inside(presence), state: .inside, since: stay.enteredAt)
    }

    /// Ends the monitoring. An iteration over all slots then finds nothing to do here.
    mutating func end() { _ = become(.unsettled, state: .unknown, since: since) }

    /// Changes the announced state. All changes go through here.
    private mutating func become(
        _ occupancy: Occupancy, state: RegionState, since: Instant, crossing: RegionEvent.Kind? = nil
    ) -> Change {
        self.occupancy = occupancy
        self.state = state
        self.since = since
        return Change(state: state, since: since, crossing: crossing)
    }
}
