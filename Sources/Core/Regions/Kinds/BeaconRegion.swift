/// A region of beacons as the operator registers it: an id and an identity constraint.
///
/// Core Location's `CLBeaconRegion`: a proximity UUID, optionally a major, and optionally a minor, which needs a major.
package struct BeaconRegion: Hashable, Sendable {
    /// The instances of one registration: one, or one for each value heard. The raw value is the word in `config.toml`.
    package enum Expansion: String, CaseIterable, Sendable {
        case none
        case major
        case minor
    }

    /// The id chosen by the operator: one MQTT topic level, unique.
    package var id: String
    package var uuid: ProximityUUID
    /// The major of its beacons; `nil` for any.
    var major: UInt16?
    /// The minor of its beacons; `nil` for any. It needs a major.
    var minor: UInt16?
    package var expansion: Expansion = .none
    /// True if entries make events. The state changes in any case.
    var notifyOnEntry: Bool = true
    /// True if exits make events. The state changes in any case.
    var notifyOnExit: Bool = true
    /// True if the beacons of the region are ranged while it is inside.
    package var isRanged: Bool = true
    /// The RSSI at one metre of its beacons that state an implausible one; `nil` where it is not configured. dBm.
    var measuredPower_dbm: Int8?
    /// True if its beacons are people: their visits are counted, and no message names a beacon.
    package var isOfPeople: Bool = false
    var rules: BeaconRules
}

extension BeaconRegion {
    /// Returns whether a beacon may belong to both regions.
    func overlaps(_ other: BeaconRegion) -> Bool {
        uuid == other.uuid && (major == nil || other.major == nil || major == other.major)
            && (minor == nil || other.minor == nil || minor == other.minor)
    }

    var constraint: BeaconIdentityConstraint { BeaconIdentityConstraint(uuid: uuid, major: major, minor: minor) }

    /// Returns whether a record belongs to this region: to a possible instance, with the present constraint. A region
    /// with this id and other beacons is another region, whose record does not apply. A region of people restores nothing.
    func canRestore(_ record: RegionRecord) -> Bool {
        guard !isOfPeople, canHave(record.instance) else { return false }
        return record.kind == .beacon(of: constraint) || record.kind == .beacon(of: nil)
    }

    /// Returns whether this region, as defined now, can have an instance of that id.
    func canHave(_ instance: RegionInstanceID) -> Bool {
        guard instance.region == id, expansion.makes(instance.discriminator) else { return false }
        if case .minor(let major, _) = instance.discriminator { return major == self.major ?? major }
        return true
    }

    package func instance(of identity: BeaconIdentity) -> RegionInstanceID {
        let discriminator: RegionInstanceID.Discriminator =
            switch expansion {
            case .none: .whole
            case .major: .major(identity.major)
            case .minor: .minor(major: identity.major, minor: identity.minor)
            }
        return RegionInstanceID(region: id, discriminator)
    }
}

extension BeaconRegion.Expansion {
    /// Returns whether this expansion uses that kind of discriminator.
    func makes(_ discriminator: RegionInstanceID.Discriminator) -> Bool {
        switch (self, discriminator) {
        case (.none, .whole), (.major, .major), (.minor, .minor): true
        case (.none, _), (.major, _), (.minor, _): false
        }
    }
}

struct BeaconRules: Hashable, Sendable {
    /// The smoothed RSSI from which a report counts towards an entry. −127: any report counts.
    var entryRSSI_dbm: Double
    /// The time for which a beacon must be heard at that level; zero: the first report enters.
    var entryAfter: TimeSpan
    /// The smoothed RSSI from which a report keeps the region inside. −127: any report does.
    var exitRSSI_dbm: Double
    /// The silence after which the region is left.
    var exitAfter: TimeSpan
    /// The time after registration in which a beacon counts as having been there already.
    var settle: TimeSpan
    /// The blindness of the radio after which the state is `unknown`.
    var unknownStateAfter: TimeSpan
    /// The least number that a region of people publishes.
    var countMinimum: Int64 = 5
}

extension BeaconRules {
    /// Rules that no beacon can satisfy, for a region without beacons.
    static let ofNobody = BeaconRules(
        entryRSSI_dbm: .infinity, entryAfter: .forever, exitRSSI_dbm: .infinity, exitAfter: .forever, settle: .forever,
        unknownStateAfter: .forever)
}

/// A report of a beacon, with the data that regions need.
struct BeaconEvidence: Sendable {
    var transmitter: TransmitterSlot
    var identity: BeaconIdentity
    /// The level of the region filter; `nil` where no report of this transmitter carried an RSSI.
    var level: SignalLevel?
    /// The silence that is ordinary for this transmitter.
    var patience: Patience

    /// Returns whether the report reaches a threshold. A report without an RSSI proves presence only: it counts where
    /// any RSSI would.
    func qualifies(_ threshold_dbm: Double) -> Bool {
        let weakest = SignalLevel(rssi_dbm: -127)
        return (level ?? weakest).isAtLeast(threshold_dbm)
    }
}

/// An index of the regions by identity. A report costs three hash lookups with one region as with a thousand: UUID;
/// UUID and major; UUID, major and minor.
struct BeaconRegionIndex: Sendable {
    private struct Key: Hashable, Sendable {
        var uuid: ProximityUUID
        var major: UInt16?
        var minor: UInt16?
    }

    private var registrations: [Key: [RegistrationSlot]] = [:]

    mutating func insert(_ region: BeaconRegion, as registration: RegistrationSlot) {
        let key = Key(uuid: region.uuid, major: region.major, minor: region.minor)
        registrations[key, default: []].append(registration)
    }

    mutating func remove(_ region: BeaconRegion, of registration: RegistrationSlot) {
        let key = Key(uuid: region.uuid, major: region.major, minor: region.minor)
        registrations[key]?.removeAll { $0 == registration }
        if registrations[key]?.isEmpty == true { registrations[key] = nil }
    }

    /// Returns the registrations that the identity belongs to, in the order in which they were made.
    func registrations(of identity: BeaconIdentity) -> [RegistrationSlot] {
        let keys = [
            Key(uuid: identity.uuid),
            Key(uuid: identity.uuid, major: identity.major),
            Key(uuid: identity.uuid, major: identity.major, minor: identity.minor),
        ]
        return keys.flatMap { registrations[$0] ?? [] }.sorted()
    }
}

/// The beacons of an instance: the state that only regions of beacons have.
enum BeaconState: Equatable, Sendable {
    case nobody
    /// Heard at or above the entry threshold, none of them for long enough yet.
    case candidates(BeaconCandidates)
    case present(BeaconPresence)
}

/// A run of reports of one beacon at or above the entry threshold.
struct BeaconCandidacy: Equatable, Sendable {
    var major: UInt16
    var minor: UInt16
    var firstHeardAt: Instant
    /// The seen time of the first report.
    var firstSeen: Instant
    /// The seen time after which a further report begins a new run.
    var lapsesAt: Instant
}

/// The runs of an instance's beacons, the one that was heard last at first. An instance for each minor has one.
struct BeaconCandidates: Equatable, Sendable {
    /// The most runs of one instance. Beyond it those that have lapsed give way, or else the one that was heard longest ago.
    static let most = 64
    /// The longest pause of a run while the beacon's interval is not known, or is shorter.
    static let shortestPause = TimeSpan.seconds(5)

    private(set) var latest: BeaconCandidacy
    private var others: [BeaconCandidacy] = []

    init(_ first: BeaconCandidacy) { latest = first }

    /// Takes a report. It continues the beacon's run, or begins one where the pause was too long.
    mutating func hear(_ report: BeaconCandidacy) {
        func isSame(_ one: BeaconCandidacy) -> Bool { one.major == report.major && one.minor == report.minor }
        if !isSame(latest) {
            others.append(latest)
            latest = others.firstIndex(where: isSame).map { others.remove(at: $0) } ?? report
            if others.count >= Self.most {
                others.removeAll { $0.lapsesAt < report.firstSeen }
                if others.count >= Self.most { others.removeFirst() }
            }
        }
        guard report.firstSeen <= latest.lapsesAt else {
            latest = report
            return
        }
        latest.lapsesAt = report.lapsesAt
    }

    /// The seen time after which no run is under way any more.
    var lapseAt: Instant { others.reduce(latest.lapsesAt) { max($0, $1.lapsesAt) } }
}

/// The beacons that keep an instance inside.
struct BeaconPresence: Equatable, Sendable {
    /// The beacon that caused the entry, or was there first.
    var major: UInt16
    var minor: UInt16
    /// The transmitter whose report set the time of leaving. A slower beacon may have set a later time.
    var holder: TransmitterSlot?
    /// The silence that is ordinary for that beacon.
    var patience: TimeSpan
    var level: SignalLevel?
}

/// The stored data of the beacons that keep a region inside.
struct BeaconKeeper: Hashable, Sendable {
    /// The beacon that caused the entry, or was there first.
    var major: UInt16
    var minor: UInt16
    /// The silence that was ordinary for the beacon heard last.
    var patience: TimeSpan = .zero
    /// The last smoothed RSSI, for the exit; `nil` where no report carried one.
    var rssi_dbm: Double?
}

extension BeaconState {
    /// The stored data of the beacons inside; `nil` where there are none.
    var keeper: BeaconKeeper? {
        if case .present(let presence) = self { BeaconKeeper(presence) } else { nil }
    }
}

extension BeaconKeeper {
    init(_ presence: BeaconPresence) {
        self.init(
            major: presence.major, minor: presence.minor, patience: presence.patience,
            rssi_dbm: presence.level?.rssi_dbm)
    }

    /// Returns the cause of an exit. The beacon has left, so its distance is unknown.
    func exitCause(uuid: ProximityUUID) -> RegionEvent.Cause {
        .beacon(BeaconIdentity(uuid: uuid, major: major, minor: minor), .undetermined(rssi_dbm: rssi_dbm))
    }
}

extension BeaconPresence {
    /// Restores the beacons of an earlier process. No beacon has been heard yet, so any report counts.
    init(_ keeper: BeaconKeeper) {
        self.init(
            major: keeper.major, minor: keeper.minor, holder: nil, patience: keeper.patience,
            level: keeper.rssi_dbm.map(SignalLevel.init(rssi_dbm:)))
    }
}
