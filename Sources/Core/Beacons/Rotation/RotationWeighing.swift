/// The newcomers of one identity, weighed against the transmitters that they may have been.
struct RotationWeighing: Sendable {
    /// Predecessors of one identity that are weighed at most: those heard last.
    private static let maxPredecessors = 64
    /// More than any evidence speaks against.
    private static let certain = 1_000.0

    /// The oldest first.
    let newcomers: [TransmitterSlot]
    private let predecessors: [TransmitterSlot]
    /// What speaks for each newcomer having been each predecessor; `nil` where it can't.
    let scores: [[Double?]]
    /// Whether several beacons of the identity are there, newcomers left out. Whoever has been succeeded is counted as the
    /// heir. The only one of its identity has rotated: beacons are meant to be unique.
    let isShared: Bool

    init(
        _ identity: IdentitySlot, at now: Instant, _ presence: Presence, _ resolving: ResolvingNewcomers,
        _ traces: SlotTable<TraceSlot, RotationTrace>, in table: TransmitterTable
    ) {
        let slots = table.listedSlots(of: identity)
        let newcomers = Self.byAge(slots.filter { table.transmitters[$0].standing == .resolving }, in: table)
        let predecessors = Self.predecessors(of: resolving.latest(of: identity, in: table), among: slots, in: table)
        let crowd = slots.count { table.transmitters[$0].standing == .settled }
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

    /// Who has most likely been whom.
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

    /// The transmitters that may have rotated, the oldest first.
    ///
    /// - Parameter latest: when the youngest newcomer was first heard.
    private static func predecessors(
        of latest: Instant?, among slots: [TransmitterSlot], in table: TransmitterTable
    ) -> [TransmitterSlot] {
        guard let latest else { return [] }
        let possible = slots.filter {
            table.transmitters[$0].standing == .settled && table.transmitters[$0].mayHaveRotated
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
