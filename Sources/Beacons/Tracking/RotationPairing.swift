import HCI

/// Pairs newcomers with the transmitters that may have become them, one to one, cheapest first.
///
/// The cost of a pair is the seconds between the last report under the old address and the first under the new one,
/// plus the difference of their smoothed RSSI in units of 10 dB. Equal costs are decided by age, so that a replay comes
/// out the same every time.
struct RotationPairing: Sendable {
    /// One transmitter as far as pairing is concerned.
    struct Candidate: Sendable {
        var slot: TransmitterSlot
        var track: TrackID
        /// First heard, of a newcomer; last heard, of a predecessor.
        var time: Instant
        var rssi_dbm: Double?
    }

    /// Decibels that weigh as much as one second of gap.
    static let decibelsPerSecond = 10.0

    /// - Returns: the chosen pairs, cheapest first. A predecessor fell silent not after its newcomer was first heard.
    static func pairs(
        newcomers: [Candidate], predecessors: [Candidate]
    ) -> [(newcomer: TransmitterSlot, predecessor: TransmitterSlot)] {
        struct Pair {
            var cost: Double
            var newcomer: Candidate
            var predecessor: Candidate
        }
        var pairs: [Pair] = []
        for newcomer in newcomers {
            for predecessor in predecessors where predecessor.time <= newcomer.time {
                pairs.append(Pair(cost: cost(newcomer, predecessor), newcomer: newcomer, predecessor: predecessor))
            }
        }
        pairs.sort {
            ($0.cost, $0.newcomer.track, $0.predecessor.track) < ($1.cost, $1.newcomer.track, $1.predecessor.track)
        }
        var taken: Set<TransmitterSlot> = []
        var chosen: [(newcomer: TransmitterSlot, predecessor: TransmitterSlot)] = []
        for pair in pairs where !taken.contains(pair.newcomer.slot) && !taken.contains(pair.predecessor.slot) {
            taken.insert(pair.newcomer.slot)
            taken.insert(pair.predecessor.slot)
            chosen.append((pair.newcomer.slot, pair.predecessor.slot))
        }
        return chosen
    }

    static func cost(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        let gap_s = (newcomer.time - predecessor.time).seconds
        guard let new_dbm = newcomer.rssi_dbm, let old_dbm = predecessor.rssi_dbm else { return gap_s }
        return gap_s + abs(new_dbm - old_dbm) / decibelsPerSecond
    }
}
