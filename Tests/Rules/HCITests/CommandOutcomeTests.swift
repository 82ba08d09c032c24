import Testing

@testable import Core

@Suite("Answers to HCI commands")
struct CommandOutcomeTests {
    @Test("Command Complete names the command and its status")
    func complete() {
        let octets: [UInt8] = [0x01, 0x0C, 0x20, 0x0C]
        let outcome = CommandOutcome(eventCode: 0x0E, parameters: octets.span)
        #expect(
            outcome == CommandOutcome(commandCredits: 1, opcode: Opcode.scanEnable(.legacy), status: .commandDisallowed)
        )
    }

    @Test("Command Complete without return parameters has no status")
    func completeWithoutStatus() {
        let octets: [UInt8] = [0x01, 0x00, 0x00]
        let outcome = CommandOutcome(eventCode: 0x0E, parameters: octets.span)
        #expect(outcome == CommandOutcome(commandCredits: 1, opcode: Opcode(rawValue: 0), status: nil))
    }

    @Test("Command Status names the command and its status")
    func status() {
        let octets: [UInt8] = [0x01, 0x02, 0x42, 0x20]
        let outcome = CommandOutcome(eventCode: 0x0F, parameters: octets.span)
        #expect(
            outcome
                == CommandOutcome(commandCredits: 2, opcode: Opcode.scanEnable(.extended), status: .unknownCommand))
    }

    @Test("Other events and short ones are no answer")
    func others() {
        let octets: [UInt8] = [0x01, 0x02, 0x42, 0x20]
        #expect(CommandOutcome(eventCode: 0x3E, parameters: octets.span) == nil)
        #expect(CommandOutcome(eventCode: 0x0E, parameters: octets.span.extracting(first: 2)) == nil)
        #expect(CommandOutcome(eventCode: 0x0F, parameters: octets.span.extracting(first: 3)) == nil)
    }

    @Test("Bit 12 of the LE features is extended advertising")
    func features() throws {
        let octets: [UInt8] = [0x00, 0x01, 0x10, 0, 0, 0, 0, 0, 0x80]
        let decoded = LEFeatures(returnParameters: octets.span)
        let features = try #require(decoded)
        #expect(features.contains(.extendedAdvertising))
        #expect(features.rawValue == 0x8000_0000_0000_1001)
        #expect(LEFeatures(returnParameters: octets.span.extracting(first: 8)) == nil)
        let failed: [UInt8] = [0x1F] + octets.dropFirst()
        #expect(LEFeatures(returnParameters: failed.span) == nil)
    }

    @Test("A status and an opcode print as the specification writes them")
    func descriptions() {
        #expect(HCIStatus.commandDisallowed.description == "Command Disallowed (0x0C)")
        #expect(HCIStatus(rawValue: 0xFE).description == "Status (0xFE)")
        #expect(Opcode.reset.description == "0x0C03")
    }
}
