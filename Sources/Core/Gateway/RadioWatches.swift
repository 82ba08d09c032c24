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
        var address = UInt64.max
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

    private static func place(_ bits: UInt64) -> Int { Int(truncatingIfNeeded: (bits ^ bits >> 6 ^ bits >> 17) & 63) }

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

/// Names floods: rates per minute that no ordinary shop explains.
///
/// Anyone in the street can transmit anything, and the engine goes on within its limits. The operator has to learn of a
/// flood. So each kind has a threshold that the busiest honest shop stays far below. Minutes are counted from the
/// engine's start, when `health` is made. `suspects` names the worse of the last whole minute and the current one, so a
/// flood shows at once and for a minute after its end.
struct FloodWatch: Sendable {
    /// The window, as long as the time between two `health` messages.
    static let window = TimeSpan.seconds(60)

    /// The least new identities in a minute that are a flood: 10 a second, the default of `max_newcomers_per_minute`. A
    /// fleet of carts that runs past a door brings a few a second. In the first minute everything is new, so no
    /// identity counts.
    static let identities: UInt64 = 600
    /// The least new addresses in a minute of an identity that is listed more than 256 times already. One identity is
    /// meant to be one beacon, so there is no honest use. One a second, not a single one, because a capture may be odd.
    static let addresses: UInt64 = 60
    /// The least reports in a minute at or above `absurd_dbm`: one a second. A single one may be a controller's
    /// mistake.
    static let levels: UInt64 = 60
    /// The level that no beacon reaches, as measured by the controller, without the gateway's offset. A beacon
    /// transmits with 4 to 10 dBm and loses 30 dB and more over the first decimetres. The Core's range ends at 20 dBm.
    static let absurd_dbm: Int8 = 5
    /// The least rotations in a minute that are a flood. A phone changes its address every 7 to 15 minutes, each at its
    /// own time.
    static let rotations: UInt64 = 60
    /// The number of listed beacons of which more than one has to rotate. By chance, at most one in seven rotates in a
    /// minute.
    static let listedPerRotation: UInt64 = 4

    private struct Counts: Sendable {
        var newcomers = NewcomerCounts()
        var absurdLevels: UInt64 = 0
    }

    private var last = Counts()
    private var absurdLevels: UInt64 = 0
    private var isFirstWindow = true
    /// The end of the current window.
    private(set) var end: Instant

    init(at now: Instant) { end = now + Self.window }

    mutating func heard(_ rssi_dbm: Int8) {
        if rssi_dbm >= Self.absurd_dbm { absurdLevels &+= 1 }
    }

    /// Ends the current window. The counts of the next start at zero.
    ///
    /// - Parameters:
    /// - newcomers: the newcomers of the window that ends.
    /// - now: at or after its end. In any whole windows since, nothing was heard.
    mutating func endWindow(_ newcomers: NewcomerCounts, at now: Instant) {
        let isLast = now < end + Self.window
        last = isLast ? Counts(newcomers: counted(newcomers), absurdLevels: absurdLevels) : Counts()
        absurdLevels = 0
        isFirstWindow = false
        let passed = max(0, (now - end).microseconds / Self.window.microseconds)
        end += TimeSpan(microseconds: (passed &+ 1) &* Self.window.microseconds)
    }

    /// Returns the suspected floods, in the order of the kinds.
    ///
    /// - Parameters:
    /// - newcomers: the newcomers of the current window.
    /// - listed: the number of listed beacons.
    func suspects(_ newcomers: NewcomerCounts, listed: Int) -> [SuspectedSpoofing] {
        let newcomers = counted(newcomers)
        let rotationLimit = max(Self.rotations, UInt64(clamping: listed) / Self.listedPerRotation)
        return SuspectedSpoofing.Kind.allCases.compactMap { kind in
            let (before, now, limit) =
                switch kind {
                case .identities: (last.newcomers.identities, newcomers.identities, Self.identities)
                case .addresses: (last.newcomers.crowdedAddresses, newcomers.crowdedAddresses, Self.addresses)
                case .rssi: (last.absurdLevels, absurdLevels, Self.levels)
                case .rotations: (last.newcomers.rotations, newcomers.rotations, rotationLimit)
                }
            let count = max(before, now)
            guard count > limit else { return nil }
            return SuspectedSpoofing(kind: kind, rate_per_s: Double(count) / Self.window.seconds)
        }
    }

    /// Leaves out the identities of the first window: they are new to an agent that has just started, and no flood.
    private func counted(_ newcomers: NewcomerCounts) -> NewcomerCounts {
        guard isFirstWindow else { return newcomers }
        return newcomers.withoutIdentities
    }
}
