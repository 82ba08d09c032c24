/// The controller is done with a command; `CommandOutcome` reads it.
///
/// Core 5.4, Vol 4, Part E, 7.7.14:
///
///     octet 0        event code, 0x0E
///     octet 1        length of what follows, 3 + n
///     octet 2        how many commands the host may send now
///     octets 3…4     the command's opcode, least significant octet first
///     octets 5…4+n   return parameters; the first is nearly always the status
public struct CommandCompleteEvent: Hashable, Sendable {
    /// An event holds 255 octets, and three stand before these.
    public static let maxReturnParameters = 252

    public var opcode: Opcode
    public var returnParameters: [UInt8]

    public init(opcode: Opcode, returnParameters: [UInt8]) {
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The event packet from its event code on, with one command allowed; return parameters that don't fit are cut off.
    public var octets: [UInt8] {
        let parameters = returnParameters.prefix(Self.maxReturnParameters)
        return [EventCode.commandComplete, UInt8(truncatingIfNeeded: 3 + parameters.count), 1]
            + opcode.rawValue.littleEndianOctets + parameters
    }
}

/// The controller has taken a command up, or refuses it; `CommandOutcome` reads it.
///
/// Core 5.4, Vol 4, Part E, 7.7.15:
///
///     octet 0        event code, 0x0F
///     octet 1        length of what follows, 4
///     octet 2        status: 0x00 under way, else an error code
///     octet 3        how many commands the host may send now
///     octets 4…5     the command's opcode, least significant octet first
public struct CommandStatusEvent: Hashable, Sendable {
    public var opcode: Opcode
    public var status: HCIStatus

    public init(opcode: Opcode, status: HCIStatus) {
        self.opcode = opcode
        self.status = status
    }

    /// The event packet from its event code on, with one command allowed.
    public var octets: [UInt8] {
        [EventCode.commandStatus, 4, status.rawValue, 1] + opcode.rawValue.littleEndianOctets
    }
}

/// The controller's hardware failed; Linux answers by resetting it, which ends every scan.
///
/// Core 5.4, Vol 4, Part E, 7.7.16:
///
///     octet 0        event code, 0x10
///     octet 1        length of what follows, 1
///     octet 2        a code of the vendor's own
public struct HardwareErrorEvent: Hashable, Sendable {
    public var code: UInt8

    public init(code: UInt8) {
        self.code = code
    }

    /// The event packet from its event code on.
    public var octets: [UInt8] { [EventCode.hardwareError, 1, code] }
}
