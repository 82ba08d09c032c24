/// Advertising data as the simulated devices send it.
enum AdvertisingPayload {
    /// Flags as phones set them (LE General Discoverable, both kinds of simultaneous LE and BR/EDR).
    private static let flags: [UInt8] = [0x02, 0x01, 0x1A]

    /// Flags and the iBeacon frame, 30 octets.
    static func iBeacon(_ identity: BeaconIdentity, measuredPower_dbm: Int8) -> [UInt8] {
        flags + IBeaconFrame(identity: identity, measuredPower_dbm: measuredPower_dbm).encodedStructure
    }

    /// One of the kinds of device that a shop is full of: phones' nearby messages (Apple's company identifier without
    /// an iBeacon in it), service data of a fitness band, a bare name.
    static func other(random: inout RandomStream) -> [UInt8] {
        let noise = (0..<6).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        switch random.below(3) {
        case 0: return flags + [0x0A, 0xFF, 0x4C, 0x00, 0x10, 0x05] + noise.prefix(5)
        case 1: return flags + [0x09, 0x16, 0x9F, 0xFE] + noise
        default: return [0x05, 0x09] + Array("Band".utf8)
        }
    }
}
