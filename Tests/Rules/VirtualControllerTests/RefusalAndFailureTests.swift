import Testing

@testable import Core
@testable import VirtualController

@Suite("Command Status and Hardware Error, Vol 4, Part E, 7.7.15 and 7.7.16")
struct RefusalAndFailureTests {
    private let opcode = Opcode(rawValue: 0x200C)

    @Test("Command Status carries the status before the opcode")
    func status() {
        let event = CommandStatusEvent(opcode: opcode, status: .unknownCommand)
        #expect(event.octets == [0x0F, 0x04, 0x01, 0x01, 0x0C, 0x20])
    }

    @Test("Hardware Error carries the vendor's code")
    func hardwareError() {
        #expect(HardwareErrorEvent(code: 0x42).octets == [0x10, 0x01, 0x42])
    }

    @Test("The host reads a refusal as the controller encodes it")
    func toTheHost() {
        let status = CommandStatusEvent(opcode: opcode, status: .unknownCommand).octets
        let unknown = CommandOutcome(eventCode: status[0], parameters: status.span.extracting(2...))
        #expect(unknown == CommandOutcome(commandCredits: 1, opcode: opcode, status: .unknownCommand))
    }
}
