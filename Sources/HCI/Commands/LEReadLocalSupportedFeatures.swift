/// HCI_LE_Read_Local_Supported_Features: no parameters. The cheapest question that only a working controller answers.
///
/// Core 5.4, Vol 4, Part E, 7.8.3.
public struct LEReadLocalSupportedFeatures: HCICommand, Hashable {
    public static let opcode = Opcode(rawValue: 0x2003)

    public init() {}

    public var encodedParameters: [UInt8] { [] }

    public init?(parameters: Span<UInt8>) {
        guard parameters.isEmpty else { return nil }
    }

    /// What the controller answers.
    ///
    ///     octet 0      Status
    ///     octets 1...8 LE_Features, 64 bits, least significant octet first
    public struct ReturnParameters: Hashable, Sendable {
        public var status: HCIStatus
        public var features: LEFeatures

        public init(status: HCIStatus, features: LEFeatures) {
            self.status = status
            self.features = features
        }

        public var encoded: [UInt8] {
            [status.rawValue]
                + stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: features.rawValue >> $0) }
        }

        /// `nil` where octets are missing, as they may where the status is not `success`.
        public init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 9 else { return nil }
            status = HCIStatus(rawValue: returnParameters[0])
            var bits: UInt64 = 0
            for index in (1...8).reversed() { bits = bits << 8 | UInt64(returnParameters[index]) }
            features = LEFeatures(rawValue: bits)
        }
    }
}

/// The LE features of a controller, Core 5.4, Vol 6, Part B, 4.6; only the bits that decide something here are named.
public struct LEFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Bit 12. Some controllers set it and know none of the commands, so it is where to begin, not what to trust.
    public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
}
