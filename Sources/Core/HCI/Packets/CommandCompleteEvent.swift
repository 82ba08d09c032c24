/// The controller is done with a command; `CommandOutcome` reads it.
///
/// Core 5.4, Vol 4, Part E, 7.7.14:
///
///     octet 0        event code, 0x0E
///     octet 1        length of what follows, 3 + n
///     octet 2        how many commands the host may send now
///     octets 3…4     the command's opcode, least significant octet first
///     octets 5…4+n   return parameters; the first is nearly always the status
package struct CommandCompleteEvent: Hashable, Sendable {
    /// An event holds 255 octets, and three stand before these.
    static let maxReturnParameters = 252

    var opcode: Opcode
    var returnParameters: [UInt8]

    package init(opcode: Opcode, returnParameters: [UInt8]) {
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The event packet from its event code on, with one command allowed; return parameters that don't fit are cut off.
    package var octets: [UInt8] {
        let parameters = returnParameters.prefix(Self.maxReturnParameters)
        return [EventCode.commandComplete, UInt8(truncatingIfNeeded: 3 + parameters.count), 1]
            + opcode.rawValue.littleEndianOctets + parameters
    }
}
