import Beacons
public import HCI

/// What is stored of the beacons that keep a region inside.
public struct BeaconKeeper: Hashable, Sendable {
    /// The beacon that the region was entered by, or that was there first.
    public var major: UInt16
    public var minor: UInt16
    /// The silence that was ordinary for the beacon heard last.
    public var patience: TimeSpan
    /// The last smoothed RSSI, for the exit; `nil` where no report carried one.
    public var rssi_dbm: Double?

    public init(major: UInt16, minor: UInt16, patience: TimeSpan = .zero, rssi_dbm: Double?) {
        self.major = major
        self.minor = minor
        self.patience = patience
        self.rssi_dbm = rssi_dbm
    }
}

extension BeaconKeeper {
    /// What an exit tells of the beacon that the stay was about: it is not there any more, so how near it is nobody knows.
    func exitCause(uuid: ProximityUUID) -> RegionEvent.Cause {
        .beacon(BeaconIdentity(uuid: uuid, major: major, minor: minor), .undetermined(rssi_dbm: rssi_dbm))
    }
}
