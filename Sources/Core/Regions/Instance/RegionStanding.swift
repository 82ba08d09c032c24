/// How a region stands: outside or inside, since when, and what subscribers were told.
///
/// It is the machine of Core Location's states, and knows no beacons and no radio. Whoever owns it turns what it perceives into one
/// of four kinds of evidence, which are methods here: something is inside, it was heard and holds until a time, it
/// is outside, nobody knows. Settling, crossings that are told, stays and their length, and what goes on after a restart
/// are the same for every kind of region, of one gateway and of a whole store.
package struct RegionStanding: Sendable {
    /// Whether something is in there, as far as evidence has shown; a blind source does not change it.
    package enum Occupancy: Equatable, Sendable {
        /// Monitoring has begun and it is not clear yet who was there before.
        case unsettled
        /// Subscribers may have been told `unknown` meanwhile.
        case outside(since: Instant)
        case inside(Presence)
    }

    /// Something is in there.
    package struct Presence: Equatable, Sendable {
        var enteredAt: Instant
        /// The last evidence that it is inside.
        var lastHeardAt: Instant
        /// Seen time at which it has left, unless it is heard again; `distantFuture` where only evidence of the outside ends it.
        var leavesAt: Instant
        var beginning: RegionStay.Beginning
        /// Read from the store and not heard since.
        var isRestored: Bool
    }

    /// Which crossings are told.
    package struct Notices: Equatable, Sendable {
        var onEntry: Bool
        var onExit: Bool
    }

    let notices: Notices
    private(set) var occupancy = Occupancy.unsettled
    /// What subscribers were told last, and since when it was so.
    private(set) var state = RegionState.unknown
    private(set) var since: Instant

    init(notices: Notices, at now: Instant) {
        self.notices = notices
        self.since = now
    }

    /// The stay under way; `nil` while nothing is known to be inside.
    var presence: Presence? {
        if case .inside(let presence) = occupancy { presence } else { nil }
    }

    /// Whether it is clear who was there as monitoring began.
    var isSettled: Bool { occupancy != .unsettled }

    /// What of it is to be told, and at what boundary.
    struct Change: Equatable, Sendable {
        var state: RegionState
        var since: Instant
        /// `nil` where nothing was crossed, or nobody wants to know.
        var crossing: RegionEvent.Kind?

        package init(state: RegionState, since: Instant, crossing: RegionEvent.Kind? = nil) {
            self.state = state
            self.since = since
            self.crossing = crossing
        }
    }
}

/// What evidence makes of a region. Each returns what is to be told; `nil` where nothing is.
extension RegionStanding {
    /// *Inside*: something is in there.
    ///
    /// Who is there before the region has settled was there already: that is no crossing.
    ///
    /// - Parameters:
    ///   - began: since when it is inside; it counts where that is new.
    ///   - leavesAt: seen time at which it has left unless it is heard again; where only evidence ends it, never.
    mutating func inside(since began: Instant, until leavesAt: Instant = .distantFuture, at now: Instant)
        -> Change?
    {
        if case .inside = occupancy { return heard(until: leavesAt, at: now) }
        let wasThere = occupancy == .unsettled
        let presence = Presence(
            enteredAt: began, lastHeardAt: now, leavesAt: leavesAt, beginning: wasThere ? .partial : .observed,
            isRestored: false)
        return become(
            .inside(presence), told: .inside, since: began, crossing: !wasThere && notices.onEntry ? .enter : nil)
    }

    /// *Heard until t*: what is inside was heard again and holds until a seen time.
    ///
    /// Heard again after its source was blind, and inside before: no crossing.
    mutating func heard(until leavesAt: Instant, at now: Instant) -> Change? {
        guard case .inside(var presence) = occupancy else { return nil }
        presence.lastHeardAt = now
        presence.leavesAt = leavesAt
        presence.isRestored = false
        // With nearly every report, so nothing else is touched.
        occupancy = .inside(presence)
        if state == .inside { return nil }
        return become(.inside(presence), told: .inside, since: presence.enteredAt)
    }

    /// It is inside, by evidence which is not enough to tell so: what is unknown stays unknown.
    mutating func perceived(at now: Instant) {
        guard case .inside(var presence) = occupancy else { return }
        presence.lastHeardAt = now
        presence.isRestored = false
        occupancy = .inside(presence)
    }

    /// It was inside earlier than was told: what shows that came later than what did.
    ///
    /// - Parameter beginning: how the earlier stay began.
    mutating func began(at instant: Instant, _ beginning: RegionStay.Beginning) {
        guard case .inside(var presence) = occupancy, instant < presence.enteredAt else { return }
        presence.enteredAt = instant
        presence.beginning = beginning
        occupancy = .inside(presence)
    }

    /// *As before*: its source was blind, and nothing speaks for a crossing since. Subscribers are told again what it was.
    mutating func known(at now: Instant) -> Change? {
        guard state == .unknown else { return nil }
        switch occupancy {
        case .unsettled: return nil
        case .outside: return become(occupancy, told: .outside, since: now)
        case .inside(let presence): return become(occupancy, told: .inside, since: presence.enteredAt)
        }
    }

    /// *Outside*: nothing is in there. What was inside has left; what had not settled was empty from the start.
    mutating func outside(at now: Instant) -> Change? {
        switch occupancy {
        case .inside(let presence):
            let stay = RegionStay(
                enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                ending: presence.isRestored ? .inferred : .observed)
            return become(
                .outside(since: now), told: .outside, since: now, crossing: notices.onExit ? .exit(stay) : nil)
        case .unsettled:
            return become(.outside(since: now), told: .outside, since: now)
        case .outside:
            return state == .outside ? nil : become(occupancy, told: .outside, since: now)
        }
    }

    /// *Unknown*: its source is blind for so long that nobody can say any more who is there. That is no crossing.
    mutating func unknown(at now: Instant) -> Change? {
        state == .unknown ? nil : become(occupancy, told: .unknown, since: now)
    }

    // MARK: - The beginning and the end

    /// A new region: unsettled while its region is, else nothing was there and it is outside. Where the source is blind there
    /// is no state to tell until it has shown one.
    mutating func begin(isSettling: Bool, isBlind: Bool, at now: Instant) -> Change {
        if isSettling { return become(.unsettled, told: .unknown, since: now) }
        return become(.outside(since: now), told: isBlind ? .unknown : .outside, since: now)
    }

    /// Goes on outside, as an earlier process left it.
    mutating func restore(outsideSince since: Instant) -> Change {
        become(.outside(since: since), told: .outside, since: since)
    }

    /// Goes on with a stay of an earlier process. Whoever left while nobody listened gets the same time to be heard again as
    /// anyone.
    mutating func restore(_ stay: RegionRecord.OpenStay, until leavesAt: Instant) -> Change {
        let presence = Presence(
            enteredAt: stay.enteredAt, lastHeardAt: stay.lastHeardAt, leavesAt: leavesAt, beginning: stay.beginning,
            isRestored: true)
        return become(.inside(presence), told: .inside, since: stay.enteredAt)
    }

    /// It is monitored no more. Nothing that goes through all slots finds anything to do here.
    mutating func end() {
        _ = become(.unsettled, told: .unknown, since: since)
    }

    /// The one place in which what is told changes.
    private mutating func become(
        _ occupancy: Occupancy, told state: RegionState, since: Instant, crossing: RegionEvent.Kind? = nil
    ) -> Change {
        self.occupancy = occupancy
        self.state = state
        self.since = since
        return Change(state: state, since: since, crossing: crossing)
    }
}
