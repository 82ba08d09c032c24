import Testing

@testable import Core

@Suite("Canonical JSON follows RFC 8785")
struct CanonicalJSONTests {
    private func canonical(_ text: String) throws -> String {
        String(decoding: CanonicalJSON.octets(of: try JSONReader.read(Array(text.utf8)).value()), as: UTF8.self)
    }

    @Test("The example of section 3.2.2")
    func example() throws {
        let text = #"""
            {"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
             "string": "€$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}
            """#
        #expect(
            try canonical(text)
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
                + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#)
    }

    @Test("Keys are in the order of their UTF-16 code units: section 3.2.3")
    func order() throws {
        let text = #"""
            {"€": 1, "\r": 2, "\uFB33": 3, "1": 4, "😀": 5, "\u0080": 6, "ö": 7}
            """#
        #expect(try canonical(text) == "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{FB33}\":3}")
    }

    @Test(
        "Numbers are written as ECMAScript writes them: appendix B",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"), (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"), (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"), (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5557, "333333333.33333343"), (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func numbers(bits: UInt64, text: String) {
        #expect(CanonicalJSON.number(Double(bitPattern: bits)) == text)
    }

    @Test("A number that is not finite, which JSON lacks, becomes null")
    func notFinite() { #expect([Double.nan, .infinity].map(CanonicalJSON.number) == ["null", "null"]) }
}

@Suite("Signatures follow RFC 8032")
struct Ed25519Tests {
    /// The public key of the RFC's second example.
    static let pem = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=
        -----END PUBLIC KEY-----

        """
    private static let signature = octets(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")

    static func octets(_ text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    @Test("The second example of section 7.1 is a signature; another message, another bit and another length are none")
    func example() throws {
        let key = try #require(Ed25519PublicKey(pem: Array(Self.pem.utf8)))
        #expect(key.verifies(Self.signature, of: [0x72]))
        #expect(!key.verifies(Self.signature, of: [0x73]))
        var other = Self.signature
        other[10] ^= 1
        #expect(!key.verifies(other, of: [0x72]))
        #expect(!key.verifies(Array(Self.signature.dropLast()), of: [0x72]) && !key.verifies([], of: [0x72]))
    }

    @Test(
        "A file that is no Ed25519 public key gives none",
        arguments: [
            "", "hello", "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n",
            // X25519, which is for key agreement.
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n",
        ])
    func noKey(pem: String) { #expect(Ed25519PublicKey(pem: Array(pem.utf8)) == nil) }

    @Test("Base64 is decoded with its padding, and nothing else is")
    func base64() {
        #expect(Base64.decode("AAEC/w==") == [0, 1, 2, 255] && Base64.decode("AAEC") == [0, 1, 2])
        #expect(Base64.decode("") == [])
        for text in ["AAE", "AA EC", "AAEC\n", "A===", "AA=C", "AAE*", "====", String(repeating: "A", count: 4_100)] {
            #expect(Base64.decode(text) == nil, "\(text)")
        }
    }
}
