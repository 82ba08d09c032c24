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

/// The 128-bit proximity UUID of a beacon deployment.
package struct ProximityUUID: Hashable, Comparable, Sendable {
    /// Octets 0 to 7 as they stand on the air, big-endian.
    let high: UInt64
    /// Octets 8 to 15.
    let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 32 hexadecimal digits, upper or lower case, with the usual four dashes or without any; `nil` for anything
    /// else.
    package init?(_ text: some StringProtocol) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        var count: UInt64 = 0
        /// Behind which digits there is a dash, a bit each.
        var dashes: UInt64 = 0
        for octet in text.utf8 {
            if octet == UInt8(ascii: "-") {
                guard dashes & 1 << count == 0 else { return nil }
                dashes |= 1 << count
                continue
            }
            guard count < 32, let digit = Self.digit(octet) else { return nil }
            if count < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
            count += 1
        }
        guard count == 32, dashes == 0 || dashes == 1 << 8 | 1 << 12 | 1 << 16 | 1 << 20 else { return nil }
        self.init(high: high, low: low)
    }

    private static func digit(_ octet: UInt8) -> UInt64? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(octet - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(octet - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(octet - UInt8(ascii: "a")) + 10
        default: nil
        }
    }

    package static func < (left: ProximityUUID, right: ProximityUUID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension ProximityUUID: CustomStringConvertible {
    /// Upper case with dashes: `39ED98FF-2900-441A-802F-9C398FC199D2`.
    package var description: String {
        func hex(_ value: UInt64, digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return hex(high >> 32, digits: 8) + "-" + hex(high >> 16 & 0xFFFF, digits: 4) + "-"
            + hex(high & 0xFFFF, digits: 4) + "-" + hex(low >> 48, digits: 4) + "-"
            + hex(low & 0xFFFF_FFFF_FFFF, digits: 12)
    }
}
