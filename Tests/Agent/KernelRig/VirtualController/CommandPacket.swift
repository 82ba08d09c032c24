@testable import Core

/// A command packet, known or unknown; `HCICommand` is a known one.
///
/// Core 5.4, Vol 4, Part E, 5.4.1:
///
///     octets 0…1     opcode, least significant octet first
///     octet 2        length n of the parameters
///     octets 3…2+n   parameters
struct CommandPacket: Hashable, Sendable {
    static let headerLength = 3

    var opcode: Opcode
    /// At most 255 octets.
    var parameters: [UInt8]

    init(opcode: Opcode, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// Reads a packet from its opcode on, without an H4 packet type octet.
    ///
    /// - Returns: `nil` where octets are missing. Octets after the announced length are no part of the command.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.headerLength else { return nil }
        let end = Self.headerLength + Int(bytes[2])
        guard bytes.count >= end else { return nil }
        self.opcode = Opcode(rawValue: bytes.parameter16(at: 0))
        self.parameters = Array(bytes.parameterOctets(from: Self.headerLength).prefix(end - Self.headerLength))
    }
}
