/// The frame that makes an advertisement an iBeacon.
///
/// Apple, "Proximity Beacon Specification", R1, inside an AD structure of type 0xFF, manufacturer-specific data:
///
///     octets 0…1     company identifier 0x004C, Apple, little-endian
///     octets 2…3     0x02 0x15: proximity beacon, 21 octets follow
///     octets 4…19    proximity UUID, big-endian
///     octets 20…21   major, big-endian
///     octets 22…23   minor, big-endian
///     octet 24       measured power: RSSI at one metre, dBm, signed
///
/// The frame is read anywhere in the payload, with or without Flags. Octets behind the frame are allowed, because
/// Apple strings several messages together in one structure.
package struct IBeaconFrame: Hashable, Sendable {
    /// The claimed identity. A frame cannot prove it.
    var identity: BeaconIdentity
    /// RSSI at one metre as the transmitter states it, dBm.
    var measuredPower_dbm: Int8

    /// The measured powers that a beacon can have. Another one says nothing about a distance.
    static let plausiblePower_dbm: ClosedRange<Int8> = -100 ... -20

    /// Returns whether a beacon can have that measured power.
    static func isPlausible(power_dbm: Int8) -> Bool { plausiblePower_dbm.contains(power_dbm) }

    package init(identity: BeaconIdentity, measuredPower_dbm: Int8) {
        self.identity = identity
        self.measuredPower_dbm = measuredPower_dbm
    }

    static let manufacturerSpecificData: UInt8 = 0xFF
    static let prefix: UInt32 = 0x4C00_0215
    static let length = 25

    /// Passes each iBeacon frame of an advertising payload to `body`, and counts malformed structures.
    static func forEach(
        in report: AdvertisingReport, _ data: Span<UInt8>, rejects: inout RejectCounts, body: (IBeaconFrame) -> Void
    ) {
        var truncated = false
        let isWhole = ADStructures.forEach(in: data) { type, content in
            guard type == manufacturerSpecificData, content.count >= 4, hasPrefix(content) else { return }
            if content.count >= length {
                body(decode(content))
            } else {
                truncated = true
            }
        }
        if truncated { rejects.count(.truncatedBeacon) }
        // Where the controller lost the rest of a chain, a cut structure is not the transmitter's fault.
        if !isWhole, report.dataStatus != .truncated { rejects.count(.overrunningStructure) }
    }

    static func hasPrefix(_ content: Span<UInt8>) -> Bool { bigEndian32(content, at: 0) == prefix }

    /// Decodes a frame. The caller has checked that `length` octets are there.
    static func decode(_ content: Span<UInt8>) -> IBeaconFrame {
        let numbers = bigEndian32(content, at: 20)
        return IBeaconFrame(
            identity: BeaconIdentity(
                uuid: ProximityUUID(high: bigEndian64(content, at: 4), low: bigEndian64(content, at: 12)),
                major: UInt16(numbers >> 16), minor: UInt16(truncatingIfNeeded: numbers)),
            measuredPower_dbm: Int8(bitPattern: content[24]))
    }

    /// The whole AD structure, for a transmitter: length, type and the 25 octets above.
    package var encodedStructure: [UInt8] {
        func octets(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
        let numbers = [identity.major, identity.minor].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return [26, Self.manufacturerSpecificData, 0x4C, 0x00, 0x02, 0x15] + octets(identity.uuid.high)
            + octets(identity.uuid.low) + numbers + [UInt8(bitPattern: measuredPower_dbm)]
    }
}

/// The identity in an iBeacon frame: proximity UUID, major and minor. It stays when the address rotates.
package struct BeaconIdentity: Hashable, Comparable, Sendable {
    /// The UUID of the deployment. A chain of stores uses one.
    let uuid: ProximityUUID
    /// 0 to 65535, by convention the number of the store.
    let major: UInt16
    /// 0 to 65535, by convention the number of the beacon in the store.
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

/// The beacons of a UUID, major and minor. Core Location's `CLBeaconIdentityConstraint`.
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

    /// Reads 32 hexadecimal digits in either case, with the usual four dashes or with none. Returns `nil` for other
    /// text.
    package init?(_ text: some StringProtocol) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        var count: UInt64 = 0
        /// One bit for each digit that has a dash behind it.
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

/// A beacon of a region that states an implausible measured power: an entry of `implausible_power` in `health`.
package struct ImplausiblePower: Hashable, Sendable {
    /// The most beacons that are named. A stranger can send any number of identities.
    static let most = 32

    package var identity: BeaconIdentity
    var measuredPower_dbm: Int8
}
