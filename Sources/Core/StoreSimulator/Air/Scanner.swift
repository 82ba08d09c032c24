import RealModule

/// The gateway's receiver: when it listens, on which channel, and what it misses.
///
/// A scanner listens for `window` at the beginning of every `interval`, on the next of the advertising channels 37, 38
/// and 39 each time (Core 5.4, Vol 6, Part B, 4.4.3.1). An advertiser sends on all three within a few milliseconds.
///
/// *rooms* (a scanner that listens all the time): of strong signals 79 to 91 % arrive, at −80 dBm about 70 %, at −85
/// dBm 35 to 65 %, at −90 dBm 40 %, and none below −98 dBm. Hence `collisionLoss` and the sigmoid of `sensitivity_dbm`.
package struct Scanner: Hashable, Sendable {
    package var interval = TimeSpan.milliseconds(60)
    var window = TimeSpan.milliseconds(30)
    /// Share of packets that are lost whatever their strength, to others on the same channel.
    var collisionLoss = 0.13
    /// Half of the packets of this strength are lost to noise.
    var sensitivity_dbm = -88.0
    /// How soft that edge is: at `sensitivity_dbm` ± twice this, 12 % or 88 % come through.
    var sensitivitySlope_db = 3.0
    /// Nothing weaker is ever received: the recordings end at −98 and −102 dBm, a sigmoid doesn't.
    var floor_dbm = -102.0

    init() {}

    /// The index (0 … 2) of the channel it listens on at `instant`; `nil` while it pauses.
    func channel(at instant: Instant) -> Int? {
        let length = max(1, interval.microseconds)
        let (turn, phase) = instant.microseconds.quotientAndRemainder(dividingBy: length)
        return phase < window.microseconds ? Int(turn % 3) : nil
    }

    /// The probability that a packet of this strength on the channel it listens to is received.
    func reception(rssi_dbm: Double) -> Double {
        guard rssi_dbm >= floor_dbm else { return 0 }
        return (1 - collisionLoss) / (1 + Double.exp((sensitivity_dbm - rssi_dbm) / sensitivitySlope_db))
    }
}
