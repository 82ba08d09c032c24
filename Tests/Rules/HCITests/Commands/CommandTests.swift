import Testing

@testable import Core

/// The tables of the specification, octet by octet.
@Suite("HCI commands")
struct CommandTests {
    static let examples: [CommandExample] = [
        CommandExample(
            LESetScanParameters(type: .active, timing: ScanTiming(interval: 0x0060, window: 0x0030)),
            0x200B, [0x01, 0x60, 0x00, 0x30, 0x00, 0x00, 0x00]),
        CommandExample(LESetScanEnable(isEnabled: true, filtersDuplicates: true), 0x200C, [0x01, 0x01]),
        CommandExample(
            LESetExtendedScanParameters(
                ownAddressType: .random, filterPolicy: .basicFiltered,
                le1M: .init(type: .passive, timing: ScanTiming(interval: 0x1234, window: 0x0123)),
                leCoded: .init(type: .active, timing: ScanTiming(interval: 0xFFFF, window: 0x0004))),
            0x2041, [0x01, 0x01, 0x05, 0x00, 0x34, 0x12, 0x23, 0x01, 0x01, 0xFF, 0xFF, 0x04, 0x00]),
        CommandExample(
            LESetExtendedScanParameters(
                le1M: .init(type: .passive, timing: ScanTiming(interval: 0x0060, window: 0x0030))),
            0x2041, [0x00, 0x00, 0x01, 0x00, 0x60, 0x00, 0x30, 0x00]),
        CommandExample(
            LESetExtendedScanEnable(
                isEnabled: true, duplicateFilter: .onForEachPeriod, duration: 0x0102, period: 0x0304),
            0x2042, [0x01, 0x02, 0x02, 0x01, 0x04, 0x03]),
        CommandExample(LEReadLocalSupportedFeatures(), 0x2003, []),
        CommandExample(
            LESetAdvertisingParameters(
                intervalMin: 0x00A0, intervalMax: 0x0140, type: .nonConnectable, ownAddressType: .random,
                peer: DeviceAddress(bits: 0x0102_0304_0506, type: .random)),
            0x2006, [0xA0, 0x00, 0x40, 0x01, 0x03, 0x01, 0x01, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x07, 0x00]),
        CommandExample(LESetAdvertisingData(data: [0x02, 0x01, 0x06]), 0x2008, [0x03, 0x02, 0x01, 0x06] + zeros(28)),
        CommandExample(LESetAdvertisingEnable(isEnabled: true), 0x200A, [0x01]),
        CommandExample(
            LESetExtendedAdvertisingParameters(
                handle: 0x02, eventProperties: LESetExtendedAdvertisingParameters.legacyNonConnectable,
                intervalMin: 0x0000A0, intervalMax: 0x010140),
            0x2036,
            [0x02, 0x10, 0x00, 0xA0, 0x00, 0x00, 0x40, 0x01, 0x01, 0x07, 0x00, 0x00] + zeros(6)
                + [0x00, 0x7F, 0x01, 0x00, 0x01, 0x00, 0x00]),
        CommandExample(
            LESetExtendedAdvertisingData(handle: 0x02, data: [0xAA, 0xBB]), 0x2037,
            [0x02, 0x03, 0x01, 0x02, 0xAA, 0xBB]),
        CommandExample(
            LESetExtendedAdvertisingEnable(
                isEnabled: true, sets: [.init(handle: 0x02, duration: 0x0102, maxEvents: 9)]),
            0x2039, [0x01, 0x01, 0x02, 0x02, 0x01, 0x09]),
        CommandExample(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []), 0x2039, [0x00, 0x00]),
        CommandExample(LERemoveAdvertisingSet(handle: 0x02), 0x203C, [0x02]),
    ].compactMap { $0 }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    @Test("A command has the layout of the specification", arguments: examples)
    func encoding(example: CommandExample) {
        #expect(example.encoded == example.parameters)
        #expect(example.opcode == example.expectedOpcode)
        let opcode = [UInt8(example.expectedOpcode & 0xFF), UInt8(example.expectedOpcode >> 8)]
        #expect(example.packet == [0x01] + opcode + [UInt8(example.parameters.count)] + example.parameters)
    }

    @Test("A command is read back unchanged", arguments: examples)
    func decoding(example: CommandExample) {
        #expect(example.readsBack(example.parameters))
    }

    @Test("A command with an octet too few or too many is refused", arguments: examples)
    func wrongLength(example: CommandExample) {
        #expect(!example.reads(example.parameters + [0x00]))
        if !example.parameters.isEmpty { #expect(!example.reads(Array(example.parameters.dropLast()))) }
    }

    @Test("No parameters can trap a decoder", arguments: examples)
    func anyOctets(example: CommandExample) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Parameters that can be read are equal when written again.
            #expect(example.isStable(octets))
        }
    }

    @Test("Data that does not fit makes no command")
    func dataTooLong() {
        #expect(LESetAdvertisingData(data: Array(repeating: 0, count: 32)) == nil)
        #expect(LESetExtendedAdvertisingData(handle: 0, data: Array(repeating: 0, count: 252)) == nil)
        #expect(LESetExtendedAdvertisingEnable(isEnabled: true, sets: []) == nil)
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

/// A command of any type with its expected octets.
struct CommandExample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let opcode: UInt16
    let expectedOpcode: UInt16
    let encoded: [UInt8]
    let packet: [UInt8]
    let parameters: [UInt8]
    let reads: @Sendable ([UInt8]) -> Bool
    let readsBack: @Sendable ([UInt8]) -> Bool
    let isStable: @Sendable ([UInt8]) -> Bool

    init?<Command: HCICommand & Hashable>(_ command: Command?, _ opcode: UInt16, _ parameters: [UInt8]) {
        guard let command else { return nil }
        testDescription = "\(Command.self)"
        self.opcode = Command.opcode.rawValue
        expectedOpcode = opcode
        encoded = command.encodedParameters
        packet = command.packet
        self.parameters = parameters
        reads = { Command(parameters: $0.span) != nil }
        readsBack = { Command(parameters: $0.span) == command }
        isStable = { octets in
            guard let read = Command(parameters: octets.span) else { return true }
            return Command(parameters: read.encodedParameters.span) == read
        }
    }
}
