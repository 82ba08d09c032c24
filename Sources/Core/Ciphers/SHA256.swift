import CCrypto

/// The digest SHA-256 (FIPS 180-4), computed by OpenSSL's libcrypto.
enum SHA256 {
    /// How many octets a digest has.
    static let length = 32

    /// The digest of any number of octets.
    ///
    /// - Returns: 32 octets; `nil` where libcrypto has no memory left, or was set up without the algorithm.
    static func digest(of message: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: length)
        var written: UInt32 = 0
        let status = EVP_Digest(message, message.count, &digest, &written, EVP_sha256(), nil)
        return status == 1 && written == length ? digest : nil
    }
}
