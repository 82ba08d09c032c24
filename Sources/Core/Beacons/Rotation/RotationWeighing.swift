/// The newcomers of one identity, scored against their possible predecessors.
struct RotationWeighing: Sendable {
    /// The most predecessors of one identity that are weighed: those heard last.
    private static let maxPredecessors = 64
    /// A score beyond any evidence.
    private static let certain = 1_000.0

    /// The newcomers, the oldest first.
    let newcomers: [TransmitterSlot]
    private let predecessors: [TransmitterSlot]
    /// The score of each newcomer with each predecessor; `nil` where the pair is impossible.
    let scores: [[Double?]]
    /// True if several beacons of the identity are there, newcomers left out. A transmitter that was taken over counts
    /// as its successor. A single beacon of its identity has rotated: beacons are meant to be unique.
    let isShared: Bool

    init(
        _ identity: IdentitySlot, at now: Instant, _ presence: Presence, _ resolving: ResolvingNewcomers,
        _ traces: SlotTable<TraceSlot, RotationTrace>, in table: TransmitterTable
    ) {
        let slots = table.listedSlots(of: identity)
        let newcomers = Self.byAge(slots.filter { table.transmitters[$0].trackState == .resolving }, in: table)
        let predecessors = Self.predecessors(of: resolving.latest(of: identity, in: table), among: slots, in: table)
        let crowd = slots.count { table.transmitters[$0].trackState == .settled }
        let evidence = RotationEvidence(pauses: presence.pauses, crowd: crowd, now: now)
        let before = predecessors.map {
            Self.candidate($0, time: table.transmitters[$0].lastHeard, traces, in: table)
        }
        let bonus = crowd > 1 ? 0 : Self.certain
        scores = newcomers.map { slot in
            let newcomer = Self.candidate(slot, time: table.transmitters[slot].firstHeard, traces, in: table)
            return before.map { $0.time <= newcomer.time ? bonus + evidence.score(newcomer, $0) : nil }
        }
        isShared = crowd > 1
        self.newcomers = newcomers
        self.predecessors = predecessors
    }

    /// The most likely successions.
    var pairs: [Rotation.Succession] {
        RotationPairing.pairs(isShared ? RotationRivals.weighed(scores) : scores).map {
            Rotation.Succession(newcomer: newcomers[$0.newcomer], predecessor: predecessors[$0.predecessor])
        }
    }

    private static func candidate(
        _ slot: TransmitterSlot, time: Instant, _ traces: SlotTable<TraceSlot, RotationTrace>,
        in table: TransmitterTable
    ) -> RotationEvidence.Candidate {
        let transmitter = table.transmitters[slot]
        let trace = transmitter.trace.map { traces[$0] }
        return RotationEvidence.Candidate(
            time: time, level: trace?.recentLevel.summary,
            interval_ms: Double(transmitter.interval.advertisingInterval_ms),
            averageGap_s: transmitter.interval.averageGap.seconds, measuredPower_dbm: transmitter.measuredPower_dbm,
            traits: trace?.traits ?? .none)
    }

    /// Returns the transmitters that may have rotated, the oldest first.
    ///
    /// - Parameter latest: the first report of the youngest newcomer.
    private static func predecessors(
        of latest: Instant?, among slots: [TransmitterSlot], in table: TransmitterTable
    ) -> [TransmitterSlot] {
        guard let latest else { return [] }
        let possible = slots.filter {
            table.transmitters[$0].trackState == .settled && table.transmitters[$0].mayHaveRotated
                && table.transmitters[$0].lastHeard <= latest
        }
        guard possible.count > maxPredecessors else { return byAge(possible, in: table) }
        let byLastHeard = possible.sorted {
            let (left, right) = (table.transmitters[$0], table.transmitters[$1])
            return (left.lastHeard, left.track) > (right.lastHeard, right.track)
        }
        return byAge(Array(byLastHeard.prefix(maxPredecessors)), in: table)
    }

    private static func byAge(_ slots: [TransmitterSlot], in table: TransmitterTable) -> [TransmitterSlot] {
        slots.sorted { table.transmitters[$0].track < table.transmitters[$1].track }
    }
}
