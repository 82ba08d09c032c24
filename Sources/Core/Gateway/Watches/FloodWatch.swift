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

    init(at now: Instant) {
        end = now + Self.window
    }

    /// Takes the level of a frame.
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
