import CCrypto

/// The keyed digest HMAC (RFC 2104, FIPS 198-1) with SHA-256, computed by OpenSSL's libcrypto.
enum HMACSHA256 {
    /// How many octets a code has.
    static let length = SHA256.length

    /// The code of a message.
    ///
    /// - Parameters:
    ///   - message: any number of octets.
    ///   - key: any number of octets. A key of more than 64 stands for its digest, as the RFC has it.
    /// - Returns: 32 octets; `nil` where libcrypto has no memory left, or was set up without the algorithm.
    static func code(for message: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let keyLength = Int32(exactly: key.count) else { return nil }
        var code = [UInt8](repeating: 0, count: length)
        var written: UInt32 = 0
        let made = HMAC(EVP_sha256(), key, keyLength, message, message.count, &code, &written)
        return made != nil && written == length ? code : nil
    }
}
