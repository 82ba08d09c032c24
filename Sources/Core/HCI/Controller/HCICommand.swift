/// A command from host to controller, with its parameters in wire order.
///
/// HCI command packet, Core 5.4, Vol 4, Part E, 5.4.1, with the UART indicator of Part A in front:
///
///     octet 0      0x01, command packet
///     octets 1, 2  opcode, little-endian
///     octet 3      length of the parameters, 0 to 255
///     octets 4...  the parameters
package struct HCICommand: Hashable, Sendable {
    package let opcode: Opcode
    /// At most 255 octets.
    package let parameters: [UInt8]

    init(_ opcode: Opcode, _ parameters: [UInt8] = []) { (self.opcode, self.parameters) = (opcode, parameters) }

    /// The whole packet, with the indicator 0x01.
    package var packet: [UInt8] {
        let parameters = parameters.prefix(255)
        return [0x01] + opcode.rawValue.littleEndianOctets + [UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }

    /// HCI_LE_Read_Local_Supported_Features, Core 5.4, Vol 4, Part E, 7.8.3. The cheapest command that only a working
    /// controller answers.
    package static let readFeatures = HCICommand(.readFeatures)
}

/// The two sets of scanning and advertising commands. A controller that has received one set refuses the other until it
/// is reset.
package enum CommandFamily: Hashable, Sendable {
    case legacy
    case extended

    package var other: CommandFamily { self == .legacy ? .extended : .legacy }
}

/// The LE features of a controller, Core 5.4, Vol 6, Part B, 4.6. Only the bits that the agent uses are named.
package struct LEFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Bit 12. Some controllers set it without knowing the commands. The agent tries them first, but does not rely on
    /// the bit.
    package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)

    /// Decodes the return parameters of `HCICommand.readFeatures`. Returns `nil` for a failure and where octets
    /// are missing.
    ///
    ///     octet 0      Status
    ///     octets 1...8 LE_Features, 64 bits, least significant octet first
    package init?(returnParameters: Span<UInt8>) {
        guard returnParameters.count >= 9, HCIStatus(rawValue: returnParameters[0]) == .success else { return nil }
        rawValue = returnParameters.parameterBits(at: 1, octets: 8)
    }
}

/// The opcode of an HCI command.
///
/// Core 5.4, Vol 4, Part E, 5.4.1:
///
///     bits 15...10  OGF, the group
///     bits 9...0    OCF, the command within the group
package struct Opcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// HCI_Reset: clears everything that any host process has set up in the controller.
    package static let reset = Opcode(rawValue: 0x0C03)
    package static let readFeatures = Opcode(rawValue: 0x2003)
}

extension Opcode: CustomStringConvertible {
    /// Four hexadecimal digits: `0x200C`.
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// The outcome of an HCI command: 0x00, or an error code of Core 5.4, Vol 1, Part F.
package struct HCIStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let success = HCIStatus(rawValue: 0x00)
    /// The controller does not know the command, even if its feature bits say so.
    static let unknownCommand = HCIStatus(rawValue: 0x01)
    static let hardwareFailure = HCIStatus(rawValue: 0x03)
    static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    /// The command came at the wrong moment: parameters while scanning is on, or a legacy command after an extended
    /// one.
    package static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    static let unsupportedFeature = HCIStatus(rawValue: 0x11)
    package static let invalidParameters = HCIStatus(rawValue: 0x12)
    package static let unspecifiedError = HCIStatus(rawValue: 0x1F)
    static let controllerBusy = HCIStatus(rawValue: 0x3A)
    static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
}

extension HCIStatus: CustomStringConvertible {
    /// The specification's name and the code: `Command Disallowed (0x0C)`.
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        let code = "(0x" + (rawValue < 0x10 ? "0" : "") + digits + ")"
        return switch self {
        case .success: "Success " + code
        case .unknownCommand: "Unknown HCI Command " + code
        case .hardwareFailure: "Hardware Failure " + code
        case .memoryCapacityExceeded: "Memory Capacity Exceeded " + code
        case .commandDisallowed: "Command Disallowed " + code
        case .unsupportedFeature: "Unsupported Feature or Parameter Value " + code
        case .invalidParameters: "Invalid HCI Command Parameters " + code
        case .unspecifiedError: "Unspecified Error " + code
        case .controllerBusy: "Controller Busy " + code
        case .unknownAdvertisingIdentifier: "Unknown Advertising Identifier " + code
        default: "Status " + code
        }
    }
}

/// The controller's answer to a command: HCI_Command_Complete or HCI_Command_Status.
///
/// Core 5.4, Vol 4, Part E, 7.7.14 and 7.7.15; the event's parameters, without its code and length:
///
///     Command Complete (0x0E)                    Command Status (0x0F)
///     octet 0      Num_HCI_Command_Packets       octet 0      Status
///     octets 1, 2  Command_Opcode                octet 1      Num_HCI_Command_Packets
///     octets 3...  Return_Parameters; the first  octets 2, 3  Command_Opcode
///                  of them is nearly always a
///                  Status
///
/// The return parameters travel beside it, from `returnParametersOffset` on, so that nothing is copied.
package struct CommandOutcome: Hashable, Sendable {
    /// The offset of the return parameters within the parameters of a Command Complete event.
    package static let returnParametersOffset = 3

    /// The number of commands that the controller is ready to take.
    var commandCredits: UInt8
    /// 0x0000 where the event only updates `commandCredits`.
    package var opcode: Opcode
    /// `nil` where a Command Complete event has no return parameters.
    package var status: HCIStatus?

}

extension CommandOutcome {
    /// Returns `nil` for other events, and where octets are missing.
    package init?(eventCode: UInt8, parameters: Span<UInt8>) {
        switch eventCode {
        case EventCode.commandComplete:
            guard parameters.count >= Self.returnParametersOffset else { return nil }
            commandCredits = parameters[0]
            opcode = Opcode(rawValue: parameters.parameter16(at: 1))
            status =
                parameters.count > Self.returnParametersOffset
                ? HCIStatus(rawValue: parameters[Self.returnParametersOffset]) : nil
        case EventCode.commandStatus:
            guard parameters.count >= 4 else { return nil }
            status = HCIStatus(rawValue: parameters[0])
            commandCredits = parameters[1]
            opcode = Opcode(rawValue: parameters.parameter16(at: 2))
        default:
            return nil
        }
    }
}

extension FixedWidthInteger {
    /// All octets of the number, least significant first.
    var littleEndianOctets: [UInt8] {
        stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}

/// Reads a command's parameters. The caller has checked the number of octets.
extension Span where Element == UInt8 {
    func parameter16(at index: Int) -> UInt16 { UInt16(truncatingIfNeeded: parameterBits(at: index, octets: 2)) }

    /// Returns a number of up to eight octets, least significant first.
    func parameterBits(at index: Int, octets: Int) -> UInt64 {
        (index..<index + octets).reversed().reduce(0) { $0 << 8 | UInt64(self[$1]) }
    }

    /// Returns a Boolean octet; `nil` for a value other than 0x00 and 0x01.
    func parameterFlag(at index: Int) -> Bool? {
        switch self[index] {
        case 0x00: false
        case 0x01: true
        default: nil
        }
    }

    func parameterOctets(from index: Int) -> [UInt8] {
        guard index < count else { return [] }
        return (index..<count).map { self[$0] }
    }
}

extension Bool {
    var parameterOctet: UInt8 { self ? 0x01 : 0x00 }
}
