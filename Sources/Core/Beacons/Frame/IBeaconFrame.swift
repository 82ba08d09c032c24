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
/// It is read wherever it stands in the payload, with or without Flags. Octets behind the frame are allowed, because
/// Apple strings several messages together in one structure.
package struct IBeaconFrame: Hashable, Sendable {
    /// Who it says it is. Nothing proves it.
    var identity: BeaconIdentity
    /// RSSI at one metre as the transmitter states it, dBm.
    var measuredPower_dbm: Int8

    package init(identity: BeaconIdentity, measuredPower_dbm: Int8) {
        self.identity = identity
        self.measuredPower_dbm = measuredPower_dbm
    }

    static let manufacturerSpecificData: UInt8 = 0xFF
    static let prefix: UInt32 = 0x4C00_0215
    static let length = 25

    /// Hands every iBeacon frame of an advertising payload to `body`, and counts what is malformed.
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
        // Where the controller itself lost the rest of a chain, a cut structure is no fault of the transmitter.
        if !isWhole, report.dataStatus != .truncated { rejects.count(.overrunningStructure) }
    }

    static func hasPrefix(_ content: Span<UInt8>) -> Bool {
        bigEndian32(content, at: 0) == prefix
    }

    /// The caller has checked that `length` octets are there.
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
