import Testing

@testable import Agent
@testable import Core

@Suite("The meaning of a packet for the radio")
struct RadioPacketTests {
    private func read(_ octets: [UInt8]) -> RadioPacket { RadioPacket(octets.span) }

    @Test(
        "Legacy, directed and extended advertising reports prove that the radio hears", arguments: [0x02, 0x0B, 0x0D])
    func reports(subevent: UInt8) {
        #expect(read([0x04, 0x3E, 0x02, subevent, 0x00]) == .report)
    }

    @Test("Other LE events, and event codes that only share the filter's bits, are no reports")
    func noReports() {
        #expect(read([0x04, 0x3E, 0x02, 0x01, 0x00]) == .other)
        #expect(read([0x04, 0xFE, 0x02, 0x02, 0x00]) == .other)
        #expect(read([0x04, 0x3E, 0x00]) == .other)
    }

    @Test("Command Complete is an outcome, with the features where they were requested")
    func complete() {
        let enable: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x0C, 0x20, 0x0C]
        let outcome = CommandOutcome(commandCredits: 1, opcode: Opcode.scanEnable(.legacy), status: .commandDisallowed)
        #expect(read(enable) == .outcome(outcome, features: nil))
        let features: [UInt8] = [0x04, 0x0E, 0x0C, 0x01, 0x03, 0x20, 0x00, 0x00, 0x10, 0, 0, 0, 0, 0, 0]
        guard case .outcome(let answer, let bits) = read(features) else {
            Issue.record("no outcome")
            return
        }
        #expect(answer.opcode == Opcode.readFeatures)
        #expect(bits == .extendedAdvertising)
    }

    @Test("Command Status is an outcome where it refuses; otherwise the outcome is still to come")
    func status() {
        let refused = CommandOutcome(commandCredits: 1, opcode: Opcode.scanEnable(.legacy), status: .unknownCommand)
        #expect(read([0x04, 0x0F, 0x04, 0x01, 0x01, 0x0C, 0x20]) == .outcome(refused, features: nil))
        #expect(read([0x04, 0x0F, 0x04, 0x00, 0x01, 0x0C, 0x20]) == .other)
    }

    @Test("Commands of other processes are read where they concern scanning")
    func foreign() {
        #expect(
            read([0x01, 0x0C, 0x20, 0x02, 0x01, 0x01])
                == .foreign(.scanEnable(true, filtersDuplicates: true, .legacy)))
        #expect(
            read([0x01, 0x42, 0x20, 0x06, 0x00, 0x00, 0, 0, 0, 0])
                == .foreign(.scanEnable(false, filtersDuplicates: false, .extended)))
        #expect(read([0x01, 0x0B, 0x20, 0x00]) == .foreign(.scanParameters))
        #expect(read([0x01, 0x03, 0x0C, 0x00]) == .foreign(.reset))
        #expect(read([0x01, 0x09, 0x10, 0x00]) == .other)
    }

    @Test("A hardware error carries the manufacturer's code")
    func hardwareError() {
        #expect(read([0x04, 0x10, 0x01, 0x2A]) == .hardwareError(code: 0x2A))
    }

    @Test("No packet can trap the reader")
    func anyOctets() {
        for _ in 0..<20_000 {
            let kinds: [UInt8] = [0x01, 0x04, 0x02]
            let codes: [UInt8] = [0x3E, 0x0E, 0x0F, 0x10, 0x0C, 0x42, 0x03, 0xFD]
            var octets = (0..<Int.random(in: 0...16)).map { _ in UInt8.random(in: 0...255) }
            if let kind = kinds.randomElement(), !octets.isEmpty { octets[0] = kind }
            if let code = codes.randomElement(), octets.count > 1 { octets[1] = code }
            _ = read(octets)
            _ = DeviceEvent(packet: octets.span)
        }
    }

    @Test("The kernel's device events name the change and the adapter")
    func deviceEvents() {
        let octets: [UInt8] = [0x04, 0xFD, 0x06, 0x01, 0x00, 0x04, 0x00, 0x02, 0x00]
        #expect(DeviceEvent(packet: octets.span) == DeviceEvent(change: .down, index: 2))
        let unknown: [UInt8] = [0x04, 0xFD, 0x06, 0x01, 0x00, 0x09, 0x00, 0x02, 0x00]
        #expect(DeviceEvent(packet: unknown.span) == nil)
    }
}
