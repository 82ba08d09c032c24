/// Decides when the beacons of a region are reported: on a change, at most every `min_interval_s`, at least every
/// `max_interval_s`.
///
/// The caller says when ranging of an instance starts and stops, and when its list changed. When an instance is
/// due, the caller makes the list and passes it to `isDue`, which returns whether to publish it.
struct Ranger: Sendable {
    /// The last published values of a beacon.
    private struct Published: Hashable, Sendable {
        var track: TrackID
        var proximity: Proximity
        var accuracy_m: Double
        var isResolving: Bool
        var isDuplicate: Bool
    }

    private struct Session: Sendable {
        var due: Instant
        /// The last report; `nil` before the first.
        var lastReport: Instant?
        var count = 0
        var published: [TransmitterSlot: Published] = [:]
        /// The time from which a report gives again how often packets arrive.
        var receptionDue = Instant.origin
    }

    /// The least time between two reports that show how often packets arrive. These figures change slowly, and writing
    /// them costs a tenth of a report.
    static let receptionInterval = TimeSpan.seconds(5)

    private var settings: RangingSettings
    private var sessions: [InstanceSlot: Session] = [:]
    private(set) var timers = TimerQueue<InstanceSlot>()

    /// - Parameter settings: an interval shorter than a millisecond becomes one, so that time always goes on.
    init(_ settings: RangingSettings) {
        self.settings = settings
        self.settings.minInterval = max(settings.minInterval, .milliseconds(1))
        self.settings.maxInterval = max(settings.maxInterval, self.settings.minInterval)
    }

    var nextDeadline: Instant { timers.nextDue }

    /// Starts the reports of an instance that came to be inside, the first at once.
    mutating func start(_ slot: InstanceSlot, at now: Instant) {
        guard sessions[slot] == nil else { return }
        sessions[slot] = Session(due: now)
        setTimer(slot, now)
    }

    /// Stops the reports of an instance that is not inside any more.
    mutating func stop(_ slot: InstanceSlot) { sessions[slot] = nil }

    /// Learns that a beacon came, left, fell silent or is counted differently. The next report comes as soon as
    /// the interval allows.
    mutating func listChanged(_ slot: InstanceSlot, at now: Instant) {
        guard let session = sessions[slot], settings.mode == .change else { return }
        let due = max(now, (session.lastReport ?? now) + settings.minInterval)
        if due < session.due { setTimer(slot, due) }
    }

    /// Returns the next instance that is due at or before `now`. The caller then makes its list and calls `isDue`.
    mutating func advance(through now: Instant) -> InstanceSlot? {
        while let timer = timers.first, timer.due <= now {
            timers.removeFirst()
            // A timer is stale where another was set, or its session has ended.
            if sessions[timer.subject]?.due == timer.due { return timer.subject }
        }
        return nil
    }

    /// Returns whether the next list of an instance shows how often packets arrive.
    func includesReception(_ slot: InstanceSlot, at now: Instant) -> Bool {
        sessions[slot].map { $0.receptionDue <= now } ?? false
    }

    /// Returns whether to publish the list now. If so, later lists are compared with it.
    ///
    /// Distances are compared once every `min_interval_s`, not with every report from the air.
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
            if session.receptionDue <= now { sessions[slot]?.receptionDue = now + Self.receptionInterval }
            sessions[slot]?.published = Dictionary(
                beacons.map { ($0.transmitter, Self.published($0)) }, uniquingKeysWith: { first, _ in first })
        }
        // `max_interval_s` may be no multiple of `min_interval_s`.
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

package struct RangingSettings: Hashable, Sendable {
    /// The trigger of a report. The raw value is the word in `config.toml`.
    enum Mode: String, CaseIterable, Sendable {
        /// On a change, and at least every `maxInterval`.
        case change
        /// Every `minInterval`.
        case interval
    }

    var mode: Mode
    var minInterval: TimeSpan
    package var maxInterval: TimeSpan
    /// The movement since the last report that counts as a change. Metres.
    var distanceFilter_m: Double
}

package struct RangedBeacon: Hashable, Sendable {
    var transmitter: TransmitterSlot
    /// The track, one physical beacon; provisional while it is resolving.
    var track: TrackID
    var identity: BeaconIdentity
    package var address: DeviceAddress
    /// The index of its `[[device]]`.
    package var device: Int?
    /// RSSI at one metre as the beacon states it, dBm.
    var measuredPower_dbm: Int8
    var observation: BeaconObservation
    var lastHeard: Instant
    /// How often its packets arrive; `nil` before three gaps, and in a report within 5 s after one that gives it.
    var reception: Reception?
    /// True if its new address may be a rotation: listed, not counted.
    var isResolving: Bool
    /// True if another beacon of its identity is alive.
    var isDuplicate: Bool

    /// True if the beacon states a measured power that cannot be.
    var statesImplausiblePower: Bool { !IBeaconFrame.isPlausible(power_dbm: measuredPower_dbm) }

    /// Returns the number of physical beacons: tracks, without those still resolving.
    package static func count(_ beacons: [RangedBeacon]) -> Int {
        let tracks = beacons.lazy.filter { !$0.isResolving }.map(\.track).sorted()
        var count = 0
        for index in tracks.indices where index == 0 || tracks[index] != tracks[index - 1] { count += 1 }
        return count
    }

    /// Orders the nearest first and unknown ones last. Equal ones are ordered by age of track and address, so that the
    /// order is repeatable.
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
    /// The number of physical beacons: tracks, without resolving ones.
    package var count: Int
    /// The beacons, the nearest first, unknown ones last.
    var beacons: [RangedBeacon]
}
