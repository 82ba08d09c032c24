public import HCI

/// The number of a track: one physical beacon as far as can be told. From 1, never used twice.
public typealias TrackID = UInt64

/// One (identity, address) pair, or one known device with its identity, whatever its address.
///
/// There may be 100,000 of them and each report touches one, so it is a plain value: nothing in it is counted, what is the
/// same for all stands elsewhere, and numbers take the octets that they need.
public struct Transmitter: Sendable {
    /// How long ago it was heard, as far as it matters.
    public enum Presence: Sendable {
        case heard
        /// Silent for `unknown_after_s`: listed, without a proximity.
        case silent
        /// Silent for `resolve_after_s`: off the list, only remembered.
        case gone
    }

    /// Which track it is counted as.
    public enum Standing: Equatable, Sendable {
        /// A track of its own, or one taken over.
        case settled
        /// A new private address of an identity that may just have rotated: listed, not counted.
        case resolving
        /// It left the list while it was resolving: heard again, it is a newcomer like any.
        case undecided
        /// It fell silent and the transmitter in that slot has taken its track over.
        case succeeded(by: TransmitterSlot)
    }

    public internal(set) var identity: BeaconIdentity
    /// Of a known device, the latest.
    public internal(set) var address: DeviceAddress
    /// While it is resolving, a provisional one that is never used again.
    public internal(set) var track: TrackID
    /// When this address was first heard: what an earlier one must have fallen silent before.
    public internal(set) var firstHeard: Instant
    /// The latest report, whether or not it carried an RSSI.
    public internal(set) var lastHeard: Instant
    /// When its track was first heard, under whatever address, since it was last off the list.
    public internal(set) var trackFirstHeard: Instant
    /// When the silence of this transmitter is looked at next; other timers in the queue are stale.
    var silenceDue = Instant.distantFuture
    /// How often it is heard.
    public internal(set) var interval = LearnedInterval()
    /// How strong it is, smoothed.
    var signal = TransmitterSignal()

    // Small ones last: they fill what the alignment of the others leaves.
    /// As its latest frame states it: RSSI at one metre, dBm.
    public internal(set) var measuredPower_dbm: Int8
    public internal(set) var presence = Presence.heard
    /// Hysteresis needs to know where it was.
    public internal(set) var zone = Proximity.unknown
    /// Whether a region is interested in it; the others give way when the table is full.
    var isWanted: Bool
    private var compactStanding = CompactStanding()
    private var deviceNumber: CompactSlot
    /// What a rotation is told by, in `TransmitterTable.traces`; where it may have rotated.
    @CompactSlot var trace: Int? = nil
    private var identityNumber: UInt32
    /// Neighbours in the list of those that give way, `gone` or `unwanted`.
    @CompactSlot var nextInList: TransmitterSlot? = nil
    @CompactSlot var previousInList: TransmitterSlot? = nil
    /// Neighbours among the transmitters of the identity.
    @CompactSlot var nextOfIdentity: TransmitterSlot? = nil
    @CompactSlot var previousOfIdentity: TransmitterSlot? = nil

    init(
        _ sighting: Sighting, device: Int?, track: TrackID, isWanted: Bool, identitySlot: IdentitySlot, at now: Instant
    ) {
        self.identity = sighting.identity
        self.address = sighting.address
        self.deviceNumber = CompactSlot(wrappedValue: device)
        self.measuredPower_dbm = sighting.measuredPower_dbm
        self.track = track
        self.firstHeard = now
        self.lastHeard = now
        self.trackFirstHeard = now
        self.isWanted = isWanted
        self.identityNumber = UInt32(clamping: identitySlot)
    }

    /// Index of the `[[device]]` whose key explains the address.
    public var device: Int? { deviceNumber.wrappedValue }

    public internal(set) var standing: Standing {
        get { compactStanding.standing }
        set { compactStanding.standing = newValue }
    }

    /// Where its identity stands.
    public var identitySlot: IdentitySlot { IdentitySlot(identityNumber) }

    /// Whether no other transmitter has its identity.
    var isOnlyOfIdentity: Bool { nextOfIdentity == nil && previousOfIdentity == nil }

    /// Whether it stands in the ranged list.
    public var isListed: Bool { presence != .gone }

    /// Only a random private address changes by itself; a known device needs no guessing.
    var mayHaveRotated: Bool { address.rotates && device == nil }
}

/// Where a transmitter stands in the tracker. Used again once it is forgotten.
public typealias TransmitterSlot = Int
/// Where an identity stands in the tracker. Used again once its last transmitter is forgotten.
public typealias IdentitySlot = Int
