import CCrypto

/// The digest SHA-256 (FIPS 180-4), computed by OpenSSL's libcrypto.
enum SHA256 {
    /// The length of a digest, octets.
    static let length = 32

    /// Returns the digest of any number of octets.
    ///
    /// - Returns: 32 octets; `nil` where libcrypto has no memory left, or was set up without the algorithm.
    static func digest(of message: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: length)
        var written: UInt32 = 0
        let status = EVP_Digest(message, message.count, &digest, &written, EVP_sha256(), nil)
        return status == 1 && written == length ? digest : nil
    }
}

extension Sequence<UInt8> {
    /// The lower-case hexadecimal digits of the octets, as texts show digests and codes.
    var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }
        var digits: [UInt8] = []
        for octet in self { digits += [digit(octet >> 4), digit(octet & 0xF)] }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Reads two hexadecimal digits for each octet, in either case; `nil` for other texts.
    init?(hexadecimal digits: some Sequence<UInt8>) {
        self = []
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let upper = high { append(upper << 4 | value) }
            high = high == nil ? value : nil
        }
        if high != nil { return nil }
    }
}

/// The keyed digest HMAC (RFC 2104, FIPS 198-1) with SHA-256, computed by OpenSSL's libcrypto.
enum HMACSHA256 {
    /// The length of a code, octets.
    static let length = SHA256.length

    /// Returns the code of a message.
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

/// Derives keys from a secret: HKDF (RFC 5869) with HMAC-SHA-256.
///
///     PRK  = HMAC(salt, secret)                          extract
///     T(n) = HMAC(PRK, T(n − 1) | info | n)              expand, n from 1, T(0) empty
///     key  = the first octets of T(1) | T(2) | …
enum HKDFSHA256 {
    /// The longest key, octets: `n` is one octet.
    static let maxLength = 255 * HMACSHA256.length

    /// Returns a key.
    ///
    /// - Parameters:
    /// - secret: any number of octets. The key has no more randomness than the secret.
    /// - salt: any number of octets; an empty salt equals 32 zeros.
    /// - info: the purpose of the key. The key of one purpose shows nothing about the key of another.
    /// - length: the length of the key, 1 … 8160 octets.
    /// - Returns: the key; `nil` for a length out of range, and where `HMACSHA256` returns `nil`.
    static func key(from secret: [UInt8], salt: [UInt8] = [], info: [UInt8], length: Int) -> [UInt8]? {
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

/// AES-128 (FIPS 197) of single blocks, computed by OpenSSL's libcrypto.
///
/// The struct holds libcrypto's context. One context encrypts many blocks, each with its own key, without allocating.
struct AES128: ~Copyable {
    /// 16 octets, as FIPS 197 writes them from left to right.
    typealias Block = SIMD16<UInt8>

    private let context: OpaquePointer

    /// Takes over the context that `make()` has set up. A throwing initialiser would have to free a half-made value.
    private init(_ context: OpaquePointer) { self.context = context }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Returns `nil` where libcrypto has no memory left, or lacks the algorithm.
    static func make() -> AES128? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        // ECB encrypts each block by itself. The key comes with the block.
        guard EVP_EncryptInit_ex2(context, EVP_aes_128_ecb(), nil, nil, nil) == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        return AES128(context)
    }

    /// Encrypts one block.
    ///
    /// - Parameter key: 16 octets, in the order of a block's octets.
    /// - Returns: `nil` where the key has another length, or libcrypto failed.
    mutating func encrypt(_ block: Block, key: [UInt8]) -> Block? {
        guard key.count == Block.scalarCount, EVP_EncryptInit_ex2(context, nil, key, nil, nil) == 1 else { return nil }
        var encrypted = block
        // A whole block comes out at once. Padding would need a final call, which is never made.
        let written = withUnsafeMutableBytes(of: &encrypted) { bytes in
            let octets = bytes.bindMemory(to: UInt8.self).baseAddress
            var written: Int32 = 0
            let status = EVP_EncryptUpdate(context, octets, &written, octets, Int32(Block.scalarCount))
            return status == 1 ? written : 0
        }
        return written == Block.scalarCount ? encrypted : nil
    }
}
