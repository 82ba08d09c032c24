import CCrypto

/// A private key of X25519 (RFC 7748), for secrets that two parties agree on. OpenSSL's libcrypto computes them.
struct X25519PrivateKey: Sendable {
    /// The length of each key, and of a secret, octets.
    static let length = 32

    private let octets: [UInt8]
    /// The other half, which everybody may know.
    let publicKey: [UInt8]

    /// - Parameter octets: 32 random octets; `nil` for any other number, and where libcrypto fails.
    init?(_ octets: [UInt8]) {
        guard octets.count == Self.length,
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, octets, octets.count)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        var publicKey = [UInt8](repeating: 0, count: Self.length)
        var written = Self.length
        guard EVP_PKEY_get_raw_public_key(key, &publicKey, &written) == 1, written == Self.length else { return nil }
        (self.octets, self.publicKey) = (octets, publicKey)
    }

    /// Returns the secret that the owner of the other public key computes too.
    ///
    /// - Returns: `nil` for a key of another length, for one that would make a secret of zeros, and where libcrypto fails.
    func secret(with publicKey: [UInt8]) -> [UInt8]? {
        // A connection of libmosquitto on this thread would take a failure that is left here for its own.
        defer { ERR_clear_error() }
        guard publicKey.count == Self.length,
            let own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, octets, octets.count)
        else { return nil }
        defer { EVP_PKEY_free(own) }
        guard let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, publicKey.count) else {
            return nil
        }
        defer { EVP_PKEY_free(other) }
        guard let context = EVP_PKEY_CTX_new(own, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: Self.length)
        var written = Self.length
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
            EVP_PKEY_derive(context, &secret, &written) == 1, written == Self.length
        else { return nil }
        return secret
    }
}

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), computed by OpenSSL's libcrypto, for keys that encrypt one message. So the
/// nonce is always zero.
///
///     sealed = encrypted (as long as the message) | tag (16)
enum OneMessageCipher {
    static let keyLength = 32
    static let tagLength = 16
    private static let nonce = [UInt8](repeating: 0, count: 12)

    /// Returns the sealed message; `nil` where libcrypto fails.
    static func seal(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard key.count == keyLength, let length = Int32(exactly: message.count),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: message.count)
        var tag = [UInt8](repeating: 0, count: tagLength)
        var written: Int32 = 0
        guard EVP_EncryptInit_ex2(context, EVP_aes_256_gcm(), key, nonce, nil) == 1,
            EVP_EncryptUpdate(context, &sealed, &written, message, length) == 1, written == length
        else { return nil }
        // The mode has no padding, so nothing is left to write.
        guard EVP_EncryptFinal_ex(context, &tag, &written) == 1, written == 0,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        else { return nil }
        return sealed + tag
    }

    /// Returns the message; `nil` for octets that the owner of the key has not sealed.
    static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard key.count == keyLength, sealed.count >= tagLength, let length = Int32(exactly: sealed.count - tagLength),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var message = [UInt8](repeating: 0, count: Int(length))
        var tag = Array(sealed.suffix(tagLength))
        var rest = [UInt8](repeating: 0, count: tagLength)
        var written: Int32 = 0
        guard EVP_DecryptInit_ex2(context, EVP_aes_256_gcm(), key, nonce, nil) == 1,
            EVP_DecryptUpdate(context, &message, &written, sealed, length) == 1, written == length,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(context, &rest, &written) == 1, written == 0
        else { return nil }
        return message
    }
}
