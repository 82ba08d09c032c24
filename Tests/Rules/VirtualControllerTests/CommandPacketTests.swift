import Testing

@testable import Core
@testable import VirtualController

@Suite("A command packet, Vol 4, Part E, 5.4.1")
struct CommandPacketTests {
    private let scanEnable: [UInt8] = [0x0C, 0x20, 0x02, 0x01, 0x00]

    @Test("An opcode, a length and that many parameters are a command")
    func whole() {
        let command = CommandPacket(scanEnable.span)
        #expect(command == CommandPacket(opcode: Opcode(rawValue: 0x200C), parameters: [0x01, 0x00]))
    }

    @Test("A command cut short anywhere is none", arguments: 0..<5)
    func truncated(length: Int) {
        #expect(CommandPacket(Array(scanEnable.prefix(length)).span) == nil)
    }

    @Test("Octets behind the announced length are no part of the command")
    func longer() {
        #expect(CommandPacket((scanEnable + [0xFF]).span)?.parameters == [0x01, 0x00])
    }

    @Test("A command has up to 255 octets of parameters, and may have none", arguments: [0, 1, 255] as [UInt8])
    func lengths(count: UInt8) {
        let parameters = [UInt8](repeating: 0xAB, count: Int(count))
        #expect(CommandPacket(([0x03, 0x0C, count] + parameters).span)?.parameters == parameters)
    }

    @Test("The controller reads the command that a host encodes")
    func fromTheHost() {
        let sent = ScanEnable(true).command(.legacy).packet
        #expect(sent.first == PacketType.command.rawValue)
        let received = CommandPacket(Array(sent.dropFirst()).span)
        #expect(received?.opcode == Opcode.scanEnable(.legacy))
        #expect(received.flatMap { ScanEnable(.legacy, parameters: $0.parameters.span) } == ScanEnable(true))
    }
}
