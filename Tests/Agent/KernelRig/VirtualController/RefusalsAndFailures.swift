@testable import Core

/// The event by which a controller accepts or refuses a command; `CommandOutcome` reads it.
///
/// Core 5.4, Vol 4, Part E, 7.7.15:
///
///     octet 0        event code, 0x0F
///     octet 1        length of what follows, 4
///     octet 2        status: 0x00 under way, else an error code
///     octet 3        how many commands the host may send now
///     octets 4…5     the command's opcode, least significant octet first
struct CommandStatusEvent: Hashable, Sendable {
    var opcode: Opcode
    var status: HCIStatus

    init(opcode: Opcode, status: HCIStatus) {
        self.opcode = opcode
        self.status = status
    }

    /// The event packet from its event code on, with one command allowed.
    var octets: [UInt8] {
        [EventCode.commandStatus, 4, status.rawValue, 1] + opcode.rawValue.littleEndianOctets
    }
}

/// The event of a hardware failure; Linux then resets the controller, which ends every scan.
///
/// Core 5.4, Vol 4, Part E, 7.7.16:
///
///     octet 0        event code, 0x10
///     octet 1        length of what follows, 1
///     octet 2        a code of the vendor's own
struct HardwareErrorEvent: Hashable, Sendable {
    var code: UInt8

    init(code: UInt8) {
        self.code = code
    }

    /// The event packet from its event code on.
    var octets: [UInt8] { [EventCode.hardwareError, 1, code] }
}
