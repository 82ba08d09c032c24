import RealModule

/// How a signal fades on its way: one exponent across the room, and nearly none beyond it.
///
///     1 m → room_m     d = 10^((loss − excess) / (10 · n))
///     beyond           10 dB more for each quarter of the distance more
///
/// The level of a distant beacon says little about how far it is: the readings that get through are the strong ones,
/// which guided waves or a gap carried, and a near one behind a body or in a hole of the standing waves reads as weak.
/// So what is weaker than the far end of the room is told as the far end of the room and a little more. It still is
/// the further the weaker it is, so that two beacons keep their order.
struct PathLoss: Sendable {
    /// What a loss beyond the room stands for: 10 dB for a factor of 1.26.
    static let farExponent = 10.0
    /// The exponent of a room with people and furniture, in sight for the most part; 2 is free space.
    static let indoorExponent = 2.2
    /// The level that a beacon has at 1 m is told as 1.23 m. Levels scatter about what their distance would have, and of the
    /// beacons that might be heard like that there are more a little further away and heard well than nearer and heard badly:
    /// with as many beacons for each metre and a spread of 4.4 dB, the middle is 1.23 times as far. dB.
    static let indoorExcess_db = -2.0
    /// The far end of a room. Metres.
    static let indoorRoom_m = 7.0

    /// Decibels for a factor of ten.
    let decade_db: Double
    private let excess_db: Double
    /// The loss at the far end of the room. dB.
    private let room_db: Double

    init(exponent: Double, excess_db: Double, room_m: Double) {
        decade_db = 10 * exponent
        self.excess_db = excess_db
        room_db = decade_db * .log10(max(room_m, 1))
    }

    static let indoor = PathLoss(exponent: indoorExponent, excess_db: indoorExcess_db, room_m: indoorRoom_m)

    /// - Parameter loss_db: Measured power less RSSI.
    func distance_m(loss_db: Double) -> Double {
        let fading_db = loss_db - excess_db
        let beyond_db = max(0, fading_db - room_db)
        return .exp10(min(fading_db, room_db) / decade_db + beyond_db / (10 * Self.farExponent))
    }
}
