import HCI

/// The rules of rotation: one beacon, whatever its address.
///
/// A new private address of a known identity is *resolving*: listed, not counted. Its predecessor is a transmitter with
/// a private address that fell silent before the newcomer was first heard. Once that is silent for `unknown_after_s`,
/// the newcomer takes over its track and its filters. If the predecessor is heard again, they are two.
extension BeaconTracker {
    /// Newcomers and predecessors of one identity that are weighed against each other at most. A newcomer beyond it is a
    /// track of its own at once.
    static let maxResolvingOfIdentity = 64
    /// Where more transmitters than this carry one identity, somebody is making addresses up: newcomers are not weighed at
    /// all, so that a flood costs no more than any other reports.
    static let maxListedOfIdentity = 256

    /// Decides whether a new transmitter may be an old one under a new address.
    mutating func resolveNewcomer(_ slot: TransmitterSlot, at now: Instant) {
        let newcomer = table.transmitters[slot]
        guard newcomer.mayHaveRotated,
            table.identities[newcomer.identitySlot].listedCount <= Self.maxListedOfIdentity,
            table.identities[newcomer.identitySlot].resolvingCount < Self.maxResolvingOfIdentity,
            let deadline = resolvingDeadline(of: slot)
        else {
            trackCount += 1
            return
        }
        table.transmitters[slot].standing = .resolving
        table.beginResolving(newcomer.identitySlot, at: now)
        // It is looked at again when rivals have had their time to be heard, and at the latest at the deadline.
        watchResolving(slot, until: min(deadline, now + settings.unknownAfter))
        resolveRotations(of: newcomer.identitySlot, at: now)
    }

    /// A report shows that its transmitter did not fall silent before some newcomer was first heard.
    ///
    /// - Parameter previously: when it was heard before.
    mutating func proveAlive(
        _ slot: TransmitterSlot, since previously: Instant, at now: Instant, changes: inout [TrackerChange]
    ) {
        let identitySlot = table.transmitters[slot].identitySlot
        guard let latest = table.latestNewcomer(of: identitySlot), previously <= latest,
            table.transmitters[slot].standing == .settled
        else { return }
        let resolvingCount = table.identities[identitySlot].resolvingCount
        resolveRotations(of: identitySlot, at: now)
        if table.identities[identitySlot].resolvingCount < resolvingCount {
            changes.append(.listChanged(identitySlot))
        }
    }

    /// Goes through the newcomers of an identity: those whose predecessor is silent take over, those without any
    /// possible predecessor are tracks of their own, the others wait.
    ///
    /// Predecessors that are not silent for long enough yet take part in the pairing, so that a newcomer waits for the
    /// right one instead of taking the first.
    ///
    /// Where many are weighed against many that takes milliseconds, and in a flood every report asks for it. Then it is done
    /// every 100 ms; newcomers have timers, so nobody waits for longer than until its own.
    mutating func resolveRotations(of identitySlot: IdentitySlot, at now: Instant) {
        guard table.identities[identitySlot].resolvingCount > 0 else { return }
        if isCrowded(identitySlot), !table.takesTurn(identitySlot, after: Self.crowdedPause, at: now) { return }
        let slots = table.listedSlots(of: identitySlot)
        let newcomers = byAge(slots.filter { table.transmitters[$0].standing == .resolving })
        let predecessors = self.predecessors(among: slots)
        let crowd = settledCount(slots)
        let isShared = crowd > 1
        let scores = scores(newcomers, predecessors, crowd: crowd, at: now)
        for pair in RotationPairing.pairs(isShared ? RotationRivals.weighed(scores) : scores) {
            let newcomer = newcomers[pair.newcomer]
            let predecessor = predecessors[pair.predecessor]
            guard table.transmitters[predecessor].presence == .silent else { continue }
            // Nobody was heard for part of that silence: who was then heard first took nobody's place.
            guard now >= silentEnough(table.transmitters[predecessor]) else { continue }
            // Where there are several, they get as long to be heard again as one that is silent has.
            if isShared, now < table.transmitters[newcomer].firstHeard + settings.unknownAfter { continue }
            takeOver(newcomer, from: predecessor)
        }
        for (slot, scores) in zip(newcomers, scores) where table.transmitters[slot].standing == .resolving {
            let hasHadTime = now >= table.transmitters[slot].firstHeard + settings.unknownAfter
            let isStranger = hasHadTime && scores.allSatisfy { $0.map { $0 < Self.hopeless } ?? true }
            if isStranger || resolvingDeadline(of: slot) == nil { settle(slot) }
        }
    }

    /// How long newcomers of a crowd wait for each other.
    private static let crowdedPause = TimeSpan.milliseconds(100)

    /// Whether so many pairs are possible that weighing them with every report would be felt. Fifty phones with one identity
    /// that rotate every quarter of an hour stay far below it.
    private func isCrowded(_ identitySlot: IdentitySlot) -> Bool {
        let identity = table.identities[identitySlot]
        return Int(identity.resolvingCount) * Int(identity.listedCount) > 1_024
    }

    /// A newcomer that all evidence speaks so much against, in nats, is not waited for any longer.
    private static let hopeless = -4.0

    /// What speaks for each newcomer having been each predecessor. The only one of its identity has rotated: beacons are
    /// meant to be unique.
    private func scores(
        _ newcomers: [TransmitterSlot], _ predecessors: [TransmitterSlot], crowd: Int, at now: Instant
    ) -> [[Double?]] {
        let evidence = RotationEvidence(pause: pause, crowd: crowd, now: now)
        let before = predecessors.map { candidate($0, time: table.transmitters[$0].lastHeard) }
        let bonus = crowd > 1 ? 0 : Self.certain
        return newcomers.map { slot in
            let newcomer = candidate(slot, time: table.transmitters[slot].firstHeard)
            return before.map { $0.time <= newcomer.time ? bonus + evidence.score(newcomer, $0) : nil }
        }
    }

    /// More than any evidence speaks against.
    private static let certain = 1_000.0

    /// How many beacons of the identity are there, newcomers left out. Whoever has been succeeded is counted as the heir.
    private func settledCount(_ slots: [TransmitterSlot]) -> Int {
        slots.count { table.transmitters[$0].standing == .settled }
    }

    /// Whether some newcomer that is still resolving may have been this one before.
    func isPredecessor(_ transmitter: Transmitter) -> Bool {
        guard let latest = table.latestNewcomer(of: transmitter.identitySlot) else { return false }
        return transmitter.standing == .settled && transmitter.mayHaveRotated && transmitter.lastHeard <= latest
    }

    private func candidate(_ slot: TransmitterSlot, time: Instant) -> RotationEvidence.Candidate {
        let transmitter = table.transmitters[slot]
        let trace = transmitter.trace.map { table.traces[$0] }
        return RotationEvidence.Candidate(
            time: time, level: trace?.recentLevel.summary,
            interval_ms: Double(transmitter.interval.advertisingInterval_ms),
            averageGap_s: transmitter.interval.averageGap.seconds, measuredPower_dbm: transmitter.measuredPower_dbm,
            traits: trace?.traits ?? .none)
    }

    /// The transmitters that may have rotated, the oldest first; where there are too many, those heard last.
    private func predecessors(among slots: [TransmitterSlot]) -> [TransmitterSlot] {
        let possible = slots.filter { isPredecessor(table.transmitters[$0]) }
        guard possible.count > Self.maxResolvingOfIdentity else { return byAge(possible) }
        let byLastHeard = possible.sorted {
            let (left, right) = (table.transmitters[$0], table.transmitters[$1])
            return (left.lastHeard, left.track) > (right.lastHeard, right.track)
        }
        return byAge(Array(byLastHeard.prefix(Self.maxResolvingOfIdentity)))
    }

    private func byAge(_ slots: [TransmitterSlot]) -> [TransmitterSlot] {
        slots.sorted { table.transmitters[$0].track < table.transmitters[$1].track }
    }

    /// Until when a newcomer may still turn out to be a rotation: `resolve_after_s` from its first report, longer where
    /// a possible predecessor advertises slowly. `nil` where none is possible any more.
    private func resolvingDeadline(of slot: TransmitterSlot) -> Instant? {
        let newcomer = table.transmitters[slot]
        var deadline: Instant?
        for other in table.listedSlots(of: newcomer.identitySlot) where other != slot && mayHaveBeen(other, slot) {
            let predecessor = table.transmitters[other]
            let latest = silentEnough(predecessor)
            deadline = max(deadline ?? newcomer.firstHeard + settings.resolveAfter, latest)
        }
        return deadline
    }

    /// From when on a predecessor is silent for long enough, the time in which nobody was heard left out.
    private func silentEnough(_ predecessor: Transmitter) -> Instant {
        predecessor.lastHeard + unknownAfter(predecessor) + pauseSince(predecessor.lastHeard)
    }

    private mutating func watchResolving(_ slot: TransmitterSlot, until deadline: Instant) {
        resolvingDue[slot] = deadline
        setTimer(slot, deadline, .resolving)
    }

    /// The deadline of a newcomer is there: it waits on only where a predecessor turned out to be slower than it seemed.
    mutating func resolvingTimerFired(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        resolvingDue[slot] = nil
        guard table.transmitters[slot].standing == .resolving else { return }
        resolveRotations(of: table.transmitters[slot].identitySlot, at: now)
        if table.transmitters[slot].standing == .resolving {
            if let deadline = resolvingDeadline(of: slot), deadline > now {
                return watchResolving(slot, until: min(deadline, now + settings.unknownAfter))
            }
            settle(slot)
        }
        changes.append(.listChanged(table.transmitters[slot].identitySlot))
    }

    /// A newcomer that leaves the list is not waited for. It was never counted, and a predecessor that sends so rarely that
    /// it is not silent yet may still be the one that it was: what it is is asked again when it is heard again.
    mutating func stopResolvingBeforeLeaving(_ slot: TransmitterSlot) {
        guard table.transmitters[slot].standing == .resolving else { return }
        stopResolving(slot)
        table.transmitters[slot].standing = .undecided
    }

    /// The newcomer is a track of its own.
    private mutating func settle(_ slot: TransmitterSlot) {
        stopResolving(slot)
        trackCount += 1
    }

    private mutating func stopResolving(_ slot: TransmitterSlot) {
        table.transmitters[slot].standing = .settled
        resolvingDue[slot] = nil
        table.endResolving(table.transmitters[slot].identitySlot)
    }

    /// The newcomer goes on where the predecessor fell silent: track, filters, learned interval.
    private mutating func takeOver(_ slot: TransmitterSlot, from predecessorSlot: TransmitterSlot) {
        let predecessor = table.transmitters[predecessorSlot]
        table.transmitters[slot].track = predecessor.track
        table.transmitters[slot].trackFirstHeard = predecessor.trackFirstHeard
        table.transmitters[slot].interval.takeOver(predecessor.interval)
        smoothing.takeOver(predecessor.signal, into: &table.transmitters[slot].signal)
        distanceWindows.takeOver(
            predecessorSlot, of: distanceWindows, into: slot, level: &table.transmitters[slot].signal.distance)
        regionWindows.takeOver(
            predecessorSlot, of: regionWindows, into: slot, level: &table.transmitters[slot].signal.region)
        stopResolving(slot)
        table.transmitters[predecessorSlot].standing = .succeeded(by: slot)
    }

    /// A transmitter that has left the list is heard again. Its track is another's now, or it was never known whether it
    /// had one: so it is a newcomer like any, and may be the very one that took over, back under its old address.
    mutating func returnedWithoutTrack(_ slot: TransmitterSlot, at now: Instant) {
        table.transmitters[slot].standing = .settled
        table.transmitters[slot].track = newTrack()
        resolveNewcomer(slot, at: now)
    }

    /// A transmitter whose track was taken over is heard again while it is listed: there are two devices after all.
    ///
    /// The one that is heard under its old address keeps the track; the newcomer, and whoever took over from it, gets a
    /// number never used before.
    mutating func provedDistinct(_ slot: TransmitterSlot, from successor: TransmitterSlot, at now: Instant) {
        let track = table.transmitters[slot].track
        table.transmitters[slot].standing = .settled
        let number = newTrack()
        let heir = table.transmitters[successor]
        if heir.standing == .settled, heir.track == track, heir.identitySlot == table.transmitters[slot].identitySlot {
            // It may have been another one before that.
            table.transmitters[successor].track = number
            table.transmitters[successor].trackFirstHeard = heir.firstHeard
            resolveNewcomer(successor, at: now)
            // It was counted before, and waits no second time.
            if table.transmitters[successor].standing == .resolving { settle(successor) }
            return
        }
        trackCount += 1
        var next: TransmitterSlot? = successor
        // The successor's slot may have been given to another since.
        while let heir = next, table.transmitters[heir].track == track,
            table.transmitters[heir].identitySlot == table.transmitters[slot].identitySlot
        {
            table.transmitters[heir].track = number
            table.transmitters[heir].trackFirstHeard = table.transmitters[successor].firstHeard
            if case .succeeded(let heirOfHeir) = table.transmitters[heir].standing {
                next = heirOfHeir
            } else {
                next = nil
            }
        }
    }
}
