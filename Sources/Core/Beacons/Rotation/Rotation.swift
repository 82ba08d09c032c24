/// The rules of rotation: one beacon, whatever its address.
///
/// A new private address of a known identity is *resolving*: listed, not counted. Its predecessor is a transmitter with
/// a private address that fell silent before the newcomer was first heard. Once that is silent for `unknown_after_s`,
/// the newcomer takes over its track and its filters. If the predecessor is heard again, they are two.
///
/// It numbers the tracks, and knows who is resolving and what rotations are told by. `BeaconTracker+Rotation` has it decide.
struct Rotation: Sendable {
    /// A newcomer, and the transmitter that it was before.
    struct Succession: Sendable {
        var newcomer: TransmitterSlot
        var predecessor: TransmitterSlot
    }

    /// Newcomers of one identity that are weighed at most. One beyond it is a track of its own at once.
    private static let maxResolvingOfIdentity = 64
    /// How long newcomers of a crowd wait for each other.
    private static let crowdedPause = TimeSpan.milliseconds(100)
    /// A newcomer that all evidence speaks so much against, in nats, is not waited for any longer.
    private static let hopeless = -4.0

    private let unknownAfter: TimeSpan
    private let resolveAfter: TimeSpan
    private(set) var newcomers = ResolvingNewcomers()
    private var traces = SlotTable<TraceSlot, RotationTrace>()
    private var lastTrack: TrackID = 0
    /// Tracks counted so far: provisional ones that were taken over are not among them.
    private(set) var trackCount: UInt64 = 0

    init(_ settings: TrackerSettings) {
        unknownAfter = settings.unknownAfter
        resolveAfter = settings.resolveAfter
    }

    /// A number that no track had before.
    mutating func newTrack() -> TrackID {
        lastTrack += 1
        return lastTrack
    }

    // MARK: - Traces

    /// A transmitter is new: if it may rotate, what that is told by is remembered from now on.
    mutating func trace(_ slot: TransmitterSlot, _ traits: AdvertisingTraits, in table: inout TransmitterTable) {
        guard table.transmitters[slot].mayHaveRotated else { return }
        table.transmitters[slot].trace = traces.insert(RotationTrace(traits: traits))
    }

    /// Takes a reading of a transmitter in, before its filters do.
    mutating func add(_ rssi_dbm: Double, at now: Instant, of slot: TransmitterSlot, in table: inout TransmitterTable) {
        guard let trace = table.transmitters[slot].trace else { return }
        let times = table.transmitters[slot].signal.times
        traces[trace].recentLevel.add(rssi_dbm, at: now, previous: times.isEmpty ? nil : times.latest)
    }

    /// A transmitter is forgotten.
    mutating func forget(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].standing == .resolving { newcomers.end(slot, as: .undecided, in: &table) }
        if let trace = table.transmitters[slot].trace { traces.remove(trace) }
    }

    // MARK: - Newcomers

    /// Whether a new transmitter may be an old one under a new address. If so it is resolving from now on; if not, it is a
    /// track of its own.
    mutating func startResolving(
        _ slot: TransmitterSlot, at now: Instant, _ presence: Presence, in table: inout TransmitterTable
    ) -> Bool {
        let identity = table.transmitters[slot].identitySlot
        // Where somebody makes addresses up, newcomers are not weighed at all, so that a flood costs no more than any other
        // reports.
        guard table.transmitters[slot].mayHaveRotated, !table.identities[identity].isFlooded,
            table.identities[identity].resolvingCount < Self.maxResolvingOfIdentity,
            let deadline = deadline(of: slot, presence, in: table)
        else {
            trackCount += 1
            return false
        }
        newcomers.begin(slot, at: now, in: &table)
        // It is looked at again when rivals have had their time to be heard, and at the latest at the deadline.
        newcomers.watch(slot, until: min(deadline, now + unknownAfter))
        return true
    }

    /// Whether a report shows that a transmitter did not fall silent before some newcomer was first heard.
    ///
    /// - Parameter previously: when it was heard before.
    func provesAlive(_ slot: TransmitterSlot, since previously: Instant, in table: TransmitterTable) -> Bool {
        guard let latest = newcomers.latest(of: table.transmitters[slot].identitySlot, in: table) else { return false }
        return previously <= latest && table.transmitters[slot].standing == .settled
    }

    /// Takes the first timer out.
    ///
    /// - Returns: the newcomer that is to be looked at; `nil` where it is no newcomer any more.
    mutating func runFirst() -> TransmitterSlot? { newcomers.runFirst() }

    /// The time of a newcomer is there, and its identity was gone through: it waits on only where a predecessor turned out
    /// to be slower than it seemed.
    ///
    /// - Returns: whether it is decided.
    mutating func decide(
        _ slot: TransmitterSlot, at now: Instant, _ presence: Presence, in table: inout TransmitterTable
    ) -> Bool {
        guard table.transmitters[slot].standing == .resolving else { return true }
        if let deadline = deadline(of: slot, presence, in: table), deadline > now {
            newcomers.watch(slot, until: min(deadline, now + unknownAfter))
            return false
        }
        settle(slot, in: &table)
        return true
    }

    /// A newcomer that leaves the list is not waited for. It was never counted, and a predecessor that sends so rarely that
    /// it is not silent yet may still be the one that it was: what it is is asked again when it is heard again.
    mutating func leaves(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].standing == .resolving { newcomers.end(slot, as: .undecided, in: &table) }
    }

    /// A newcomer is a track of its own.
    mutating func settle(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        newcomers.end(slot, as: .settled, in: &table)
        trackCount += 1
    }

    /// Until when a newcomer may still turn out to be a rotation: `resolve_after_s` from its first report, longer where
    /// a possible predecessor advertises slowly. `nil` where none is possible any more.
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

    /// Goes through the newcomers of an identity: those whose predecessor is silent take over, those without any
    /// possible predecessor are tracks of their own, the others wait.
    ///
    /// Predecessors that are not silent for long enough yet take part in the pairing, so that a newcomer waits for the
    /// right one instead of taking the first.
    ///
    /// Where many are weighed against many that takes milliseconds, and in a flood every report asks for it. Then it is done
    /// every 100 ms; newcomers have timers, so nobody waits for longer than until its own.
    ///
    /// - Returns: who took over from whom: track and learned interval have been handed on, filters have not.
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
            // Where there are several, they get as long to be heard again as one that is silent has.
            if weighing.isShared, !hasHadTime(succession.newcomer, at: now, in: table) { continue }
            takeOver(succession, in: &table)
            successions.append(succession)
        }
        for (slot, scores) in zip(weighing.newcomers, weighing.scores)
        where table.transmitters[slot].standing == .resolving {
            let isStranger =
                hasHadTime(slot, at: now, in: table) && scores.allSatisfy { $0.map { $0 < Self.hopeless } ?? true }
            if isStranger || deadline(of: slot, presence, in: table) == nil { settle(slot, in: &table) }
        }
        return successions
    }

    /// Whether its possible predecessors have had time to be heard again.
    private func hasHadTime(_ newcomer: TransmitterSlot, at now: Instant, in table: TransmitterTable) -> Bool {
        now >= table.transmitters[newcomer].firstHeard + unknownAfter
    }

    /// Whether so many pairs are possible that weighing them with every report would be felt. Fifty phones with one identity
    /// that rotate every quarter of an hour stay far below it.
    private func isCrowded(_ identity: IdentitySlot, in table: TransmitterTable) -> Bool {
        Int(table.identities[identity].resolvingCount) * Int(table.identities[identity].listedCount) > 1_024
    }

    /// Whether some newcomer that is still resolving may have been this one before.
    func isPredecessor(_ slot: TransmitterSlot, in table: TransmitterTable) -> Bool {
        guard let latest = newcomers.latest(of: table.transmitters[slot].identitySlot, in: table) else { return false }
        return table.transmitters[slot].standing == .settled && table.transmitters[slot].mayHaveRotated
            && table.transmitters[slot].lastHeard <= latest
    }

    /// The newcomer goes on where the predecessor fell silent.
    private mutating func takeOver(_ succession: Succession, in table: inout TransmitterTable) {
        let (slot, predecessor) = (succession.newcomer, table.transmitters[succession.predecessor])
        table.transmitters[slot].track = predecessor.track
        table.transmitters[slot].trackFirstHeard = predecessor.trackFirstHeard
        table.transmitters[slot].interval.takeOver(predecessor.interval)
        newcomers.end(slot, as: .settled, in: &table)
        table.transmitters[succession.predecessor].standing = .succeeded(by: slot)
    }

    // MARK: - Distinct after all

    /// A transmitter that has left the list is heard again. Its track is another's now, or it was never known whether it
    /// had one: so it is a newcomer like any, and may be the very one that took over, back under its old address.
    mutating func returnsWithoutTrack(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        table.transmitters[slot].standing = .settled
        table.transmitters[slot].track = newTrack()
    }

    /// A transmitter whose track was taken over is heard again while it is listed: there are two devices after all.
    ///
    /// The one that is heard under its old address keeps the track; the newcomer, and whoever took over from it, gets a
    /// number never used before.
    ///
    /// - Returns: whether the successor is a newcomer again, which may have been another one before.
    mutating func part(
        _ slot: TransmitterSlot, from successor: TransmitterSlot, in table: inout TransmitterTable
    ) -> Bool {
        let track = table.transmitters[slot].track
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].standing = .settled
        let number = newTrack()
        let heir = table.transmitters[successor]
        if heir.standing == .settled, heir.track == track, heir.identitySlot == identity {
            table.transmitters[successor].track = number
            table.transmitters[successor].trackFirstHeard = heir.firstHeard
            return true
        }
        trackCount += 1
        var next: TransmitterSlot? = successor
        // The successor's slot may have been given to another since.
        while let heir = next, table.transmitters[heir].track == track,
            table.transmitters[heir].identitySlot == identity
        {
            table.transmitters[heir].track = number
            table.transmitters[heir].trackFirstHeard = table.transmitters[successor].firstHeard
            if case .succeeded(let heirOfHeir) = table.transmitters[heir].standing {
                next = heirOfHeir
            } else {
                next = nil
            }
        }
        return false
    }

    // MARK: - Checks

    /// What is wrong with who is resolving and with the traces; `nil` where nothing is.
    ///
    /// - Parameter used: the slots that stand for transmitters.
    func brokenInvariant(_ used: Set<TransmitterSlot>, in table: TransmitterTable) -> String? {
        let resolving = used.filter { table.transmitters[$0].standing == .resolving }
        let identities = Set(resolving.map { table.transmitters[$0].identitySlot })
        if !newcomers.watches(exactly: resolving, of: identities) { return "not all that are resolving are looked at" }
        let traced = used.compactMap { table.transmitters[$0].trace }
        if !traces.isSound || traces.count != traced.count || Set(traced).count != traced.count
            || !traces.freeSlots.isDisjoint(with: traced)
        {
            return "traces and transmitters that have one differ"
        }
        if used.contains(where: { table.transmitters[$0].track > lastTrack }) { return "a track has no number yet" }
        return nil
    }
}
