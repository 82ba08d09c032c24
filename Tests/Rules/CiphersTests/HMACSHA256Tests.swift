import Testing

@testable import Core

@Suite("HMAC-SHA-256 follows RFC 4231")
struct HMACSHA256Tests {
    private func code(_ message: String, key: [UInt8]) -> [UInt8]? {
        HMACSHA256.code(for: Array(message.utf8), key: key)
    }

    @Test("Keys and messages that fit a block: cases 1 to 4")
    func short() {
        #expect(
            code("Hi There", key: octets(0x0B, 20))
                == octets("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
        #expect(
            code("what do ya want for nothing?", key: Array("Jefe".utf8))
                == octets("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
        #expect(
            HMACSHA256.code(for: octets(0xDD, 50), key: octets(0xAA, 20))
                == octets("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"))
        #expect(
            HMACSHA256.code(for: octets(0xCD, 50), key: Array(1...25))
                == octets("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"))
    }

    @Test("A key longer than a block counts as its digest: cases 6 and 7")
    func long() {
        let key = octets(0xAA, 131)
        #expect(
            code("Test Using Larger Than Block-Size Key - Hash Key First", key: key)
                == octets("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
        let message =
            "This is a test using a larger than block-size key and a larger than block-size data. "
            + "The key needs to be hashed before being used by the HMAC algorithm."
        #expect(
            code(message, key: key) == octets("9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"))
    }

    @Test("Key and message may be empty, and zeros at the end of a key do not count")
    func empty() {
        let nothing = octets("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(code("", key: []) == nothing)
        #expect(code("", key: octets(0, 32)) == nothing)
    }
}
