import PayloadReaders
import TestAir
import Testing

@testable import Core

@Suite("A payload from outside is read, or refused with the name of the field")
struct DecodingTests {
    private static let beacon = """
        {"track":3,"uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","major":2,"minor":1,"proximity":"far","accuracy_m":7.02,\
        "accuracy_error_m":5.96,"rssi_dbm":-76,"measured_power_dbm":-59,"age_ms":0}
        """
    private static let ranging = """
        {"schema":1,"at":"2026-01-01T00:00:11.167Z","clock":"synced","region":"carts","major":2,"minor":1,"count":1,\
        "beacons":[\(beacon),\(beacon)]}
        """

    private func read(_ text: String) throws -> RangingPayload { try RangingPayload(decoding: Array(text.utf8)) }

    private func problem(_ text: String) -> String? {
        do throws(PayloadError) {
            _ = try RangingPayload(decoding: Array(text.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test("Unknown fields are ignored, and the order does not matter")
    func additions() throws {
        let text = Self.ranging.replacing("\"count\":1,", with: "\"aisle\":{\"a\":[1,null]},\"count\":1.0,")
        #expect(try read(text) == read(Self.ranging))
        let turned = "{" + Self.ranging.dropFirst().dropLast().replacing("\"schema\":1,", with: "") + ",\"schema\":1}"
        #expect(try read(turned) == read(Self.ranging))
    }

    @Test(
        "An error names the field and the problem",
        arguments: [
            ("\"count\":1,", "", "count: is missing"),
            ("\"count\":1,", "\"count\":\"1\",", "count: must be an integer, not text"),
            ("\"count\":1,", "\"count\":-1,", "count: must be from 0 to 9223372036854775807"),
            ("\"count\":1,", "\"count\":1.5,", "count: must be an integer, not a number with a fraction"),
            ("\"count\":1,", "\"count\":1e300,", "count: must be from 0 to 9223372036854775807"),
            ("\"schema\":1", "\"schema\":2", "schema: must be from 1 to 1"),
            ("\"synced\"", "\"maybe\"", "clock: must be synced, unsynced"),
            (":11.167Z", ":60.167Z", "at: must be a time such as 2026-11-21T06:00:00.123Z"),
            ("\"carts\"", "\"a/b\"", "region: must be one level of a topic"),
            ("\"major\":2,\"minor\":1,\"count\"", "\"minor\":1,\"count\"", "major: is missing"),
            ("\"major\":2,\"minor\":1,\"count\"", "\"major\":65536,\"count\"", "major: must be from 0 to 65535"),
            ("\"beacons\":[", "\"beacons\":{},\"b\":[", "beacons: must be a list, not an object"),
            ("\"beacons\":[", "\"beacons\":[1,", "beacons[0]: must be an object, not an integer"),
            ("}]}", ",\"device\":null}]}", "beacons[1].device: must be text, not null"),
            ("}]}", ",\"resolving\":1}]}", "beacons[1].resolving: must be true or false, not an integer"),
            ("\"track\":3,", "\"track\":0,", "beacons[0].track: must be from 1 to 18446744073709551615"),
            ("39ED98FF-", "39ED98FF", "beacons[0].uuid: must be a UUID such as 39ED98FF-2900-441A-802F-9C398FC199D2"),
            ("\"rssi_dbm\":-76", "\"rssi_dbm\":21", "beacons[0].rssi_dbm: must be from -127.0 to 20.0"),
            (
                "\"measured_power_dbm\":-59", "\"measured_power_dbm\":-129",
                "beacons[0].measured_power_dbm: must be from -128 to 127"
            ),
            ("\"far\"", "\"unknown\"", "beacons[0].accuracy_m: must be -1 exactly where proximity is unknown"),
            (":7.02", ":-0.5", "beacons[0].accuracy_m: must be -1, or 0 to 1000"),
        ])
    func errors(_ part: String, _ replacement: String, _ wanted: String) throws {
        var text = Self.ranging
        text.replaceSubrange(try #require(text.firstRange(of: part)), with: replacement)
        #expect(problem(text) == wanted)
    }

    @Test(
        "A payload that is no JSON object is malformed",
        arguments: ["", "NaN", "{\"at\":NaN}", "{\"a\":1,\"a\":2}", "[]", "1", "{}x"])
    func malformed(_ text: String) throws {
        #expect(try #require(problem(text)).hasPrefix("payload: "))
    }

    @Test("A null RSSI is unknown; no other field may be null")
    func null() throws {
        let text = Self.ranging.replacing("\"rssi_dbm\":-76", with: "\"rssi_dbm\":null")
        #expect(try read(text).list.beacons.holdForAll { $0.observation.rssi_dbm == nil })
        #expect(problem(Self.ranging.replacing("\"age_ms\":0", with: "\"age_ms\":null")) != nil)
    }

    @Test("An event of a version without site and gateway is read, one with half of them is not")
    func origin() throws {
        var samples = Samples(seed: 1)
        guard var event = try samples.payload(.event) as? EventPayload else { return }
        event.origin = nil
        #expect(try EventPayload(decoding: event.encoded) == event)
        event.origin = PayloadOrigin(site: "store", gateway: "gate")
        #expect(try EventPayload(decoding: event.encoded) == event)
        let half = String(decoding: event.encoded, as: UTF8.self).replacing("\"gateway\":\"gate\",", with: "")
        #expect(throws: PayloadError("gateway", .missing)) { try EventPayload(decoding: Array(half.utf8)) }
    }

    @Test("A payload that was cut off or changed is read or refused", arguments: MessageKind.allCases)
    func mutations(_ kind: MessageKind) throws {
        var samples = Samples(seed: 9)
        var random = SeededGenerator(seed: 3)
        let tokens = [
            "null", "NaN", "1e999", "-1", "65536", "\"\"", "{}", "[]", "true", "\\u0000", "99999999999999999999",
        ]
        for _ in 0..<1_000 {
            var octets = try samples.payload(kind).encoded
            switch Int.random(in: 0..<3, using: &random) {
            case 0: octets.removeLast(Int.random(in: 1...octets.count, using: &random))
            case 1: octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            default:
                // In place of a value.
                let colons = octets.indices.filter { octets[$0] == UInt8(ascii: ":") }
                let start = colons[Int.random(in: colons.indices, using: &random)] + 1
                let end = octets[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? start
                octets.replaceSubrange(start..<end, with: tokens[Int.random(in: tokens.indices, using: &random)].utf8)
            }
            guard let read = try? kind.payload.init(decoding: octets) else { continue }
            #expect((try? kind.payload.init(decoding: read.encoded))?.encoded == read.encoded)
        }
    }
}
