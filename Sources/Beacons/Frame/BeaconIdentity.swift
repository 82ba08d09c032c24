/// What an iBeacon says it is: proximity UUID, major and minor. It does not change when the address rotates.
public struct BeaconIdentity: Hashable, Comparable, Sendable {
    public let uuid: ProximityUUID
    public let major: UInt16
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
