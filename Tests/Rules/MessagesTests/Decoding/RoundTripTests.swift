import Foundation
import PayloadReaders
import Testing

@testable import Core

@Suite("A written message is read, and written again with equal octets")
struct RoundTripTests {
    @Test("Every message of the golden transcript")
    func golden() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Agent/Golden/first-run.jsonl")
        var kinds: Set<MessageKind> = []
        for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
            let (topic, payload) = try parts(of: Array(line))
            let kind = try #require(Topic(topic, prefix: "beacons")?.subject.kind)
            kinds.insert(kind)
            var fields = try PayloadFields(Array(line))
            #expect(try fields.integer("qos", 0...2) == Int(kind.delivery.qos.rawValue))
            #expect(try fields.boolean("retain") == (kind.delivery == .retained))
            #expect(try kind.payload.init(decoding: payload).encoded == payload)
        }
        #expect(kinds == [.status, .health, .coverage, .event, .state, .ranging])
    }

    /// Returns a line's topic, and its payload octet by octet.
    private func parts(of line: [UInt8]) throws -> (topic: String, payload: [UInt8]) {
        var fields = try PayloadFields(line)
        let start = try #require(line.firstRange(of: Array("\"payload\":".utf8))).upperBound
        return (try fields.text("topic"), Array(line[start...].dropLast()))
    }

    @Test("Payloads with any values that the contract allows", arguments: MessageKind.allCases)
    func generated(_ kind: MessageKind) throws {
        var samples = Samples(seed: 5)
        for _ in 0..<500 {
            let octets = try samples.payload(kind).encoded
            let read = try kind.payload.init(decoding: octets)
            #expect(read.encoded == octets)
        }
    }

    @Test("Each example of the contract, field by field", arguments: MessageKind.allCases)
    func examples(_ kind: MessageKind) throws {
        let examples = try kind.examples
        #expect(!examples.isEmpty)
        for example in examples {
            let written = try kind.payload.init(decoding: example).encoded
            #expect(try fields(written) == fields(example))
        }
    }

    private func fields(_ octets: [UInt8]) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(octets)) as? NSDictionary)
    }

    @Test("A time of day is read to the millisecond")
    func times() {
        for text in [
            "0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z",
            "2000-02-29T12:34:56.789Z", "2026-11-21T06:00:00.123Z", "9999-12-31T23:59:59.999Z",
        ] {
            #expect(Timestamp.time(text).map(Timestamp.text) == text)
        }
        #expect(Timestamp.time("1970-01-01T00:00:01.500Z") == WallTime(microseconds: 1_500_000))
    }

    @Test(
        "A text of another form is no time of day",
        arguments: [
            "", "2026-11-21", "2026-11-21T06:00:00Z", "2026-11-21T06:00:00.12Z", "2026-11-21T06:00:00.1234Z",
            "2026-11-21t06:00:00.123z", "2026-11-21T06:00:00.123+", "2026-13-21T06:00:00.123Z",
            "2026-02-29T06:00:00.123Z", "2026-00-01T06:00:00.123Z", "2026-01-00T06:00:00.123Z",
            "2026-11-31T06:00:00.123Z", "2026-11-21T24:00:00.123Z", "2026-11-21T06:60:00.123Z",
            "2026-11-21T06:00:60.123Z", "-026-11-21T06:00:00.123Z",
        ])
    func noTimes(_ text: String) {
        #expect(Timestamp.time(text) == nil)
    }

    @Test(
        "A foreign time has up to nine decimals; a leap second is the end of the second before",
        arguments: [
            ("1970-01-01T00:00:01Z", 1_000_000), ("1970-01-01T00:00:01.5Z", 1_500_000),
            ("1970-01-01T00:00:01.000001999Z", 1_000_001), ("1970-01-01T00:00:60.25Z", 59_999_999),
            ("1970-01-01T00:00:61Z", nil), ("1970-01-01T00:00:01.Z", nil), ("1970-01-01T00:00:01.0000000001Z", nil),
            ("1970-01-01T00:00:01", nil), ("1970-01-01T00:00:01.5", nil), ("1970-01-01T00:00:01+5Z", nil), ("Z", nil),
        ] as [(String, Int64?)])
    func anyTimes(_ text: String, microseconds: Int64?) {
        #expect(Timestamp.anyTime(text)?.microseconds == microseconds)
    }
}
