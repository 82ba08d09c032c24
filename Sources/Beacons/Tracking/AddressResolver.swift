import CCrypto
import HCI

/// Tells which known device a resolvable private address belongs to.
///
/// Core 5.4, Vol 3, Part H, 2.2.2, and Vol 6, Part B, 1.3.2.2:
///
///     bits 47…24   prand, its two highest bits 01
///     bits 23…0    hash = ah(IRK, prand): the low 24 bits of AES-128(IRK, prand padded with zeros in front)
struct AddressResolver: Sendable {
    private let keys: [[UInt8]]

    init(_ devices: [KnownDevice]) {
        self.keys = devices.map(\.identityResolvingKey)
    }

    /// The index of the device in the list this was made from; `nil` where no key explains the address.
    func device(for address: DeviceAddress) -> Int? {
        guard !keys.isEmpty, address.isResolvablePrivate else { return nil }
        let prand = UInt32(truncatingIfNeeded: address.bits >> 24)
        let hash = UInt32(truncatingIfNeeded: address.bits & 0xFF_FFFF)
        return keys.firstIndex { Self.hash($0, prand) == hash }
    }

    /// The Core's `ah`; `nil` for a key that is not 128 bits long, which the configuration does not let through.
    static func hash(_ key: [UInt8], _ prand: UInt32) -> UInt32? {
        var block = [UInt8](repeating: 0, count: 16)
        block[13] = UInt8(truncatingIfNeeded: prand >> 16)
        block[14] = UInt8(truncatingIfNeeded: prand >> 8)
        block[15] = UInt8(truncatingIfNeeded: prand)
        guard let code = encrypted(block, key) else { return nil }
        return UInt32(code[13]) << 16 | UInt32(code[14]) << 8 | UInt32(code[15])
    }

    /// AES-128 of one block, which is all that `ah` takes; `nil` for a key of another length.
    private static func encrypted(_ block: [UInt8], _ key: [UInt8]) -> [UInt8]? {
        guard key.count == 16, block.count == 16, let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        // The library is given room for one more block than it needs.
        var code = [UInt8](repeating: 0, count: 32)
        var length: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, key, nil) == 1,
            EVP_EncryptUpdate(context, &code, &length, block, Int32(block.count)) == 1, length == 16
        else { return nil }
        return code
    }
}
