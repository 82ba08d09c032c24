/// The codes of the controller events that the agent or the simulated controller uses.
///
/// Core 5.4, Vol 4, Part E, 7.7.
package enum EventCode {
    /// 7.7.14.
    package static let commandComplete: UInt8 = 0x0E
    /// 7.7.15.
    package static let commandStatus: UInt8 = 0x0F
    /// 7.7.16.
    package static let hardwareError: UInt8 = 0x10
    /// 7.7.65. The octet behind the length is an `LESubevent`.
    package static let leMeta: UInt8 = 0x3E
}

/// The subevents of LE controllers that carry advertising reports. Core 5.4, Vol 4, Part E, 7.7.65.
enum LESubevent {
    /// 7.7.65.2.
    static let advertisingReport: UInt8 = 0x02
    /// 7.7.65.11. It has no data, so it carries no beacon. It still proves that the radio hears.
    static let directedAdvertisingReport: UInt8 = 0x0B
    /// 7.7.65.13.
    static let extendedAdvertisingReport: UInt8 = 0x0D
}

/// The octet in front of a packet on a UART, in /dev/vhci and in captures with datalink 1002.
///
/// Core 5.4, Vol 4, Part A, 2: the HCI packet indicator, one octet.
package enum PacketType: UInt8, Sendable {
    case command = 0x01
    case aclData = 0x02
    case synchronousData = 0x03
    case event = 0x04
    case isochronousData = 0x05
}

// Each number of several octets is read with one load, not octet by octet. The load is checked against the bounds. The
// standard library calls it unsafe because some types do not allow all bit patterns; integers do.

/// Returns four octets, most significant first. The caller has checked that they are there.
func bigEndian32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

/// Returns eight octets, most significant first. The caller has checked that they are there.
func bigEndian64(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

/// Returns the six octets of an address, least significant first. The caller has checked that they are there.
func deviceAddressBits(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    let low = UInt32(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    let high = UInt16(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt16.self))
    return UInt64(high) << 32 | UInt64(low)
}

/// The event that ends a command; `CommandOutcome` reads it.
///
/// Core 5.4, Vol 4, Part E, 7.7.14:
///
///     octet 0        event code, 0x0E
///     octet 1        length of what follows, 3 + n
///     octet 2        how many commands the host may send now
///     octets 3…4     the command's opcode, least significant octet first
///     octets 5…4+n   return parameters; the first is nearly always the status
package struct CommandCompleteEvent: Hashable, Sendable {
    /// The most return parameters: an event has 255 octets, and three stand before these.
    static let maxReturnParameters = 252

    var opcode: Opcode
    var returnParameters: [UInt8]

    package init(opcode: Opcode, returnParameters: [UInt8]) {
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The event packet from its event code on. It allows one further command and cuts return parameters that don't
    /// fit.
    package var octets: [UInt8] {
        let parameters = returnParameters.prefix(Self.maxReturnParameters)
        return [EventCode.commandComplete, UInt8(truncatingIfNeeded: 3 + parameters.count), 1]
            + opcode.rawValue.littleEndianOctets + parameters
    }
}
