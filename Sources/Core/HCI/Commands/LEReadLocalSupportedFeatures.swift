/// HCI_LE_Read_Local_Supported_Features: no parameters. The cheapest question that only a working controller answers.
///
/// Core 5.4, Vol 4, Part E, 7.8.3.
package struct LEReadLocalSupportedFeatures: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2003)

    package init() {}

    package var encodedParameters: [UInt8] { [] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.isEmpty else { return nil }
    }

    /// What the controller answers.
    ///
    ///     octet 0      Status
    ///     octets 1...8 LE_Features, 64 bits, least significant octet first
    package struct ReturnParameters: Hashable, Sendable {
        package var status: HCIStatus
        package var features: LEFeatures

        package init(status: HCIStatus, features: LEFeatures) {
            self.status = status
            self.features = features
        }

        var encoded: [UInt8] { [status.rawValue] + features.rawValue.littleEndianOctets }

        /// `nil` where octets are missing, as they may where the status is not `success`.
        package init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 9 else { return nil }
            status = HCIStatus(rawValue: returnParameters[0])
            features = LEFeatures(rawValue: returnParameters.parameterBits(at: 1, octets: 8))
        }
    }
}

/// The LE features of a controller, Core 5.4, Vol 6, Part B, 4.6; only the bits that decide something here are named.
package struct LEFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Bit 12. Some controllers set it and know none of the commands, so it is where to begin, not what to trust.
    package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
}
