/// The rules of rotation: they keep one track for one beacon when its address changes.
///
/// A new private address of a known identity is *resolving*: listed, not counted. Its predecessor is a transmitter with
/// a private address that fell silent before the newcomer was first heard. Once the predecessor is silent for
/// `unknown_after_s`, the newcomer takes over its track and its filters. If the predecessor is heard again, they are
/// two beacons.
///
/// `Rotation` numbers the tracks, and owns the newcomers and the evidence for rotations. `BeaconTracker` calls it.
struct Rotation: Sendable {
    /// A newcomer and its predecessor.
    struct Succession: Sendable {
        var newcomer: TransmitterSlot
        var predecessor: TransmitterSlot
    }

    /// The most newcomers of one identity that are weighed. A further one gets a track of its own at once.
    private static let maxResolvingOfIdentity = 64
    /// The time between weighings of a crowd of newcomers.
    private static let crowdedPause = TimeSpan.milliseconds(100)
    /// The score, in nats, below which a newcomer is not waited for any longer.
    private static let hopeless = -4.0

    private let unknownAfter: TimeSpan
    private let resolveAfter: TimeSpan
    private(set) var newcomers = ResolvingNewcomers()
    private var traces = SlotTable<TraceSlot, RotationTrace>()
    private var lastTrack: TrackID = 0
    private var lastTrackOfPeople: TrackID = 1 << 62
    /// The tracks counted so far, without the provisional ones that were taken over.
    private(set) var trackCount: UInt64 = 0

    init(_ settings: TrackerSettings) {
        unknownAfter = settings.unknownAfter
        resolveAfter = settings.resolveAfter
    }

    /// Returns a track number that was never used before. People have numbers of their own, so that the others show no gap.
    mutating func newTrack(for interest: RegionInterest) -> TrackID {
        if interest == .counted {
            lastTrackOfPeople += 1
            return lastTrackOfPeople
        }
        lastTrack += 1
        return lastTrack
    }

    // MARK: - Traces

    /// Starts to collect the evidence for a new transmitter's next rotation, if it may rotate.
    mutating func trace(_ slot: TransmitterSlot, _ traits: AdvertisingTraits, in table: inout TransmitterTable) {
        guard table.transmitters[slot].mayHaveRotated else { return }
        table.transmitters[slot].trace = traces.insert(RotationTrace(traits: traits))
    }

    /// Adds a transmitter's reading, before its filters get it.
    mutating func add(_ rssi_dbm: Double, at now: Instant, of slot: TransmitterSlot, in table: inout TransmitterTable) {
        guard let trace = table.transmitters[slot].trace else { return }
        let times = table.transmitters[slot].signal.times
        traces[trace].recentLevel.add(rssi_dbm, at: now, previous: times.isEmpty ? nil : times.latest)
    }

    mutating func remove(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].trackState == .resolving { newcomers.end(slot, as: .undecided, in: &table) }
        if let trace = table.transmitters[slot].trace { traces.remove(trace) }
    }

    // MARK: - Newcomers

    /// Marks a new transmitter as resolving if it may be a known one under a new address. Otherwise it is a track of
    /// its own. Returns whether it is resolving.
    mutating func startResolving(
        _ slot: TransmitterSlot, at now: Instant, _ presence: Presence, in table: inout TransmitterTable
    ) -> Bool {
        let identity = table.transmitters[slot].identitySlot
        // In a flood of made-up addresses, newcomers are not weighed at all, so that the flood costs no more than other
        // reports.
        guard table.transmitters[slot].mayHaveRotated, !table.identities[identity].isFlooded,
            table.identities[identity].resolvingCount < Self.maxResolvingOfIdentity,
            let deadline = deadline(of: slot, presence, in: table)
        else {
            count(slot, in: table)
            return false
        }
        newcomers.begin(slot, at: now, in: &table)
        // The first check comes when rivals have had time to be heard, and at the latest at the deadline.
        newcomers.watch(slot, until: min(deadline, now + unknownAfter))
        return true
    }

    /// Returns whether a report shows that a transmitter did not fall silent before some newcomer was first heard.
    ///
    /// - Parameter previously: the time of its report before.
    func provesAlive(_ slot: TransmitterSlot, since previously: Instant, in table: TransmitterTable) -> Bool {
        guard let latest = newcomers.latest(of: table.transmitters[slot].identitySlot, in: table) else { return false }
        return previously <= latest && table.transmitters[slot].trackState == .settled
    }

    /// Removes the first timer.
    ///
    /// - Returns: the newcomer to check; `nil` where it is no newcomer any more.
    mutating func runFirst() -> TransmitterSlot? { newcomers.runFirst() }

    /// Decides a newcomer whose deadline has come, after its identity was weighed. It waits on only where a predecessor
    /// has turned out to be slower than expected.
    ///
    /// - Returns: whether it is decided.
    mutating func decide(
        _ slot: TransmitterSlot, at now: Instant, _ presence: Presence, in table: inout TransmitterTable
    ) -> Bool {
        guard table.transmitters[slot].trackState == .resolving else { return true }
        if let deadline = deadline(of: slot, presence, in: table), deadline > now {
            newcomers.watch(slot, until: min(deadline, now + unknownAfter))
            return false
        }
        settle(slot, in: &table)
        return true
    }

    /// Ends the resolving of a newcomer that leaves the list. It was never counted. A slow predecessor that is not
    /// silent yet may still be the one. So the question is asked again when the newcomer is heard again.
    mutating func leaves(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].trackState == .resolving { newcomers.end(slot, as: .undecided, in: &table) }
    }

    /// Makes a newcomer a track of its own.
    mutating func settle(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        newcomers.end(slot, as: .settled, in: &table)
        count(slot, in: table)
    }

    /// Counts a track, unless it is a person's: a figure that grows by one would show that one person came.
    private mutating func count(_ slot: TransmitterSlot, in table: TransmitterTable) {
        if table.transmitters[slot].interest != .counted { trackCount += 1 }
    }

    /// Returns until when a newcomer may still turn out to be a rotation. That is `resolve_after_s` from its first
    /// report, later where a possible predecessor advertises slowly. Returns `nil` where no predecessor is possible any
    /// more.
    private func deadline(of slot: TransmitterSlot, _ presence: Presence, in table: TransmitterTable) -> Instant? {
        let firstHeard = table.transmitters[slot].firstHeard
        var deadline: Instant?
        for other in table.listedSlots(of: table.transmitters[slot].identitySlot)
        where other != slot && table.mayHaveBeen(other, slot) {
            let latest = presence.silentEnough(table.transmitters[other])
            deadline = max(deadline ?? firstHeard + resolveAfter, latest)
        }
        return deadline
    }

    // MARK: - Successions

    /// Weighs the newcomers of an identity. One whose predecessor is silent takes over, one without a possible
    /// predecessor becomes a track of its own, and the others wait.
    ///
    /// Predecessors that are not yet silent for long enough take part in the pairing, so that a newcomer waits for the
    /// right one instead of taking the first.
    ///
    /// Weighing many against many takes milliseconds, and in a flood every report asks for it. Then it runs every 100
    /// ms. Newcomers have timers, so none waits beyond its own.
    ///
    /// - Returns: the successions. Track and learned interval have been handed on, filters have not.
    mutating func resolve(
        _ identity: IdentitySlot, at now: Instant, _ presence: Presence, in table: inout TransmitterTable
    ) -> [Succession] {
        guard table.identities[identity].resolvingCount > 0 else { return [] }
        if isCrowded(identity, in: table), !newcomers.takesTurn(identity, after: Self.crowdedPause, at: now) {
            return []
        }
        let weighing = RotationWeighing(identity, at: now, presence, newcomers, traces, in: table)
        var successions: [Succession] = []
        for succession in weighing.pairs {
            let predecessor = table.transmitters[succession.predecessor]
            guard predecessor.presence == .silent, now >= presence.silentEnough(predecessor) else { continue }
            // Several beacons share the identity: each gets as long to be heard again as a silent one.
            if weighing.isShared, !hasHadTime(succession.newcomer, at: now, in: table) { continue }
            takeOver(succession, in: &table)
            successions.append(succession)
        }
        for (slot, scores) in zip(weighing.newcomers, weighing.scores)
        where table.transmitters[slot].trackState == .resolving {
            let isStranger =
                hasHadTime(slot, at: now, in: table) && scores.allSatisfy { $0.map { $0 < Self.hopeless } ?? true }
            if isStranger || deadline(of: slot, presence, in: table) == nil { settle(slot, in: &table) }
        }
        return successions
    }

    /// Returns whether the possible predecessors have had time to be heard again.
    private func hasHadTime(_ newcomer: TransmitterSlot, at now: Instant, in table: TransmitterTable) -> Bool {
        now >= table.transmitters[newcomer].firstHeard + unknownAfter
    }

    /// Returns whether there are so many pairs that weighing them with every report would take too long. Fifty phones
    /// with one identity that rotate every quarter of an hour stay far below.
    private func isCrowded(_ identity: IdentitySlot, in table: TransmitterTable) -> Bool {
        Int(table.identities[identity].resolvingCount) * Int(table.identities[identity].listedCount) > 1_024
    }

    /// Returns whether some newcomer that is still resolving may have been this transmitter before.
    func isPredecessor(_ slot: TransmitterSlot, in table: TransmitterTable) -> Bool {
        guard let latest = newcomers.latest(of: table.transmitters[slot].identitySlot, in: table) else { return false }
        return table.transmitters[slot].trackState == .settled && table.transmitters[slot].mayHaveRotated
            && table.transmitters[slot].lastHeard <= latest
    }

    /// Hands the predecessor's track and interval to the newcomer.
    private mutating func takeOver(_ succession: Succession, in table: inout TransmitterTable) {
        let (slot, predecessor) = (succession.newcomer, table.transmitters[succession.predecessor])
        table.transmitters[slot].track = predecessor.track
        table.transmitters[slot].trackFirstHeard = predecessor.trackFirstHeard
        table.transmitters[slot].interval.takeOver(predecessor.interval)
        newcomers.end(slot, as: .settled, in: &table)
        table.transmitters[succession.predecessor].trackState = .succeeded(by: slot)
    }

    // MARK: - Distinct after all

    /// Makes a transmitter a newcomer that has left the list and is heard again. Its track belongs to another now, or
    /// was never known. It may be the one that took over, back under its old address.
    mutating func returnsWithoutTrack(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        table.transmitters[slot].trackState = .settled
        table.transmitters[slot].track = newTrack(for: table.transmitters[slot].interest)
    }

    /// Separates a transmitter from its successor. It is heard again while it is listed, so there are two devices.
    ///
    /// The transmitter under its old address keeps the track. The newcomer, and any transmitter that took over from the
    /// newcomer, gets a new number.
    ///
    /// - Returns: whether the successor is a newcomer again, which may have had another predecessor.
    mutating func part(
        _ slot: TransmitterSlot, from successor: TransmitterSlot, in table: inout TransmitterTable
    ) -> Bool {
        let track = table.transmitters[slot].track
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].trackState = .settled
        let number = newTrack(for: table.transmitters[slot].interest)
        let heir = table.transmitters[successor]
        if heir.trackState == .settled, heir.track == track, heir.identitySlot == identity {
            table.transmitters[successor].track = number
            table.transmitters[successor].trackFirstHeard = heir.firstHeard
            return true
        }
        count(slot, in: table)
        var next: TransmitterSlot? = successor
        // The successor's slot may have been reused.
        while let heir = next, table.transmitters[heir].track == track,
            table.transmitters[heir].identitySlot == identity
        {
            table.transmitters[heir].track = number
            table.transmitters[heir].trackFirstHeard = table.transmitters[successor].firstHeard
            if case .succeeded(let heirOfHeir) = table.transmitters[heir].trackState {
                next = heirOfHeir
            } else {
                next = nil
            }
        }
        return false
    }

    // MARK: - Checks

    /// Returns what is wrong with newcomers and traces; for tests.
    func checkInvariants(_ table: TransmitterTable) -> [String] {
        let used = Set(table.usedSlots)
        var broken: [String] = []
        let resolving = used.filter { table.transmitters[$0].trackState == .resolving }
        let identities = Set(resolving.map { table.transmitters[$0].identitySlot })
        if !newcomers.watches(exactly: resolving, of: identities) {
            broken.append("other transmitters are watched as newcomers than are resolving")
        }
        let traced = used.compactMap { table.transmitters[$0].trace }
        if !traces.isSound || traces.count != traced.count || Set(traced).count != traced.count
            || !traces.freeSlots.isDisjoint(with: traced)
        {
            broken.append("traces and transmitters that have one differ")
        }
        if used.contains(where: { table.transmitters[$0].track > lastTrack }) {
            broken.append("a track has a number that is not used yet")
        }
        return broken
    }
}
