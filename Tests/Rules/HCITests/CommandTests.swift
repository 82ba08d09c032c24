import Testing

@testable import Core

/// The tables of the specification, octet by octet.
@Suite("HCI commands")
struct CommandTests {
    static let examples: [CommandExample] = [
        CommandExample(
            HCICommand.scanParameters(.legacy, .active, ScanTiming(interval: 0x0060, window: 0x0030)),
            0x200B, [0x01, 0x60, 0x00, 0x30, 0x00, 0x00, 0x00]),
        CommandExample(ScanEnable(true, filtersDuplicates: true).command(.legacy), 0x200C, [0x01, 0x01]),
        CommandExample(
            HCICommand.scanParameters(.extended, .passive, ScanTiming(interval: 0x1234, window: 0x0123)),
            0x2041, [0x00, 0x00, 0x01, 0x00, 0x34, 0x12, 0x23, 0x01]),
        CommandExample(
            ScanEnable(true, filtersDuplicates: true).command(.extended), 0x2042, [0x01, 0x01, 0, 0, 0, 0]),
        CommandExample(HCICommand.readFeatures, 0x2003, []),
        CommandExample(
            HCICommand.advertisingParameters(.legacy, handle: 0, interval: 0x01A0), 0x2006,
            [0xA0, 0x01, 0xA0, 0x01, 0x03, 0x00, 0x00] + zeros(6) + [0x07, 0x00]),
        CommandExample(
            HCICommand.advertisingData(.legacy, handle: 0, [0x02, 0x01, 0x06]), 0x2008,
            [0x03, 0x02, 0x01, 0x06] + zeros(28)),
        CommandExample(HCICommand.advertisingEnable(.legacy, handle: 0, true), 0x200A, [0x01]),
        CommandExample(
            HCICommand.advertisingParameters(.extended, handle: 0x02, interval: 0x01A0), 0x2036,
            [0x02, 0x10, 0x00, 0xA0, 0x01, 0x00, 0xA0, 0x01, 0x00, 0x07, 0x00, 0x00] + zeros(6)
                + [0x00, 0x7F, 0x01, 0x00, 0x01, 0x00, 0x00]),
        CommandExample(
            HCICommand.advertisingData(.extended, handle: 0x02, [0xAA, 0xBB]), 0x2037,
            [0x02, 0x03, 0x01, 0x02, 0xAA, 0xBB]),
        CommandExample(
            HCICommand.advertisingEnable(.extended, handle: 0x02, true), 0x2039, [0x01, 0x01, 0x02, 0, 0, 0]),
        CommandExample(HCICommand.removeAdvertisingSet(handle: 0x02), 0x203C, [0x02]),
    ].compactMap { $0 }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    @Test("A command has the layout of the specification", arguments: examples)
    func encoding(example: CommandExample) {
        #expect(example.encoded == example.parameters)
        #expect(example.opcode == example.expectedOpcode)
        let opcode = [UInt8(example.expectedOpcode & 0xFF), UInt8(example.expectedOpcode >> 8)]
        #expect(example.packet == [0x01] + opcode + [UInt8(example.parameters.count)] + example.parameters)
    }

    @Test("A command of another process to switch scanning is read as it was written")
    func scanEnable() {
        for isEnabled in [false, true] {
            for filtersDuplicates in [false, true] {
                let enable = ScanEnable(isEnabled, filtersDuplicates: filtersDuplicates)
                for family in [CommandFamily.legacy, .extended] {
                    #expect(ScanEnable(family, parameters: enable.command(family).parameters.span) == enable)
                }
            }
        }
        let inEachPeriod: [UInt8] = [0x01, 0x02, 0x02, 0x01, 0x04, 0x03]
        #expect(ScanEnable(.extended, parameters: inEachPeriod.span)?.filtersDuplicates == true)
    }

    @Test("A command of another process to switch sets names their handles, or every set")
    func advertisingEnable() {
        let two: [UInt8] = [0x01, 0x02, 0x02, 0x02, 0x01, 0x09, 0xEF, 0x00, 0x00, 0x00]
        let on = AdvertisingSets(parameters: two.span)
        #expect(on?.isEnabled == true)
        #expect(on?.handles == [0x02, 0xEF])
        let none: [UInt8] = [0x00, 0x00]
        let off = AdvertisingSets(parameters: none.span)
        #expect(off?.isEnabled == false)
        #expect(off?.handles == [])
    }

    @Test("A wrong length and a reserved value make no command")
    func unreadable() {
        for octets: [UInt8] in [[], [0x01], [0x02, 0x00], [0x01, 0x02], [0x01, 0x00, 0x00]] {
            #expect(ScanEnable(.legacy, parameters: octets.span) == nil)
        }
        for octets: [UInt8] in [[], [0x01, 0, 0, 0, 0], [0x02, 0, 0, 0, 0, 0], [0x01, 0x03, 0, 0, 0, 0]] {
            #expect(ScanEnable(.extended, parameters: octets.span) == nil)
        }
        let many = [0x00, 64] + [UInt8](repeating: 0, count: 4 * 64)
        for octets: [UInt8] in [[], [0x00], [0x01, 0x00], [0x01, 0x01, 0x02], [0x01, 0x01, 0xF0, 0, 0, 0], many] {
            #expect(AdvertisingSets(parameters: octets.span) == nil)
        }
    }

    @Test("No parameters can trap a decoder")
    func anyOctets() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = ScanEnable(.legacy, parameters: octets.span)
            _ = ScanEnable(.extended, parameters: octets.span)
            _ = AdvertisingSets(parameters: octets.span)
        }
    }

    @Test("Data that does not fit makes no command")
    func dataTooLong() {
        #expect(HCICommand.advertisingData(.legacy, handle: 0, Array(repeating: 0, count: 32)) == nil)
        #expect(HCICommand.advertisingData(.extended, handle: 0, Array(repeating: 0, count: 252)) == nil)
    }

    @Test("Timing is rounded to units of 0.625 ms and clamped to what controllers accept")
    func timing() {
        #expect(ScanTiming(interval_ms: 60, window_ms: 30) == ScanTiming(interval: 96, window: 48))
        #expect(ScanTiming(interval_ms: 0, window_ms: -1) == ScanTiming(interval: 4, window: 4))
        #expect(ScanTiming(interval_ms: 1e9, window_ms: .infinity) == ScanTiming(interval: 0x4000, window: 0x4000))
        #expect(ScanTiming(interval_ms: 10, window_ms: 20) == ScanTiming(interval: 16, window: 16))
        #expect(ScanTiming(interval_ms: .nan, window_ms: .nan) == ScanTiming(interval: 4, window: 4))
    }
}

/// A command with its expected octets.
struct CommandExample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let opcode: UInt16
    let expectedOpcode: UInt16
    let encoded: [UInt8]
    let packet: [UInt8]
    let parameters: [UInt8]

    init?(_ command: HCICommand?, _ opcode: UInt16, _ parameters: [UInt8]) {
        guard let command else { return nil }
        testDescription = "\(command.opcode)"
        self.opcode = command.opcode.rawValue
        expectedOpcode = opcode
        encoded = command.parameters
        packet = command.packet
        self.parameters = parameters
    }
}
