import Core

/// The meaning of a packet for the state of the radio. Reading it allocates nothing.
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
    /// The controller carried a command out, or refused it.
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
        case PacketType.event.rawValue: self = Self.event(packet.extracting(droppingFirst: 1))
        case PacketType.command.rawValue where packet.count >= 4: self = Self.command(packet)
        default: self = .other
        }
    }

    private static func event(_ event: Span<UInt8>) -> RadioPacket {
        let code = event[0]
        let parameters = event.extracting(droppingFirst: 2)
        switch code {
        case EventCode.leMeta: return AdvertisingEvent.isAdvertising(event) ? .report : .other
        case EventCode.commandComplete, EventCode.commandStatus:
            guard let outcome = CommandOutcome(eventCode: code, parameters: parameters) else { return .other }
            if code == EventCode.commandStatus {
                // The command is under way: its outcome follows as Command Complete.
                return outcome.status == .success ? .other : .outcome(outcome, features: nil)
            }
            guard outcome.opcode == .readFeatures else { return .outcome(outcome, features: nil) }
            let answer = parameters.extracting(droppingFirst: CommandOutcome.returnParametersOffset)
            return .outcome(outcome, features: LEFeatures(returnParameters: answer))
        case EventCode.hardwareError:
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
