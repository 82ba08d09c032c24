/// What an iBeacon says it is: proximity UUID, major and minor. It does not change when the address rotates.
package struct BeaconIdentity: Hashable, Comparable, Sendable {
    /// Names the deployment; a chain of stores uses one.
    let uuid: ProximityUUID
    /// 0 to 65535, by convention the store.
    let major: UInt16
    /// 0 to 65535, by convention one beacon in it.
    let minor: UInt16

    package init(uuid: ProximityUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    package static func < (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

/// Which beacons are meant. Core Location's `CLBeaconIdentityConstraint`.
package struct BeaconIdentityConstraint: Hashable, Sendable {
    var uuid: ProximityUUID
    /// `nil` for any.
    var major: UInt16?
    /// `nil` for any.
    var minor: UInt16?

    package init(uuid: ProximityUUID, major: UInt16?, minor: UInt16?) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    func matches(_ identity: BeaconIdentity) -> Bool {
        identity.uuid == uuid && (major ?? identity.major) == identity.major
            && (minor ?? identity.minor) == identity.minor
    }
}
