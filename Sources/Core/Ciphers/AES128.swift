import CCrypto

/// AES-128 (FIPS 197) of single blocks, computed by OpenSSL's libcrypto.
///
/// It holds what libcrypto works in, so that one after the other can be encrypted, each with its own key, and nothing is
/// allocated for it.
struct AES128: ~Copyable {
    /// 16 octets, as FIPS 197 writes them from left to right.
    typealias Block = SIMD16<UInt8>

    private let context: OpaquePointer

    /// Takes over what `make()` has set up: an initialiser that fails would have to give it back half made.
    private init(_ context: OpaquePointer) { self.context = context }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// `nil` where libcrypto has no memory left, or was set up without the algorithm.
    static func make() -> AES128? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        // ECB is each block for itself. The key comes with the block.
        guard EVP_EncryptInit_ex2(context, EVP_aes_128_ecb(), nil, nil, nil) == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        return AES128(context)
    }

    /// One block, encrypted.
    ///
    /// - Parameter key: 16 octets, in the order of a block's.
    /// - Returns: `nil` where the key has another length, or libcrypto failed.
    mutating func encrypt(_ block: Block, key: [UInt8]) -> Block? {
        guard key.count == Block.scalarCount, EVP_EncryptInit_ex2(context, nil, key, nil, nil) == 1 else { return nil }
        var encrypted = block
        // A whole block comes out at once; padding would follow at an end, which is never asked for.
        let written = withUnsafeMutableBytes(of: &encrypted) { bytes in
            let octets = bytes.bindMemory(to: UInt8.self).baseAddress
            var written: Int32 = 0
            let status = EVP_EncryptUpdate(context, octets, &written, octets, Int32(Block.scalarCount))
            return status == 1 ? written : 0
        }
        return written == Block.scalarCount ? encrypted : nil
    }
}
