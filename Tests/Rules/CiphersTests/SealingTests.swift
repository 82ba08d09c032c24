import Testing

@testable import Core

@Suite("Sealing follows RFC 7748 and NIST SP 800-38D")
struct SealingTests {
    private let bob = octets("5dab087e 624a8a4b 79e17f8b 83800ee6 6f3bb129 2618b6fd 1c2f8b27 ff88e0eb")

    @Test("Two parties agree on a secret, as in RFC 7748, 6.1")
    func agrees() throws {
        let bob = try #require(X25519PrivateKey(bob))
        #expect(bob.publicKey == octets("de9edb7d 7b7dc1b4 d35b61c2 ece43537 3f8343c8 5b78674d adfc7e14 6f882b4f"))
        let other = octets("8520f009 8930a754 748b7ddc b43ef75a 0dbf3a0d 26381af4 eba4a98e aa9b4e6a")
        #expect(
            bob.secret(with: other)
                == octets("4a5d9d5b a4ce2de1 728e3bf4 80350f25 e07e21c9 47d19e33 76f09b3c 1e161742"))
    }

    @Test("A key of another length, or of no order, gives no secret")
    func refuses() throws {
        let key = try #require(X25519PrivateKey(bob))
        #expect(X25519PrivateKey([1]) == nil)
        #expect(key.secret(with: []) == nil)
        #expect(key.secret(with: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test("The cases 13 and 14 of the mode's specification")
    func seals() {
        let key = [UInt8](repeating: 0, count: 32)
        #expect(OneMessageCipher.seal([], key: key) == octets("530f8afb c74536b9 a963b4f1 c4cb738b"))
        let zeros = [UInt8](repeating: 0, count: 16)
        let sealed = octets("cea7403d 4d606b6e 074ec5d3 baf39d18 d0d1c8a7 99996bf0 265b98b5 d48ab919")
        #expect(OneMessageCipher.seal(zeros, key: key) == sealed)
        #expect(OneMessageCipher.open(sealed, key: key) == zeros)
    }

    @Test("A message that was changed, or has another key, does not open")
    func opensNothingElse() throws {
        let key = octets(0x11, 32)
        let sealed = try #require(OneMessageCipher.seal(Array("visits".utf8), key: key))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(OneMessageCipher.open(changed, key: key) == nil)
        }
        #expect(OneMessageCipher.open(sealed, key: octets(0x12, 32)) == nil)
        #expect(OneMessageCipher.open(Array(sealed.prefix(15)), key: key) == nil)
        #expect(OneMessageCipher.open(sealed, key: []) == nil)
    }
}
