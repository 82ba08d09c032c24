import TestAir
import Testing

@testable import Core

@Suite("A capture is read up to its damage")
struct BTSnoopTests {
    private static let time = WallTime(microseconds: 1_700_000_000_123_456)
    private static let event: [UInt8] = [0x3E, 0x03, 0x02, 0x00, 0x00]

    private static func capture(records: Int) -> [UInt8] {
        (0..<records).reduce(into: BTSnoopWriter.header) { capture, number in
            capture += BTSnoopWriter.record(event: event, at: time + .seconds(Double(number)))
        }
    }

    /// Reads all records, passed in pieces.
    private func read(_ octets: [UInt8], pieceLength: Int = .max) -> (
        records: [BTSnoopReader.Record], error: BTSnoopError?
    ) {
        var reader = BTSnoopReader()
        var records: [BTSnoopReader.Record] = []
        var (start, end) = (0, 0)
        do throws(BTSnoopError) {
            while true {
                var position = 0
                let window = Array(octets[start..<end])
                let record = try reader.next(window.span, from: &position)
                start += position
                if let record {
                    records.append(record)
                } else if end == octets.count {
                    try reader.finish(remaining: end - start)
                    return (records, nil)
                } else {
                    end = min(
                        octets.count, end.addingReportingOverflow(pieceLength).overflow ? .max : end + pieceLength)
                }
            }
        } catch {
            return (records, error)
        }
    }

    /// Returns the header with another datalink, and one record with the given flags.
    private func capture(datalink: UInt32, flags: UInt32, packet: [UInt8]) -> [UInt8] {
        func octets(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let length = octets(UInt32(packet.count))
        return Array(BTSnoopWriter.header.prefix(12)) + octets(datalink) + length + length + octets(flags) + octets(3)
            + [0x00, 0xE0, 0x1E, 0x26, 0xBE, 0xEC, 0x4E, 0x00] + packet
    }

    @Test("A written capture is read back, in pieces of any length", arguments: [1, 7, 16, 24, 53, .max])
    func roundTrip(pieceLength: Int) {
        let (records, error) = read(Self.capture(records: 3), pieceLength: pieceLength)
        #expect(error == nil)
        #expect(records.map(\.time) == (0..<3).map { Self.time + .seconds(Double($0)) })
        #expect(records.holdForAll { $0.event?.count == Self.event.count })
    }

    @Test("A capture without records is complete")
    func empty() {
        #expect(read(BTSnoopWriter.header).error == nil)
    }

    @Test("An empty file is no capture")
    func nothing() {
        #expect(read([]).error == .notBTSnoop)
    }

    @Test("A short file of another kind is no capture, and not the beginning of one")
    func shortText() {
        #expect(read(Array("hello".utf8)).error == .notBTSnoop)
        #expect(read(Array("btsnoopy".utf8)).error == .notBTSnoop)
    }

    @Test("Cut anywhere, the records before the cut are read, and the cut is reported")
    func truncation() {
        let capture = Self.capture(records: 3)
        let recordLength = (capture.count - 16) / 3
        for length in capture.indices {
            let (records, error) = read(Array(capture.prefix(length)))
            #expect(records.count == max(0, length - 16) / recordLength)
            let isBoundary = length >= 16 && (length - 16) % recordLength == 0
            #expect((error == nil) == isBoundary)
        }
    }

    @Test("Mutated captures are read up to some point, and reading ends")
    func mutation() {
        let capture = Self.capture(records: 3)
        var generator = SeededGenerator(seed: 6)
        var whole = 0
        for _ in 0..<50_000 {
            let mutated = capture.mutated(by: &generator)
            let (records, error) = read(mutated)
            #expect(records.count * 24 <= mutated.count)
            if error == nil { whole += 1 }
        }
        #expect(whole > 0)
    }

    @Test("The three datalinks: HCI UART, un-encapsulated HCI and the Linux monitor")
    func datalinks() {
        let uart = read(capture(datalink: 1002, flags: 3, packet: [0x04] + Self.event)).records
        #expect(uart.map { $0.event?.count } == [5])
        let plain = read(capture(datalink: 1001, flags: 3, packet: Self.event)).records
        #expect(plain.map { $0.event?.count } == [5])
        let monitor = read(capture(datalink: 2001, flags: 2 << 16 | 3, packet: Self.event)).records
        #expect(monitor.map { $0.event?.count } == [5])
    }

    @Test("A packet that is no received event is a record without an event")
    func otherPackets() {
        #expect(
            read(capture(datalink: 1002, flags: 2, packet: [0x01, 0x03, 0x0C, 0x00])).records.map(\.event) == [nil])
        #expect(read(capture(datalink: 1002, flags: 0, packet: [])).records.map(\.event) == [nil])
        #expect(read(capture(datalink: 1001, flags: 1, packet: Self.event)).records.map(\.event) == [nil])
        for opcode: UInt32 in [2, 0x0103] {
            let records = read(capture(datalink: 2001, flags: opcode, packet: Self.event)).records
            #expect(records.map(\.event) == [nil])
        }
    }

    @Test("Another magic, version or datalink is named")
    func unknownHeaders() {
        var (magic, version) = (Self.capture(records: 1), Self.capture(records: 1))
        magic[0] ^= 1
        version[11] = 2
        #expect(read(magic).error == .notBTSnoop)
        #expect(read(version).error == .unsupportedVersion(2))
        #expect(read(capture(datalink: 1003, flags: 0, packet: [])).error == .unsupportedDatalink(1003))
    }

    @Test("An impossible length is damage, with its place")
    func impossibleLength() {
        var capture = Self.capture(records: 2)
        let second = 16 + (capture.count - 16) / 2
        capture[second + 4] = 0x7F
        let (records, error) = read(capture)
        #expect(records.count == 1)
        guard case .impossibleLength(let offset, _, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(offset == UInt64(second))
    }
}
