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
