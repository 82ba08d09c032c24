import Testing

@testable import Core

@Suite("HKDF-SHA-256 follows RFC 5869")
struct HKDFSHA256Tests {
    @Test("Case 1: secret, salt and purpose")
    func ordinary() {
        let key = HKDFSHA256.key(
            from: octets(0x0B, 22), salt: Array(0x00...0x0C), info: Array(0xF0...0xF9), length: 42)
        #expect(
            key
                == octets("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    }

    @Test("Case 2: everything longer than a block of the digest")
    func long() {
        let key = HKDFSHA256.key(
            from: Array(0x00...0x4F), salt: Array(0x60...0xAF), info: Array(0xB0...0xFF), length: 82)
        #expect(
            key
                == octets(
                    "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                        + "cc30c58179ec3e87c14c01d5c1f3434f1d87"))
    }

    @Test("Case 3: neither salt nor purpose")
    func bare() {
        let expected = octets(
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        #expect(HKDFSHA256.key(from: octets(0x0B, 22), info: [], length: 42) == expected)
        #expect(HKDFSHA256.key(from: octets(0x0B, 22), salt: octets(0, 32), info: [], length: 42) == expected)
    }

    @Test("A key has the requested length, up to 255 digests, and no other length")
    func lengths() {
        for length in [1, 31, 32, 33, 8_160] {
            #expect(HKDFSHA256.key(from: [1], info: [], length: length)?.count == length)
        }
        for length in [Int.min, -1, 0, 8_161, Int.max] {
            #expect(HKDFSHA256.key(from: [1], info: [], length: length) == nil)
        }
    }
}
