import CCrypto

/// Signatures by Ed25519 (RFC 8032), checked by OpenSSL's libcrypto.
package struct Ed25519PublicKey: Hashable, Sendable {
    /// The length of a key, octets.
    static let length = 32
    /// The length of a signature, octets.
    static let signatureLength = 64

    /// The key as RFC 8032 writes it.
    private let octets: [UInt8]

    /// Reads a key in PEM (`BEGIN PUBLIC KEY`), as `openssl pkey -pubout` writes it.
    ///
    /// - Returns: `nil` for anything else, and for a public key of another algorithm.
    package init?(pem: [UInt8]) {
        guard let length = Int32(exactly: pem.count), let source = BIO_new_mem_buf(pem, length) else { return nil }
        defer { BIO_free(source) }
        guard let key = PEM_read_bio_PUBKEY(source, nil, nil, nil) else { return nil }
        defer { EVP_PKEY_free(key) }
        var octets = [UInt8](repeating: 0, count: Self.length)
        var written = Self.length
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519,
            EVP_PKEY_get_raw_public_key(key, &octets, &written) == 1, written == Self.length
        else { return nil }
        self.octets = octets
    }

    /// Returns whether the owner of the key has signed the message. It is `false` too where libcrypto has no memory left.
    ///
    /// - Parameter signature: 64 octets; any other length is no signature.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureLength,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, octets, octets.count)
        else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        // Ed25519 has its digest inside, so no digest is named.
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// Base64 (RFC 4648, 4), decoded by OpenSSL's libcrypto.
enum Base64 {
    /// The longest text, octets. A signature takes 88.
    static let maxLength = 4_096

    /// Returns the octets of a text; `nil` where the text is no Base64 with its padding, or too long.
    static func decode(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count <= maxLength, letters.count % 4 == 0, letters.allSatisfy(isLetter) else { return nil }
        let padding = letters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, !letters.dropLast(padding).contains(UInt8(ascii: "=")) else { return nil }
        var octets = [UInt8](repeating: 0, count: letters.count / 4 * 3)
        let length = EVP_DecodeBlock(&octets, letters, Int32(letters.count))
        guard length == octets.count else { return nil }
        return octets.dropLast(padding)
    }

    /// libcrypto passes over white space, which RFC 4648 does not allow.
    private static func isLetter(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
