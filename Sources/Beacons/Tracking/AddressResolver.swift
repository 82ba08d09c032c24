import Crypto
import CryptoExtras
import HCI

/// Tells which known device a resolvable private address belongs to.
///
/// Core 5.4, Vol 3, Part H, 2.2.2, and Vol 6, Part B, 1.3.2.2:
///
///     bits 47…24   prand, its two highest bits 01
///     bits 23…0    hash = ah(IRK, prand): the low 24 bits of AES-128(IRK, prand padded with zeros in front)
struct AddressResolver: Sendable {
    private let keys: [SymmetricKey]

    init(_ devices: [KnownDevice]) {
        self.keys = devices.map { SymmetricKey(data: $0.identityResolvingKey) }
    }

    /// The index of the device in the list this was made from; `nil` where no key explains the address.
    func device(for address: DeviceAddress) -> Int? {
        guard !keys.isEmpty, address.isResolvablePrivate else { return nil }
        let prand = UInt32(truncatingIfNeeded: address.bits >> 24)
        let hash = UInt32(truncatingIfNeeded: address.bits & 0xFF_FFFF)
        return keys.firstIndex { Self.hash($0, prand) == hash }
    }

    /// The Core's `ah`; `nil` for a key that is not 128 bits long, which the configuration does not let through.
    static func hash(_ key: SymmetricKey, _ prand: UInt32) -> UInt32? {
        guard key.bitCount == 128 else { return nil }
        var block = [UInt8](repeating: 0, count: 16)
        block[13] = UInt8(truncatingIfNeeded: prand >> 16)
        block[14] = UInt8(truncatingIfNeeded: prand >> 8)
        block[15] = UInt8(truncatingIfNeeded: prand)
        do {
            try AES.permute(&block, key: key)
        } catch {
            return nil
        }
        return UInt32(block[13]) << 16 | UInt32(block[14]) << 8 | UInt32(block[15])
    }
}
