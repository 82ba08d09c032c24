import Testing

@testable import Core

@Suite("JSON from outside")
struct JSONReaderTests {
    private func read(_ text: String) -> DocumentValue? { try? JSONReader.read(Array(text.utf8)).value() }

    @Test(
        "Every kind of value is read",
        arguments: [
            ("null", DocumentValue.null), ("true", .boolean(true)), ("false", .boolean(false)), ("0", .integer(0)),
            ("-0", .integer(0)), ("-12", .integer(-12)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5", .number(1.5)), ("1e2", .integer(100)),
            ("9.513282814504773", .number(9.513282814504773)),
            ("25E-1", .number(2.5)), ("\"\"", .string("")), ("[]", .array([])), ("{}", .object([:])),
            (" [ 1 , [ ] ] ", .array([.integer(1), .array([])])),
            ("\r\n\t{\"a\":{\"b\":\"c\"}}", .object(["a": .object(["b": .string("c")])])),
        ])
    func values(_ text: String, _ value: DocumentValue) {
        #expect(read(text) == value)
    }

    @Test("Escapes give their characters, surrogate pairs give one")
    func escapes() {
        #expect(read(#""\"\\\/\b\f\n\r\t""#) == .string("\"\\/\u{8}\u{C}\n\r\t"))
        #expect(read(#""\u00e9\uD83D\uDE00é""#) == .string("é😀é"))
        #expect(read(#""\uD800\uDC00\uDBFF\uDFFF""#) == .string("\u{10000}\u{10FFFF}"))
    }

    @Test(
        "Syntax outside RFC 8259 is an error",
        arguments: [
            "", " ", "nul", "True", "nan", "+1", "01", "1.", ".5", "1e", "--1", "1e400", "-1e400", "'a'", "\"a",
            "\"\n\"",
            #""\x""#, #""\u12""#, #""\uD800""#, #""\uD800A""#, #""\uD800\u0041""#, #""\uDC00""#, "[1,]", "[1 2]", "[",
            "]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":1 \"b\":2}", "{1:2}", "1 2", "{} {}",
            "\u{FEFF}{}",
            "/**/1", "#",
        ])
    func refused(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test("A repeated key is an error, with or without escapes")
    func duplicateKey() {
        #expect(read(#"{"a":1,"\u0061":2}"#) == nil)
    }

    @Test("Octets that are not UTF-8 are an error")
    func notUTF8() {
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xC3, 0x22]) }
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test("Nesting is accepted to a depth of 8")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(read(nested(8)) != nil)
        #expect(read(nested(9)) == nil)
        #expect(read(String(repeating: "[", count: 4_096)) == nil)
        #expect(read(String(repeating: "{\"a\":", count: 800)) == nil)
    }

    @Test("An error has its place")
    func place() throws {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(Array(#"{"region" 1}"#.utf8)) }
        #expect(error?.description == "at byte 10: expected : after the key")
    }
}
