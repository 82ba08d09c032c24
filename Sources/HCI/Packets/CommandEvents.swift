/// The controller is done with a command.
///
/// Core 5.4, Vol 4, Part E, 7.7.14:
///
///     octet 0        event code, 0x0E
///     octet 1        length of what follows, 3 + n
///     octet 2        how many commands the host may send now
///     octets 3…4     the command's opcode, least significant octet first
///     octets 5…4+n   return parameters; the first is the status, save for a few commands
public struct CommandCompleteEvent: Hashable, Sendable {
    static let eventCode: UInt8 = 0x0E
    /// An event holds 255 octets, and three stand before these.
    public static let maxReturnParameters = 252

    public var opcode: UInt16
    public var returnParameters: [UInt8]

    public init(opcode: UInt16, returnParameters: [UInt8]) {
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The event packet from its event code on; return parameters that don't fit are cut off.
    public var octets: [UInt8] {
        let parameters = returnParameters.prefix(Self.maxReturnParameters)
        return [Self.eventCode, UInt8(truncatingIfNeeded: 3 + parameters.count), 1]
            + littleEndian(opcode) + parameters
    }
}

/// The controller has taken a command up, or refuses it.
///
/// Core 5.4, Vol 4, Part E, 7.7.15:
///
///     octet 0        event code, 0x0F
///     octet 1        length of what follows, 4
///     octet 2        status: 0 under way, else an error code
///     octet 3        how many commands the host may send now
///     octets 4…5     the command's opcode, least significant octet first
public struct CommandStatusEvent: Hashable, Sendable {
    static let eventCode: UInt8 = 0x0F

    public var opcode: UInt16
    public var status: UInt8

    public init(opcode: UInt16, status: UInt8) {
        self.opcode = opcode
        self.status = status
    }

    /// The event packet from its event code on.
    public var octets: [UInt8] { [Self.eventCode, 4, status, 1] + littleEndian(opcode) }
}

private func littleEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}
