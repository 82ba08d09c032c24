import RealModule

/// Path loss with three slopes (`indoor`).
///
///     loss       exponent   why
///     below 0 dB      2     nearer than 1 m: free space
///     up to a break   1.6   rooms guide waves: signals fade more slowly than in the open
///     beyond          4     the further a signal seems to have come, the likelier a body or a hole made it weak
///
/// The break stands at 5 dB (2 m) for a beacon at rest and at 14 dB (7.5 m) for one that is walked. The mean level of a
/// walk has been through many holes of the standing waves and tells a distance well beyond the one at which that of a
/// resting beacon is more likely to tell the depth of the hole it lies in. In between it moves with `movement`.
enum IndoorPathLoss {
    static let nearExponent = 2.0
    static let roomExponent = 1.6
    static let farExponent = 4.0
    static let breakAtRest_db = 5.0
    static let breakOfWalk_db = 14.0

    /// - Parameters:
    ///   - loss_db: Measured power less RSSI.
    ///   - movement: 0 at rest to 1 walking.
    static func distance_m(loss_db: Double, movement: Double) -> Double {
        let break_db = breakAtRest_db + (breakOfWalk_db - breakAtRest_db) * movement
        let near_db = min(loss_db, 0)
        let room_db = min(max(loss_db, 0), break_db)
        let far_db = max(loss_db - break_db, 0)
        return .exp10((near_db / nearExponent + room_db / roomExponent + far_db / farExponent) / 10)
    }
}
