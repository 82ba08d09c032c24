/// Decides when the beacons of a region are reported: on a change, at most every `min_interval_s`, at least every
/// `max_interval_s`.
///
/// It is told when ranging of an instance starts and stops and when its list changed. When an instance is due, the
/// caller makes the list and hands it to `isDue`, which says whether it is worth publishing.
struct Ranger: Sendable {
    /// What was published last of a beacon.
    private struct Published: Hashable, Sendable {
        var track: TrackID
        var proximity: Proximity
        var accuracy_m: Double
        var isResolving: Bool
        var isDuplicate: Bool
    }

    private struct Session: Sendable {
        package var due: Instant
        /// `nil` before the first report.
        package var lastReport: Instant?
        package var count = 0
        var published: [TransmitterSlot: Published] = [:]
    }

    private var settings: RangingSettings
    private var sessions: [InstanceSlot: Session] = [:]
    private(set) var timers = TimerQueue<InstanceSlot>()

    /// - Parameter settings: an interval shorter than a millisecond counts as one, so that time always goes on.
    init(_ settings: RangingSettings) {
        self.settings = settings
        self.settings.minInterval = max(settings.minInterval, .milliseconds(1))
        self.settings.maxInterval = max(settings.maxInterval, self.settings.minInterval)
    }

    /// When `advance` has something to do next.
    var nextDeadline: Instant { timers.nextDue }

    /// The region came to be inside: it is reported at once.
    mutating func start(_ slot: InstanceSlot, at now: Instant) {
        guard sessions[slot] == nil else { return }
        sessions[slot] = Session(due: now)
        setTimer(slot, now)
    }

    /// The region is inside no more: nothing is reported.
    mutating func stop(_ slot: InstanceSlot) {
        sessions[slot] = nil
    }

    /// A beacon came, left, fell silent or is counted differently: it is reported as soon as the interval allows.
    mutating func listChanged(_ slot: InstanceSlot, at now: Instant) {
        guard let session = sessions[slot], settings.mode == .change else { return }
        let due = max(now, (session.lastReport ?? now) + settings.minInterval)
        if due < session.due { setTimer(slot, due) }
    }

    /// Takes the next instance that is due at or before `now`; the caller then makes its list and calls `isDue`.
    mutating func advance(through now: Instant) -> InstanceSlot? {
        while let timer = timers.first, timer.due <= now {
            timers.removeFirst()
            // A timer that was set again, or whose session has ended, is stale.
            if sessions[timer.subject]?.due == timer.due { return timer.subject }
        }
        return nil
    }

    /// Whether the list is worth publishing now; if so it is what later lists are compared with.
    ///
    /// Distances are looked at once every `min_interval_s`, not with every report from the air.
    mutating func isDue(
        _ slot: InstanceSlot, count: Int, beacons: [RangedBeacon], at now: Instant
    ) -> Bool {
        guard let session = sessions[slot] else { return false }
        let overdue = session.lastReport.map { $0 + settings.maxInterval } ?? now
        let isWorthIt =
            settings.mode == .interval || now >= overdue || count != session.count
            || hasChanged(beacons, since: session.published)
        if isWorthIt {
            sessions[slot]?.lastReport = now
            sessions[slot]?.count = count
            sessions[slot]?.published = Dictionary(
                beacons.map { ($0.transmitter, Self.published($0)) }, uniquingKeysWith: { first, _ in first })
        }
        // Where max_interval_s is no multiple of min_interval_s, it comes in between.
        setTimer(slot, isWorthIt ? now + settings.minInterval : min(now + settings.minInterval, overdue))
        return isWorthIt
    }

    private func hasChanged(_ beacons: [RangedBeacon], since published: [TransmitterSlot: Published]) -> Bool {
        guard beacons.count == published.count else { return true }
        return beacons.contains { beacon in
            guard let before = published[beacon.transmitter] else { return true }
            let now = Self.published(beacon)
            return now.track != before.track || now.proximity != before.proximity
                || now.isResolving != before.isResolving || now.isDuplicate != before.isDuplicate
                || abs(now.accuracy_m - before.accuracy_m) >= settings.distanceFilter_m
        }
    }

    private static func published(_ beacon: RangedBeacon) -> Published {
        Published(
            track: beacon.track, proximity: beacon.observation.proximity, accuracy_m: beacon.observation.accuracy_m,
            isResolving: beacon.isResolving, isDuplicate: beacon.isDuplicate)
    }

    private mutating func setTimer(_ slot: InstanceSlot, _ due: Instant) {
        sessions[slot]?.due = due
        timers.set(slot, at: due)
        // Sessions that start and stop leave timers behind.
        timers.throwOutStale(of: sessions.count) { [sessions] in sessions[$0.subject]?.due == $0.due }
    }
}

/// When ranging reports are made.
package struct RangingSettings: Hashable, Sendable {
    /// The raw value is the word in `config.toml`.
    enum Mode: String, CaseIterable, Sendable {
        /// On a change, and at least every `maxInterval`.
        case change
        /// Every `minInterval`.
        case interval
    }

    var mode: Mode
    /// From one report to the next at least.
    var minInterval: TimeSpan
    /// From one report to the next at most.
    package var maxInterval: TimeSpan
    /// A beacon that moved this far since the last report is a change. Metres.
    var distanceFilter_m: Double
}

/// One beacon in a ranging report.
package struct RangedBeacon: Hashable, Sendable {
    var transmitter: TransmitterSlot
    /// Which physical beacon it is taken for; provisional while it is resolving.
    var track: TrackID
    var identity: BeaconIdentity
    package var address: DeviceAddress
    /// Index of the `[[device]]` it is known as.
    package var device: Int?
    /// RSSI at one metre as the beacon states it, dBm.
    var measuredPower_dbm: Int8
    /// Distance, proximity and smoothed RSSI.
    var observation: BeaconObservation
    var lastHeard: Instant
    /// A new address that may be a rotation: listed, not counted.
    var isResolving: Bool
    /// Another beacon of the same identity is alive.
    var isDuplicate: Bool

    /// How many physical beacons they are: tracks, those still resolving left out.
    package static func count(_ beacons: [RangedBeacon]) -> Int {
        let tracks = beacons.lazy.filter { !$0.isResolving }.map(\.track).sorted()
        var count = 0
        for index in tracks.indices where index == 0 || tracks[index] != tracks[index - 1] { count += 1 }
        return count
    }

    /// Nearest first, unknown last; those alike by age of track and address, so that the order is always the same.
    static func isNearer(_ left: RangedBeacon, _ right: RangedBeacon) -> Bool {
        let leftUnknown = left.observation.proximity == .unknown
        let rightUnknown = right.observation.proximity == .unknown
        if leftUnknown != rightUnknown { return rightUnknown }
        if left.observation.accuracy_m != right.observation.accuracy_m {
            return left.observation.accuracy_m < right.observation.accuracy_m
        }
        return (left.track, left.address.bits) < (right.track, right.address.bits)
    }
}

/// The beacons in range of one region instance.
package struct RangingReport: Hashable, Sendable {
    package var instance: RegionInstanceID
    package var at: Instant
    /// Physical beacons: tracks, resolving ones left out.
    package var count: Int
    /// Nearest first, unknown last.
    var beacons: [RangedBeacon]

    package init(instance: RegionInstanceID, at: Instant, count: Int, beacons: [RangedBeacon]) {
        self.instance = instance
        self.at = at
        self.count = count
        self.beacons = beacons
    }
}
