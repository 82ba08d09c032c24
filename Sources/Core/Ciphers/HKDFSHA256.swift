/// Makes keys of a secret: HKDF (RFC 5869) with HMAC-SHA-256.
///
///     PRK  = HMAC(salt, secret)                          extract
///     T(n) = HMAC(PRK, T(n − 1) | info | n)              expand, n from 1, T(0) empty
///     key  = the first octets of T(1) | T(2) | …
enum HKDFSHA256 {
    /// How many octets a key has at most: `n` is one octet.
    static let maxLength = 255 * HMACSHA256.length

    /// A key.
    ///
    /// - Parameters:
    ///   - secret: any number of octets. There can be no more randomness in the key than in here.
    ///   - salt: any number of octets; none is the same as 32 zeros.
    ///   - info: what the key is for. Whoever has one key has not that for another purpose.
    ///   - length: how many octets the key has, 1 … 8160.
    /// - Returns: the key; `nil` for a length out of range, and where `HMACSHA256` has none.
    package static func key(from secret: [UInt8], salt: [UInt8] = [], info: [UInt8], length: Int) -> [UInt8]? {
        guard (1...maxLength).contains(length), let extracted = HMACSHA256.code(for: secret, key: salt) else {
            return nil
        }
        var key: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while key.count < length {
            number &+= 1
            guard let next = HMACSHA256.code(for: block + info + [number], key: extracted) else { return nil }
            block = next
            key += block
        }
        return Array(key.prefix(length))
    }
}
