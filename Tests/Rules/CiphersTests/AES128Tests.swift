import Testing

@testable import Core

@Suite("AES-128 follows FIPS 197")
struct AES128Tests {
    private func encrypt(_ block: AES128.Block, key: [UInt8]) -> AES128.Block? {
        var cipher = AES128.make()
        return cipher?.encrypt(block, key: key)
    }

    private func block(_ text: String) -> AES128.Block { AES128.Block(octets(text)) }

    @Test("The example of appendix C.1")
    func example() {
        #expect(
            encrypt(block("00112233 44556677 8899aabb ccddeeff"), key: Array(0x00...0x0F))
                == block("69c4e0d8 6a7b0430 d8cdb780 70b4c55a"))
    }

    @Test("The sample of the Bluetooth Core's ah, whose hash is 0dfbaa")
    func resolvingKey() {
        #expect(
            encrypt(block("00000000 00000000 00000000 00708194"), key: octets("ec0234a3 57c8ad05 341010a6 0a397d9b"))
                == block("159d5fb7 2ebe2311 a48c1bdc c40dfbaa"))
    }

    @Test("Each block is encrypted by itself, with its own key")
    func manyKeys() {
        guard var cipher = AES128.make() else {
            Issue.record("libcrypto has no AES-128")
            return
        }
        let keys = (0..<4).map { octets($0, 16) }
        let block = AES128.Block(repeating: 0x5A)
        let together = keys.map { cipher.encrypt(block, key: $0) }
        #expect(together == keys.map { encrypt(block, key: $0) })
        #expect(together == keys.map { cipher.encrypt(block, key: $0) })
        #expect(Set(together).count == keys.count)
    }

    @Test("A key of another length gives nothing, and does no harm", arguments: [0, 1, 15, 17, 24, 32])
    func lengths(count: Int) {
        guard var cipher = AES128.make() else {
            Issue.record("libcrypto has no AES-128")
            return
        }
        let block = AES128.Block(repeating: 1)
        let right = cipher.encrypt(block, key: octets(2, 16))
        #expect(cipher.encrypt(block, key: octets(2, count)) == nil)
        #expect(right != nil && cipher.encrypt(block, key: octets(2, 16)) == right)
    }
}
