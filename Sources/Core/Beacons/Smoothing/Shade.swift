/// How far a level has fallen, and what of that is taken for shade.
///
/// Bodies and standing waves weaken a signal and hardly ever strengthen it. So of two levels that a beacon had, the stronger
/// one says more about its distance, and what the level has lost since is told as further away only in part, up to what a body
/// takes.
struct Shade: Sendable {
    /// What part of a fall is taken for shade.
    static let share = 0.25
    /// For how long somebody stands in the way, typically; what the level has fallen is forgotten at this pace. Seconds.
    static let patience_s = 600.0
    /// What a body takes at most: what a level has fallen beyond is distance. dB.
    static let deepest_db = 10.0

    /// Below the best level of late. 0 to `deepest_db`, dB.
    private var fallen_db: Float = 0
    /// Since the first reading, `patience_s` at most.
    private var heard_s: Float = 0

    /// What is added to the level. dB.
    var lift_db: Double { Self.share * Double(fallen_db) }

    /// The level has moved with a reading.
    ///
    /// - Parameters:
    ///   - by_db: how much it has risen; negative for a fall.
    ///   - after_s: since the newest reading before; what is not positive counts as no time.
    mutating func move(by_db: Double, after_s: Double) {
        let elapsed_s = max(0, after_s)
        // A best that is as old as the beacon's readings are is worth no more than their mean.
        let memory_s = min(Self.patience_s, Double(heard_s) + elapsed_s)
        let kept = memory_s > 0 ? 1 - min(1, elapsed_s / memory_s) : 1
        self = Shade(fallen_db: (Double(fallen_db) - by_db) * kept, heard_s: memory_s)
    }

    /// Goes on from the same beacon under its former address: the better of the two best levels stays.
    ///
    /// - Parameters:
    ///   - level_db: as it is after the take-over; `former_db` and `own_db` as they were before.
    mutating func takeOver(
        _ former: Shade, gap_s: Double, from former_db: Double, _ own_db: Double, to level_db: Double
    ) {
        let best_db = max(former_db + Double(former.fallen_db), own_db + Double(fallen_db))
        self = Shade(
            fallen_db: best_db - level_db,
            heard_s: min(Self.patience_s, Double(former.heard_s) + max(0, gap_s) + Double(heard_s)))
    }
}

extension Shade {
    private init(fallen_db: Double, heard_s: Double) {
        self.fallen_db = Float(min(max(0, fallen_db), Self.deepest_db))
        self.heard_s = Float(heard_s)
    }
}
