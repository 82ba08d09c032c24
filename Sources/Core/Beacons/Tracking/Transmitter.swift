/// The number of a track: one physical beacon as far as can be told. From 1, never used twice.
package typealias TrackID = UInt64

/// One (identity, address) pair, or one known device with its identity, whatever its address.
///
/// There may be 100,000 of them and each report touches one, so it is a plain value: nothing in it is counted, what is the
/// same for all stands elsewhere, and numbers take the octets that they need.
struct Transmitter: Sendable {
    var identity: BeaconIdentity
    /// Of a known device, the latest.
    var address: DeviceAddress
    // Small ones stand where they fill what the alignment of the next one would leave: 8 octets for each of 100,000.
    /// How much regions want it; the others give way when the table is full.
    var interest: RegionInterest
    private var compactStanding = CompactStanding()
    /// While it is resolving, a provisional one that is never used again.
    var track: TrackID
    /// When this address was first heard: what an earlier one must have fallen silent before.
    var firstHeard: Instant
    /// The latest report, whether or not it carried an RSSI.
    var lastHeard: Instant
    /// When its track was first heard, under whatever address, since it was last off the list.
    var trackFirstHeard: Instant
    /// When the silence of this transmitter is looked at next; other timers in the queue are stale.
    var silenceDue = Instant.distantFuture
    /// How often it is heard.
    var interval = LearnedInterval()
    /// How strong it is, smoothed.
    var signal = TransmitterSignal()

    /// As its latest frame states it: RSSI at one metre, dBm.
    var measuredPower_dbm: Int8
    var presence = Presence.heard
    /// Hysteresis needs to know where it was.
    var zone = Proximity.unknown
    @CompactSlot private var deviceSlot: DeviceSlot?
    /// What a rotation is told by, where it may have rotated.
    @CompactSlot var trace: TraceSlot? = nil
    /// Where its identity stands.
    let identitySlot: IdentitySlot
    private var givingWay = SlotLink()
    private var ofIdentity = SlotLink()

    init(
        _ sighting: Sighting, device: DeviceSlot?, track: TrackID, interest: RegionInterest, identitySlot: IdentitySlot,
        at now: Instant
    ) {
        self.identity = sighting.identity
        self.address = sighting.address
        self._deviceSlot = CompactSlot(wrappedValue: device)
        self.measuredPower_dbm = sighting.measuredPower_dbm
        self.track = track
        self.firstHeard = now
        self.lastHeard = now
        self.trackFirstHeard = now
        self.interest = interest
        self.identitySlot = identitySlot
    }

    /// Index of the `[[device]]` whose key explains the address.
    package var device: Int? { deviceSlot?.index }

    var standing: Standing {
        get { compactStanding.standing }
        set { compactStanding.standing = newValue }
    }

    /// Its neighbours in a list of that kind.
    subscript(kind: SlotList.Kind) -> SlotLink {
        get {
            switch kind {
            case .givingWay: givingWay
            case .ofIdentity: ofIdentity
            }
        }
        set {
            switch kind {
            case .givingWay: givingWay = newValue
            case .ofIdentity: ofIdentity = newValue
            }
        }
    }

    /// Whether no other transmitter has its identity.
    var isOnlyOfIdentity: Bool { ofIdentity.next == nil && ofIdentity.previous == nil }

    /// Whether it stands in the ranged list.
    var isListed: Bool { presence != .gone }

    /// Only a random private address changes by itself; a known device needs no guessing.
    var mayHaveRotated: Bool { address.rotates && device == nil }
}

/// Where a transmitter stands in the tracker. Used again once it is forgotten.
struct TransmitterSlot: SlotNumber {
    let number: UInt32

    package init(number: UInt32) { self.number = number }
}

/// Where an identity stands in the tracker. Used again once its last transmitter is forgotten.
struct IdentitySlot: SlotNumber {
    let number: UInt32
}

extension Transmitter {
    /// How long ago it was heard, as far as it matters.
    package enum Presence: Sendable {
        case heard
        /// Silent for `unknown_after_s`: listed, without a proximity.
        case silent
        /// Silent for `resolve_after_s`: off the list, only remembered.
        case gone
    }

    /// Which track it is counted as.
    enum Standing: Equatable, Sendable {
        /// A track of its own, or one taken over.
        case settled
        /// A new private address of an identity that may just have rotated: listed, not counted.
        case resolving
        /// It left the list while it was resolving: heard again, it is a newcomer like any.
        case undecided
        /// It fell silent and the transmitter in that slot has taken its track over.
        case succeeded(by: TransmitterSlot)
    }
}

/// A transmitter's standing in four octets, where the enum takes five and would be padded to eight.
struct CompactStanding: Sendable {
    /// A successor's slot, or one of three numbers that no slot has.
    private var number = UInt32.max
    private static let settled = UInt32.max
    private static let resolving = UInt32.max - 1
    private static let undecided = UInt32.max - 2

    var standing: Transmitter.Standing {
        get {
            switch number {
            case Self.settled: .settled
            case Self.resolving: .resolving
            case Self.undecided: .undecided
            default: .succeeded(by: TransmitterSlot(number: number))
            }
        }
        set {
            switch newValue {
            case .settled: number = Self.settled
            case .resolving: number = Self.resolving
            case .undecided: number = Self.undecided
            case .succeeded(let slot): number = slot.number
            }
        }
    }
}

/// How strong a transmitter is: what is remembered of its readings. The settings, which are the same for all, stand in
/// `SignalSmoothing`.
struct TransmitterSignal: Sendable {
    fileprivate(set) var times = ReadingTimes()
    /// Its level just now, which tells a step.
    fileprivate(set) var quick = QuickLevel()
    /// What distance and proximity are made from.
    fileprivate(set) var distance = SmoothedLevel.unknown
    /// What the distance's level has lost of late.
    fileprivate(set) var shade = Shade()
    /// What the RSSI thresholds of regions look at.
    fileprivate(set) var region = SmoothedLevel.unknown
}

/// How the readings of all transmitters are smoothed.
struct SignalSmoothing: Sendable {
    let distance: LevelFilter
    let region: LevelFilter

    init(_ settings: TrackerSettings) {
        distance = LevelFilter(settings.distanceFilter, scale: .decibels)
        region = LevelFilter(settings.regionFilter, scale: .fieldStrength)
    }

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    func add(_ rssi_dbm: Double, at now: Instant, to signal: inout TransmitterSignal) {
        let place = signal.times.add(at: now, lookBack_s: distance.timeConstant_s)
        signal.quick.add(rssi_dbm, at: place)
        let before_dbm = signal.distance.calm_dbm
        distance.add(rssi_dbm, at: place, of: signal.times, to: &signal.distance)
        distance.follow(signal.quick, by: &signal.distance)
        if let before_dbm, let now_dbm = signal.distance.calm_dbm {
            signal.shade.move(by_db: now_dbm - before_dbm, after_s: place.elapsed_s)
        }
        region.add(rssi_dbm, at: place, of: signal.times, to: &signal.region)
    }

    /// Goes on from the same beacon under its former address.
    func takeOver(_ former: TransmitterSignal, into signal: inout TransmitterSignal) {
        guard !former.times.isEmpty else { return }
        guard !signal.times.isEmpty else {
            signal = former
            return
        }
        let gap_s = (signal.times.first - former.times.latest).seconds
        let own_dbm = signal.distance.calm_dbm
        signal.quick.takeOver(former.quick, gap_s: gap_s)
        distance.takeOver(former.distance, of: former.times, into: &signal.distance, of: signal.times)
        if let own_dbm, let former_dbm = former.distance.calm_dbm, let level_dbm = signal.distance.calm_dbm {
            signal.shade.takeOver(former.shade, gap_s: gap_s, from: former_dbm, own_dbm, to: level_dbm)
        }
        region.takeOver(former.region, of: former.times, into: &signal.region, of: signal.times)
    }

    /// The level that the distance is made from; `nil` before the first reading.
    func distanceLevel(of signal: TransmitterSignal) -> SignalLevel? {
        guard let calm_dbm = signal.distance.calm_dbm else { return distance.level(signal.distance) }
        return SignalLevel(rssi_dbm: calm_dbm + signal.shade.lift_db)
    }

    /// How uncertain the level is that the distance is made from, by the number and scatter of its readings. dB².
    func distanceVariance(of signal: TransmitterSignal) -> Double {
        signal.quick.scatter * distance.share(ofOneReading: signal.distance, quick: signal.quick)
    }

    /// What the region filter would say had its readings gone on from those of another transmitter; `nil` for a filter that
    /// can't tell by its memory alone.
    func regionLevel(of signal: TransmitterSignal, after former: TransmitterSignal) -> SignalLevel? {
        switch signal.region {
        case .unknown, .latest: return nil
        case .ewma, .kalman: break
        }
        var level = signal.region
        region.takeOver(former.region, of: former.times, into: &level, of: signal.times)
        return region.level(level)
    }
}
