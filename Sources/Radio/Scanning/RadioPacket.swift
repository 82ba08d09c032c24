import HCI

/// What a packet from the scan socket means to the radio itself. Reading it allocates nothing.
///
/// H4 packets, Core 5.4, Vol 4, Part A, 2, and Part E, 5.4:
///
///     octet 0  0x04 event                   0x01 command
///     octet 1  event code                   opcode, low octet
///     octet 2  length of the parameters     opcode, high octet
///     octet 3  LE Meta: subevent            length of the parameters
enum RadioPacket: Hashable, Sendable {
    /// An advertising report of any kind: legacy, directed or extended.
    case report
    /// A command was carried out or refused.
    case outcome(CommandOutcome, features: LEFeatures?)
    case hardwareError(code: UInt8)
    case foreign(ForeignCommand)
    case other

    init(_ packet: Span<UInt8>) {
        guard packet.count >= 3 else {
            self = .other
            return
        }
        switch packet[0] {
        case HCIFilter.eventPacket: self = Self.event(code: packet[1], parameters: packet.extracting(droppingFirst: 3))
        case HCIFilter.commandPacket where packet.count >= 4: self = Self.command(packet)
        default: self = .other
        }
    }

    private static func event(code: UInt8, parameters: Span<UInt8>) -> RadioPacket {
        switch code {
        case HCIFilter.leMetaEvent:
            guard !parameters.isEmpty else { return .other }
            return switch parameters[0] {
            case 0x02, 0x0B, 0x0D: .report
            default: .other
            }
        case CommandOutcome.completeEventCode, CommandOutcome.statusEventCode:
            guard let outcome = CommandOutcome(eventCode: code, parameters: parameters) else { return .other }
            if code == CommandOutcome.statusEventCode {
                // Under way: the outcome follows as Command Complete.
                return outcome.status == .success ? .other : .outcome(outcome, features: nil)
            }
            guard outcome.opcode == LEReadLocalSupportedFeatures.opcode else { return .outcome(outcome, features: nil) }
            let answer = LEReadLocalSupportedFeatures.ReturnParameters(
                returnParameters: parameters.extracting(droppingFirst: CommandOutcome.returnParametersOffset))
            return .outcome(outcome, features: answer?.status == .success ? answer?.features : nil)
        case HCIFilter.hardwareErrorEvent:
            return .hardwareError(code: parameters.isEmpty ? 0 : parameters[0])
        default:
            return .other
        }
    }

    private static func command(_ packet: Span<UInt8>) -> RadioPacket {
        let opcode = Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        let foreign = ForeignCommand(opcode: opcode, parameters: packet.extracting(droppingFirst: 4))
        return foreign.map(RadioPacket.foreign) ?? .other
    }
}
