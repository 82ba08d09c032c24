/// HCI_LE_Read_Local_Supported_Features: no parameters. The cheapest question that only a working controller answers.
///
/// Core 5.4, Vol 4, Part E, 7.8.3.
public struct LEReadLocalSupportedFeatures: HCIQuestion, Hashable {
    public static let opcode = Opcode(rawValue: 0x2003)

    public init() {}

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

        public var encoded: [UInt8] { [status.rawValue] + features.rawValue.littleEndianOctets }

        /// `nil` where octets are missing, as they may where the status is not `success`.
        public init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 9 else { return nil }
            status = HCIStatus(rawValue: returnParameters[0])
            features = LEFeatures(rawValue: returnParameters.parameterBits(at: 1, octets: 8))
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
