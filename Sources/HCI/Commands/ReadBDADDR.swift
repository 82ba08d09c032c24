/// HCI_Read_BD_ADDR: no parameters.
///
/// Core 5.4, Vol 4, Part E, 7.4.6.
public struct ReadBDADDR: HCIQuestion, Hashable {
    public static let opcode = Opcode(rawValue: 0x1009)

    public init() {}

    /// What the controller answers.
    ///
    ///     octet 0      Status
    ///     octets 1...6 BD_ADDR, least significant first
    public struct ReturnParameters: Hashable, Sendable {
        public var status: HCIStatus
        /// Always of the type `public`.
        public var address: DeviceAddress

        public init(status: HCIStatus, address: DeviceAddress) {
            self.status = status
            self.address = address
        }

        public var encoded: [UInt8] { [status.rawValue] + address.octets }

        /// `nil` where octets are missing, as they may where the status is not `success`.
        public init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 7 else { return nil }
            status = HCIStatus(rawValue: returnParameters[0])
            address = DeviceAddress(bits: returnParameters.parameterAddressBits(at: 1), type: .public)
        }
    }
}
