/// HCI_LE_Set_Advertising_Data.
///
/// Core 5.4, Vol 4, Part E, 7.8.7:
///
///     octet 0       Advertising_Data_Length, 0 to 31
///     octets 1...31 Advertising_Data, filled up with zeros
package struct LESetAdvertisingData: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2008)
    /// Octets of advertising data at most.
    static let capacity = 31

    /// At most 31 octets.
    package let data: [UInt8]

    /// `nil` where `data` has more than 31 octets.
    package init?(data: [UInt8]) {
        guard data.count <= Self.capacity else { return nil }
        self.data = data
    }

    package var encodedParameters: [UInt8] {
        [UInt8(truncatingIfNeeded: data.count)] + data + Array(repeating: 0, count: max(0, Self.capacity - data.count))
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 1 + Self.capacity else { return nil }
        let length = Int(parameters[0])
        guard length <= Self.capacity else { return nil }
        self.init(data: Array(parameters.parameterOctets(from: 1).prefix(length)))
    }
}
