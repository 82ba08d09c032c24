/// Detects wrong signal strengths of one adapter.
///
/// Some controllers stick at a value. Some report a packet with the strength of the one before it. Some measure one of
/// the three advertising channels far too weak. Each defect leaves a trace that no room makes:
///
/// - stuck: three transmitters and more, and nearly all readings are one value.
/// - repeated: neighbouring reports of *different* transmitters agree more often than successive ones of *one*. In a
///   recorded building, 0 to 2 % of the former agree, and 17 to 39 % of the latter.
/// - two levels: of three transmitters and more, successive readings of one frame are often 11 to 19 dB apart and
///   rarely 6 to 9. Fading makes all differences, the smaller ones more often. Where readings scatter by more than
///   about 4 dB, the two merge and the watch stays silent. A beacon may send several frames under one address at
///   different powers, so each frame counts separately.
///
/// The first readings of a minute are enough, so a busy shop costs no more than a quiet one.
struct ReadingWatch: Sendable {
    /// The most readings used in a minute, and the least for a verdict.
    private static let most = 1_024
    private static let least = 200
    private static let leastTransmitters = 3

    private struct Latest: Sendable {
        package var address = UInt64.max
        /// A hash of the packet's identity and measured power.
        var frame: UInt64 = 0
        var rssi_dbm: Int8 = 0
    }

    /// The latest readings, by a hash of address and frame. On a collision, the later one replaces the other.
    private var latest = InlineArray<64, Latest>(repeating: Latest())
    private var before = Latest()
    /// A set of transmitters, by a hash of the address.
    private var transmitters: UInt64 = 0
    private var count = 0
    /// The readings that equal the one before them, of any transmitter.
    private var sameAsBefore = 0
    private var (ofOthers, ofOthersEqual) = (0, 0)
    private var (ofSame, ofSameEqual) = (0, 0)
    private var (near, far) = (0, 0)
    /// The transmitters with readings far apart, by a hash of the address.
    private var farTransmitters: UInt64 = 0
    /// The verdict of the last whole minute.
    private(set) var suspicion: SuspectReadings.Kind?

    /// Takes the level of a frame, as measured by the controller.
    mutating func heard(_ rssi_dbm: Int8, of sighting: Sighting) {
        guard count < Self.most else { return }
        count += 1
        let bits = sighting.address.bits
        let frame = Self.frame(sighting)
        let transmitter: UInt64 = 1 << UInt64(Self.place(bits))
        transmitters |= transmitter
        let place = Self.place(bits ^ frame)
        if before.address != .max {
            let isEqual = rssi_dbm == before.rssi_dbm
            if isEqual { sameAsBefore += 1 }
            if bits != before.address {
                ofOthers += 1
                if isEqual { ofOthersEqual += 1 }
            }
        }
        if latest[place].address == bits, latest[place].frame == frame {
            ofSame += 1
            let difference = abs(Int(rssi_dbm) - Int(latest[place].rssi_dbm))
            if difference == 0 { ofSameEqual += 1 }
            if (6...9).contains(difference) { near += 1 }
            if (11...19).contains(difference) {
                far += 1
                farTransmitters |= transmitter
            }
        }
        before = Latest(address: bits, frame: frame, rssi_dbm: rssi_dbm)
        latest[place] = before
    }

    private static func place(_ bits: UInt64) -> Int {
        Int(truncatingIfNeeded: (bits ^ bits >> 6 ^ bits >> 17) & 63)
    }

    private static func frame(_ sighting: Sighting) -> UInt64 {
        let identity = sighting.identity
        let numbers = UInt64(identity.major) << 16 | UInt64(identity.minor)
        return identity.uuid.high ^ identity.uuid.low ^ numbers ^ UInt64(UInt8(bitPattern: sighting.measuredPower_dbm))
            << 32
    }

    /// Ends the minute. The counts of the next start at zero.
    mutating func endWindow() {
        let suspicion = verdict
        self = ReadingWatch()
        self.suspicion = suspicion
    }

    private var verdict: SuspectReadings.Kind? {
        guard count >= Self.least, transmitters.nonzeroBitCount >= Self.leastTransmitters else { return nil }
        if sameAsBefore * 100 >= count * 98 { return .stuck }
        // A third and more, and half as much again as one transmitter's readings agree.
        if ofOthers >= Self.least / 2, ofOthersEqual * 3 > ofOthers,
            2 * ofOthersEqual * ofSame > 3 * ofSameEqual * ofOthers
        {
            return .repeated
        }
        // A quarter of the differences and more, and twice as many as smaller ones.
        guard farTransmitters.nonzeroBitCount >= Self.leastTransmitters else { return nil }
        if ofSame >= Self.least / 2, far * 4 > ofSame, far > 2 * near { return .twoLevels }
        return nil
    }
}
