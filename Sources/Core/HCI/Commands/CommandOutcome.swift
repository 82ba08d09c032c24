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
    /// Where the return parameters begin within the parameters of a Command Complete event.
    package static let returnParametersOffset = 3

    /// How many commands the controller is ready to take.
    var commandCredits: UInt8
    /// 0x0000 where the event only updates `commandCredits`.
    package var opcode: Opcode
    /// `nil` where a Command Complete event has no return parameters.
    package var status: HCIStatus?

    init(commandCredits: UInt8, opcode: Opcode, status: HCIStatus?) {
        self.commandCredits = commandCredits
        self.opcode = opcode
        self.status = status
    }

    /// `nil` for other events, and where octets are missing.
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
