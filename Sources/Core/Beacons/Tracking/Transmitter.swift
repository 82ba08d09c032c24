/// The number of a track, one physical beacon as far as can be known. Numbers start at 1 and are never reused.
typealias TrackID = UInt64

/// One pair of identity and address; or one known device with its identity, under any address.
///
/// There may be 100,000, and each report touches one. So a transmitter is a plain value without reference counts.
/// Common data is elsewhere, and each number is as small as it can be.
struct Transmitter: Sendable {
    var identity: BeaconIdentity
    /// The address; of a known device, the latest.
    var address: DeviceAddress
    // Small members fill the alignment gaps of larger ones. That saves 8 octets for each of 100,000.
    /// The regions' interest. Transmitters with less interest give way when the table is full.
    var interest: RegionInterest
    private var compactTrackState = CompactTrackState()
    /// The track; a provisional one, never reused, while the transmitter is resolving.
    var track: TrackID
    /// The first report under this address. A predecessor must have fallen silent before it.
    var firstHeard: Instant
    /// The latest report, with or without an RSSI.
    var lastHeard: Instant
    /// The first report of its track, under any address, since it was last off the list.
    var trackFirstHeard: Instant
    /// The next check of its silence. Other timers in the queue are stale.
    var silenceDue = Instant.distantFuture
    var interval = LearnedInterval()
    var signal = TransmitterSignal()

    /// RSSI at one metre in the latest frame, dBm.
    var measuredPower_dbm: Int8
    var presence = Presence.heard
    /// The last zone, for the hysteresis.
    var zone = Proximity.unknown
    @CompactSlot private var deviceSlot: DeviceSlot?
    /// The slot of the evidence for a rotation, where it may rotate.
    @CompactSlot var trace: TraceSlot? = nil
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

    /// Overwrites who it was. A free slot may stay in memory for days.
    mutating func removeIdentity() {
        identity = BeaconIdentity(uuid: ProximityUUID(high: 0, low: 0), major: 0, minor: 0)
        address = DeviceAddress(bits: 0, type: .anonymous)
    }

    /// The index of the `[[device]]` whose key resolves the address.
    var device: Int? { deviceSlot?.index }

    var trackState: TrackState {
        get { compactTrackState.trackState }
        set { compactTrackState.trackState = newValue }
    }

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

    var isOnlyOfIdentity: Bool { ofIdentity.next == nil && ofIdentity.previous == nil }

    /// True if the transmitter is in the ranged list.
    var isListed: Bool { presence != .gone }

    /// True if it may have rotated. Only a random private address changes by itself, and a known device is resolved by
    /// its key.
    var mayHaveRotated: Bool { address.rotates && device == nil }
}

/// The slot of a transmitter in the tracker. It is reused once the transmitter is forgotten.
struct TransmitterSlot: SlotNumber {
    let number: UInt32
}

/// The slot of an identity in the tracker. It is reused once the last transmitter is forgotten.
struct IdentitySlot: SlotNumber {
    let number: UInt32
}

extension Transmitter {
    /// The stage of a transmitter's silence.
    enum Presence: Sendable {
        case heard
        /// Silent for `unknown_after_s`: listed, without a proximity.
        case silent
        /// Silent for `resolve_after_s`: off the list, only remembered.
        case gone
    }

    /// The way in which the transmitter counts as a track.
    enum TrackState: Equatable, Sendable {
        /// A track of its own, or one taken over.
        case settled
        /// A new private address of an identity that may just have rotated: listed, not counted.
        case resolving
        /// Off the list since before it was resolved. When it is heard again, it is a newcomer.
        case undecided
        /// Silent, and its track was taken over by the transmitter in that slot.
        case succeeded(by: TransmitterSlot)
    }
}

/// A track's state in four octets; the enum takes five and would be padded to eight.
struct CompactTrackState: Sendable {
    /// A successor's slot, or one of three reserved numbers.
    private var number = UInt32.max
    private static let settled = UInt32.max
    private static let resolving = UInt32.max - 1
    private static let undecided = UInt32.max - 2

    var trackState: Transmitter.TrackState {
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

/// The filter states of a transmitter's level. `SignalSmoothing` holds the common settings.
struct TransmitterSignal: Sendable {
    fileprivate(set) var times = ReadingTimes()
    // The two numbers of `shade` fill the gaps before larger members. That saves 8 octets for each of 100,000.
    private var fallen_db: Float = 0
    /// The current level, which detects steps.
    fileprivate(set) var quick = QuickLevel()
    /// The level for distance and proximity.
    fileprivate(set) var distance = SmoothedLevel.unknown
    private var heard_s: Float = 0
    /// The level for the RSSI thresholds of regions.
    fileprivate(set) var region = SmoothedLevel.unknown

    /// The recent fall of the distance's level.
    fileprivate var shade: Shade {
        get { Shade(fallen_db: fallen_db, heard_s: heard_s) }
        set { (fallen_db, heard_s) = (newValue.fallen_db, newValue.heard_s) }
    }
}

/// The filters of all transmitters' readings.
struct SignalSmoothing: Sendable {
    let distance: LevelFilter
    let region: LevelFilter

    init(_ settings: TrackerSettings) {
        distance = LevelFilter(settings.distanceFilter, scale: .decibels)
        region = LevelFilter(settings.regionFilter, scale: .fieldStrength)
    }

    /// Adds one reading, within `SignalLevel.range_dbm`.
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

    /// Continues the state of the beacon's former address.
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

    /// Returns the level for the distance; `nil` before the first reading.
    func distanceLevel(of signal: TransmitterSignal) -> SignalLevel? {
        guard let calm_dbm = signal.distance.calm_dbm else { return distance.level(signal.distance) }
        return SignalLevel(rssi_dbm: calm_dbm + signal.shade.lift_db)
    }

    /// Returns the variance of the level for the distance, by the number and scatter of its readings. dB².
    func distanceVariance(of signal: TransmitterSignal) -> Double {
        signal.quick.scatter * distance.share(ofOneReading: signal.distance, quick: signal.quick)
    }

    /// Returns the level of the region filter as if its readings had followed those of another transmitter; `nil` for a
    /// filter whose state does not allow that.
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
