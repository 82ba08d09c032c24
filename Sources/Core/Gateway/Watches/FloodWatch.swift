/// Names floods: what comes so often in a minute that no ordinary shop explains it.
///
/// Anyone in the street can transmit whatever they like, and the engine works on within its limits. Whoever looks after
/// gateways has to learn of it, so each kind has a threshold that the busiest honest shop stays far below. Minutes are
/// counted one after the other from the engine's start, as `health` is made; what `suspects` names is the worse of the
/// last whole one and the one under way, so a flood shows at once and for a minute after its end.
struct FloodWatch: Sendable {
    /// As long as `health` is apart.
    static let window = TimeSpan.seconds(60)

    /// New identities in a minute: 10 a second, as many as `max_newcomers_per_minute` lets in by default. A fleet of carts that goes by a
    /// door at a run brings a few a second. In the first minute everything is new, and none is counted.
    static let identities: UInt64 = 600
    /// New addresses in a minute of an identity that is listed more than 256 times already. One identity is meant to be
    /// one beacon, so there is no honest use: one a second, and not one alone, because a capture may be odd.
    static let addresses: UInt64 = 60
    /// Reports in a minute at or above `absurd_dbm`: one a second. A single one may be a controller's mistake.
    static let levels: UInt64 = 60
    /// As the controller measured it, without the gateway's offset. A beacon sends with 4 dBm to 10 dBm at most and loses 30 dB
    /// and more over the first decimetres, and the Core ends at 20 dBm.
    static let absurd_dbm: Int8 = 5
    /// Rotations in a minute, at least. A phone changes its address every 7 to 15 minutes, each at a time of its own.
    static let rotations: UInt64 = 60
    /// And more than one in so many of the beacons that are listed: by chance it is one in seven at most.
    static let listedPerRotation: UInt64 = 4

    private struct Counts: Sendable {
        var newcomers = NewcomerCounts()
        var absurdLevels: UInt64 = 0
    }

    private var last = Counts()
    private var absurdLevels: UInt64 = 0
    private var isFirstWindow = true
    /// When the window under way ends.
    private(set) var end: Instant

    init(at now: Instant) {
        end = now + Self.window
    }

    /// A frame was heard at that level.
    mutating func heard(_ rssi_dbm: Int8) {
        if rssi_dbm >= Self.absurd_dbm { absurdLevels &+= 1 }
    }

    /// The window under way is over. The newcomers of the next are counted from zero.
    ///
    /// - Parameters:
    ///   - newcomers: those of the window that ends.
    ///   - now: at or after its end. Where whole windows have passed since, nothing was heard in them.
    mutating func endWindow(_ newcomers: NewcomerCounts, at now: Instant) {
        let isLast = now < end + Self.window
        last = isLast ? Counts(newcomers: counted(newcomers), absurdLevels: absurdLevels) : Counts()
        absurdLevels = 0
        isFirstWindow = false
        let passed = max(0, (now - end).microseconds / Self.window.microseconds)
        end += TimeSpan(microseconds: (passed &+ 1) &* Self.window.microseconds)
    }

    /// The floods that are suspected, in the order of the kinds.
    ///
    /// - Parameters:
    ///   - newcomers: those of the window under way.
    ///   - listed: how many beacons are listed.
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

    /// Without the identities of the first window: what is there when the agent starts is new to it, and no flood.
    private func counted(_ newcomers: NewcomerCounts) -> NewcomerCounts {
        guard isFirstWindow else { return newcomers }
        return newcomers.withoutIdentities
    }
}
