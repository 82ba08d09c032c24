/// A command from host to controller, with its parameters in the order in which they travel.
///
/// HCI command packet, Core 5.4, Vol 4, Part E, 5.4.1, with the UART indicator of Part A in front:
///
///     octet 0      0x01, command packet
///     octets 1, 2  opcode, little-endian
///     octet 3      length of the parameters, 0 to 255
///     octets 4...  the parameters
package protocol HCICommand: Sendable {
    static var opcode: Opcode { get }

    /// The parameters as they travel, without the packet's header; at most 255 octets.
    var encodedParameters: [UInt8] { get }

    /// Reads what `encodedParameters` writes. `nil` where the length is wrong or a value is reserved, to which a
    /// controller answers `HCIStatus.invalidParameters`.
    init?(parameters: Span<UInt8>)
}

extension HCICommand {
    /// The whole packet, from the indicator 0x01 on.
    package var packet: [UInt8] {
        let parameters = encodedParameters.prefix(255)
        return [0x01] + Self.opcode.rawValue.littleEndianOctets + [UInt8(truncatingIfNeeded: parameters.count)]
            + parameters
    }
}
