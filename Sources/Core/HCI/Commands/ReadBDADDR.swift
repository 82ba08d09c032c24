/// HCI_Read_BD_ADDR: no parameters.
///
/// Core 5.4, Vol 4, Part E, 7.4.6.
struct ReadBDADDR: HCIQuestion, Hashable {
    static let opcode = Opcode(rawValue: 0x1009)

    /// What the controller answers.
    ///
    ///     octet 0      Status
    ///     octets 1...6 BD_ADDR, least significant first
    struct ReturnParameters: Hashable, Sendable {
        var status: HCIStatus
        /// Always of the type `public`.
        package var address: DeviceAddress

        init(status: HCIStatus, address: DeviceAddress) {
            self.status = status
            self.address = address
        }

        var encoded: [UInt8] { [status.rawValue] + address.octets }

        /// `nil` where octets are missing, as they may where the status is not `success`.
        init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 7 else { return nil }
            status = HCIStatus(rawValue: returnParameters[0])
            address = DeviceAddress(bits: returnParameters.parameterAddressBits(at: 1), type: .public)
        }
    }
}
