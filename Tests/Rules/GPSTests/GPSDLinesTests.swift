import Testing

@testable import Agent

@Suite("gpsd's octets, split into lines")
struct GPSDLinesTests {
    private var lines = GPSDLines()

    private mutating func append(_ octets: [UInt8]) -> [String] {
        var all: [String] = []
        lines.append(octets) { line in
            switch line {
            case .text(let octets): all.append(String(decoding: octets, as: UTF8.self))
            case .tooLong: all.append("too long")
            }
        }
        return all
    }

    private mutating func append(_ text: String) -> [String] { append(Array(text.utf8)) }

    @Test("A line is read whole from any pieces")
    mutating func pieces() {
        #expect(append("one\r\ntw") == ["one"])
        #expect(append("o") == [])
        #expect(append("\r") == [])
        #expect(append("\nthree\n\r\n\nfour") == ["two", "three"])
    }

    @Test("A line of the limit is taken; a longer one is dropped up to its end, reported once, and the next is read")
    mutating func limit() {
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: GPSDLines.limit)
        #expect(append(longest) == [])
        #expect(append("\n").map(\.utf8.count) == [GPSDLines.limit])
        #expect(append(longest) == [])
        #expect(append("x") == ["too long"])
        #expect(append(longest) == [])
        #expect(lines.waiting == 0)
        #expect(append("the end of it\nnext\n") == ["next"])
    }
}
