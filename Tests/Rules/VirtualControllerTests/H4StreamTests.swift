import Testing

@testable import Core
@testable import VirtualController

@Suite("Packets on a UART")
struct H4StreamTests {
    static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    static let scanEnable: [UInt8] = [0x01, 0x0C, 0x20, 0x02, 0x01, 0x00]
    static let data: [UInt8] = [0x02, 0x01, 0x20, 0x03, 0x00, 0xAA, 0xBB, 0xCC]
    static let voice: [UInt8] = [0x03, 0x01, 0x00, 0x02, 0xAA, 0xBB]
    static let isochronous: [UInt8] = [0x05, 0x01, 0x00, 0x01, 0xC0, 0xAA]

    static func packets(_ pieces: [[UInt8]]) throws -> [[UInt8]] {
        var stream = H4Stream()
        var found: [[UInt8]] = []
        for piece in pieces {
            stream.append(piece[...])
            while let (type, packet) = try stream.next() { found.append([type.rawValue] + packet) }
        }
        return found
    }

    @Test("Packets of every kind come out whole from any pieces", arguments: 1...8)
    func cut(length: Int) throws {
        let sent = [Self.reset, Self.data, Self.scanEnable, Self.voice, Self.isochronous, Self.reset]
        let octets = sent.flatMap { $0 }
        let pieces = stride(from: 0, to: octets.count, by: length).map {
            Array(octets[$0..<min($0 + length, octets.count)])
        }
        #expect(try Self.packets(pieces) == sent)
    }

    @Test("An incomplete packet waits")
    func part() throws {
        #expect(try Self.packets([Array(Self.scanEnable.dropLast())]) == [])
    }

    @Test("An octet that begins no packet of a host ends the stream", arguments: [0x00, 0x04, 0x06, 0xFF] as [UInt8])
    func outOfStep(octet: UInt8) {
        #expect(throws: H4Stream.OutOfStep(octet: octet)) { try Self.packets([Self.reset + [octet]]) }
    }
}
