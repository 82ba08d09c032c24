/// HCI_LE_Set_Extended_Advertising_Data.
///
/// Core 5.4, Vol 4, Part E, 7.8.54:
///
///     octet 0      Advertising_Handle, 0x00 to 0xEF
///     octet 1      Operation: 0x03 the data is complete
///     octet 2      Fragment_Preference: 0x00 the controller may fragment, 0x01 it should not
///     octet 3      Advertising_Data_Length, 0 to 251
///     octets 4...  Advertising_Data
package struct LESetExtendedAdvertisingData: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2037)
    /// Octets of advertising data at most in one command.
    static let capacity = 251

    package enum Operation: UInt8, Sendable {
        case intermediateFragment = 0x00
        case firstFragment = 0x01
        case lastFragment = 0x02
        case complete = 0x03
        case unchangedData = 0x04
    }

    package let handle: UInt8
    let operation: Operation
    let prefersNoFragmentation: Bool
    /// At most 251 octets.
    package let data: [UInt8]

    /// `nil` where `data` has more than 251 octets.
    package init?(handle: UInt8, operation: Operation = .complete, prefersNoFragmentation: Bool = true, data: [UInt8]) {
        guard data.count <= Self.capacity else { return nil }
        self.handle = handle
        self.operation = operation
        self.prefersNoFragmentation = prefersNoFragmentation
        self.data = data
    }

    package var encodedParameters: [UInt8] {
        [handle, operation.rawValue, prefersNoFragmentation.parameterOctet, UInt8(truncatingIfNeeded: data.count)]
            + data
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count >= 4, parameters[0] <= 0xEF,
            let operation = Operation(rawValue: parameters[1]),
            let prefersNoFragmentation = parameters.parameterFlag(at: 2),
            parameters.count == 4 + Int(parameters[3])
        else { return nil }
        self.init(
            handle: parameters[0], operation: operation, prefersNoFragmentation: prefersNoFragmentation,
            data: parameters.parameterOctets(from: 4))
    }
}
