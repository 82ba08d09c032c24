/// A command as it reaches the controller.
///
/// Core 5.4, Vol 4, Part E, 5.4.1:
///
///     octets 0…1     opcode, least significant octet first: bits 15…10 group, 9…0 command
///     octet 2        length n of the parameters
///     octets 3…2+n   parameters
public struct CommandPacket: Hashable, Sendable {
    public static let headerLength = 3

    public var opcode: UInt16
    /// At most 255 octets.
    public var parameters: [UInt8]

    public init(opcode: UInt16, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// Reads a packet from its opcode on, without an H4 packet type octet.
    ///
    /// - Returns: `nil` where octets are missing. Octets behind the announced length are no part of the command.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.headerLength else { return nil }
        let end = Self.headerLength + Int(bytes[2])
        guard bytes.count >= end else { return nil }
        self.opcode = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        self.parameters = (Self.headerLength..<end).map { bytes[$0] }
    }
}
