/// A region as the operator registers it: a name, and which beacons belong to it.
///
/// Core Location's `CLBeaconRegion`: a proximity UUID, optionally a major, optionally a minor, which needs a major.
package struct BeaconRegion: Hashable, Sendable {
    /// Whether one registration stands for many instances, one for each value heard. The raw value is the word in
    /// `config.toml`.
    package enum Expansion: String, CaseIterable, Sendable {
        case none
        /// One instance for each major.
        case major
        /// One instance for each pair of major and minor.
        case minor
    }

    /// The operator's own name: one MQTT topic level, unique.
    package var id: String
    var uuid: ProximityUUID
    /// Only beacons of this major; `nil` for any.
    var major: UInt16?
    /// Only beacons of this minor; `nil` for any. Needs a major.
    var minor: UInt16?
    package var expansion: Expansion
    /// Whether entries make events; the state goes on regardless.
    var notifyOnEntry: Bool
    /// Whether exits make events.
    var notifyOnExit: Bool
    /// Whether the beacons of the region are ranged while it is inside.
    package var isRanged: Bool
    var rules: BeaconRules

    package init(
        id: String, uuid: ProximityUUID, major: UInt16? = nil, minor: UInt16? = nil, expansion: Expansion = .none,
        notifyOnEntry: Bool = true, notifyOnExit: Bool = true, isRanged: Bool = true, rules: BeaconRules
    ) {
        self.id = id
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.expansion = expansion
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.isRanged = isRanged
        self.rules = rules
    }
}

extension BeaconRegion {
    var constraint: BeaconIdentityConstraint {
        BeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
    }

    /// Whether a record is this region's: of an instance that it can have, and of the beacons that belong to it now. Under the
    /// same id with other beacons it is another region, of which nothing is known.
    func canRestore(_ record: RegionRecord) -> Bool {
        guard canHave(record.instance) else { return false }
        return record.kind == .beacon(of: constraint) || record.kind == .beacon(of: nil)
    }

    /// Whether an instance of that name can be this region's, as it is defined now.
    func canHave(_ instance: RegionInstanceID) -> Bool {
        guard instance.region == id, expansion.makes(instance.discriminator) else { return false }
        if case .minor(let major, _) = instance.discriminator { return major == self.major ?? major }
        return true
    }

    /// The instance that the beacons of an identity belong to.
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
    /// Whether that tells instances of such a region apart.
    func makes(_ discriminator: RegionInstanceID.Discriminator) -> Bool {
        switch (self, discriminator) {
        case (.none, .whole), (.major, .major), (.minor, .minor): true
        case (.none, _), (.major, _), (.minor, _): false
        }
    }
}

/// When a region is entered and left.
package struct BeaconRules: Hashable, Sendable {
    /// Smoothed RSSI from which on a report counts towards an entry. −127: any report does.
    var entryRSSI_dbm: Double
    /// How long a beacon must be heard like that; zero: the first report enters.
    var entryAfter: TimeSpan
    /// Smoothed RSSI from which on a report keeps the region inside. −127: any report does.
    var exitRSSI_dbm: Double
    /// How long nothing may have kept it before it is left.
    var exitAfter: TimeSpan
    /// How long after registration a beacon counts as having been there already.
    var settle: TimeSpan
    /// How long the radio may be blind before the state is `unknown`.
    var unknownStateAfter: TimeSpan
}

extension BeaconRules {
    /// A region that has no beacons is entered by none.
    static let ofNobody = BeaconRules(
        entryRSSI_dbm: .infinity, entryAfter: .forever, exitRSSI_dbm: .infinity, exitAfter: .forever, settle: .forever,
        unknownStateAfter: .forever)
}

/// Finds the regions that a beacon belongs to by hash look-up, so that a report costs the same with one region as with
/// a thousand: three look-ups, for UUID, UUID and major, and UUID, major and minor.
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

    /// The registrations that the identity belongs to, in the order in which they were made.
    func registrations(of identity: BeaconIdentity) -> [RegistrationSlot] {
        let keys = [
            Key(uuid: identity.uuid),
            Key(uuid: identity.uuid, major: identity.major),
            Key(uuid: identity.uuid, major: identity.major, minor: identity.minor),
        ]
        return keys.flatMap { registrations[$0] ?? [] }.sorted()
    }
}

/// How the beacons of an instance stand: what it needs to know of them beside what every `RegionInstance` knows.
package enum BeaconStanding: Equatable, Sendable {
    case nobody
    /// Heard at or above the entry threshold, not for long enough yet.
    case candidate(BeaconCandidacy)
    case present(BeaconPresence)
}

/// A run of reports at or above the entry threshold.
package struct BeaconCandidacy: Equatable, Sendable {
    var firstHeardAt: Instant
    /// Seen times.
    var firstSeen: Instant
    var lastSeen: Instant
}

/// The beacons that keep an instance inside.
package struct BeaconPresence: Equatable, Sendable {
    /// The beacon that caused the entry, or was there first.
    var major: UInt16
    var minor: UInt16
    /// Whose report says until when it holds: a slower beacon may have set that further off.
    var holder: TransmitterSlot?
    /// The silence that is ordinary for that beacon.
    var patience: TimeSpan
    package var level: SignalLevel?
}

/// What is stored of the beacons that keep a region inside.
struct BeaconKeeper: Hashable, Sendable {
    /// The beacon that the region was entered by, or that was there first.
    var major: UInt16
    var minor: UInt16
    /// The silence that was ordinary for the beacon heard last.
    var patience: TimeSpan
    /// The last smoothed RSSI, for the exit; `nil` where no report carried one.
    var rssi_dbm: Double?

    init(major: UInt16, minor: UInt16, patience: TimeSpan = .zero, rssi_dbm: Double?) {
        self.major = major
        self.minor = minor
        self.patience = patience
        self.rssi_dbm = rssi_dbm
    }
}

extension BeaconStanding {
    /// Who keeps the instance inside, as it is stored; `nil` where nobody does.
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

    /// What an exit tells of the beacon that the stay was about: it is not there any more, so how near it is nobody knows.
    func exitCause(uuid: ProximityUUID) -> RegionEvent.Cause {
        .beacon(BeaconIdentity(uuid: uuid, major: major, minor: minor), .undetermined(rssi_dbm: rssi_dbm))
    }
}

extension BeaconPresence {
    /// Of an earlier process: nobody has been heard yet, so anybody's report counts.
    init(_ keeper: BeaconKeeper) {
        self.init(
            major: keeper.major, minor: keeper.minor, holder: nil, patience: keeper.patience,
            level: keeper.rssi_dbm.map(SignalLevel.init(rssi_dbm:)))
    }
}
