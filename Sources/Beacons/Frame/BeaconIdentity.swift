/// What an iBeacon says it is: proximity UUID, major and minor. It does not change when the address rotates.
public struct BeaconIdentity: Hashable, Comparable, Sendable {
    /// Names the deployment; a chain of stores uses one.
    public let uuid: ProximityUUID
    /// 0 to 65535, by convention the store.
    public let major: UInt16
    /// 0 to 65535, by convention one beacon in it.
    public let minor: UInt16

    @inlinable
    public init(uuid: ProximityUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    @inlinable
    public static func < (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

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
