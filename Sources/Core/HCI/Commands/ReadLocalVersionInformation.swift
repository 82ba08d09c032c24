/// HCI_Read_Local_Version_Information: no parameters.
///
/// Core 5.4, Vol 4, Part E, 7.4.1.
struct ReadLocalVersionInformation: HCIQuestion, Hashable {
    static let opcode = Opcode(rawValue: 0x1001)

    /// What the controller answers.
    ///
    ///     octet 0      Status
    ///     octet 1      HCI_Version: 0x06 is 4.0, 0x09 is 5.0
    ///     octets 2, 3  HCI_Subversion
    ///     octet 4      LMP_Version
    ///     octets 5, 6  Company_Identifier of the manufacturer
    ///     octets 7, 8  LMP_Subversion
    struct ReturnParameters: Hashable, Sendable {
        var status: HCIStatus
        var hciVersion: UInt8
        var hciSubversion: UInt16
        var lmpVersion: UInt8
        var companyIdentifier: UInt16
        var lmpSubversion: UInt16

        init(
            status: HCIStatus, hciVersion: UInt8, hciSubversion: UInt16, lmpVersion: UInt8, companyIdentifier: UInt16,
            lmpSubversion: UInt16
        ) {
            self.status = status
            self.hciVersion = hciVersion
            self.hciSubversion = hciSubversion
            self.lmpVersion = lmpVersion
            self.companyIdentifier = companyIdentifier
            self.lmpSubversion = lmpSubversion
        }

        var encoded: [UInt8] {
            [status.rawValue, hciVersion] + hciSubversion.littleEndianOctets + [lmpVersion]
                + companyIdentifier.littleEndianOctets + lmpSubversion.littleEndianOctets
        }

        /// `nil` where octets are missing, as they may where the status is not `success`.
        init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 9 else { return nil }
            self.init(
                status: HCIStatus(rawValue: returnParameters[0]), hciVersion: returnParameters[1],
                hciSubversion: returnParameters.parameter16(at: 2), lmpVersion: returnParameters[4],
                companyIdentifier: returnParameters.parameter16(at: 5),
                lmpSubversion: returnParameters.parameter16(at: 7))
        }
    }
}
