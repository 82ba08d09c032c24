import Testing

@testable import Core

@Suite("Command Complete, Vol 4, Part E, 7.7.14")
struct CommandCompleteEventTests {
    private let opcode = Opcode(rawValue: 0x200C)

    @Test("Command Complete carries one command credit, the opcode and the return parameters")
    func complete() {
        let event = CommandCompleteEvent(opcode: opcode, returnParameters: [0x00, 0x07])
        #expect(event.octets == [0x0E, 0x05, 0x01, 0x0C, 0x20, 0x00, 0x07])
    }

    @Test("Return parameters beyond what an event holds are cut off, and the length says so")
    func oversized() {
        let event = CommandCompleteEvent(opcode: opcode, returnParameters: [UInt8](repeating: 0, count: 300)).octets
        #expect(event.count == 2 + 255)
        #expect(event[1] == 255)
    }

    @Test("The host reads the event that a controller encodes")
    func toTheHost() {
        let complete = CommandCompleteEvent(opcode: opcode, returnParameters: [0x0C]).octets
        let refused = CommandOutcome(eventCode: complete[0], parameters: complete.span.extracting(2...))
        #expect(refused == CommandOutcome(commandCredits: 1, opcode: opcode, status: .commandDisallowed))
    }
}
