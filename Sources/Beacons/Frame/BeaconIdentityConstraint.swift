/// Which beacons are meant. Core Location's `CLBeaconIdentityConstraint`.
public struct BeaconIdentityConstraint: Hashable, Sendable {
    public var uuid: ProximityUUID
    /// `nil` for any.
    public var major: UInt16?
    /// `nil` for any.
    public var minor: UInt16?

    public init(uuid: ProximityUUID, major: UInt16?, minor: UInt16?) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    public func matches(_ identity: BeaconIdentity) -> Bool {
        identity.uuid == uuid && (major ?? identity.major) == identity.major
            && (minor ?? identity.minor) == identity.minor
    }
}
