/// HCI_LE_Set_Scan_Enable. Enabling what is on already changes the duplicate filter and nothing else.
///
/// Core 5.4, Vol 4, Part E, 7.8.11:
///
///     octet 0  LE_Scan_Enable: 0x00 off, 0x01 on
///     octet 1  Filter_Duplicates: 0x00 every report, 0x01 one for each advertiser
package struct LESetScanEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x200C)

    package var isEnabled: Bool
    package var filtersDuplicates: Bool

    package init(isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    package var encodedParameters: [UInt8] { [isEnabled.parameterOctet, filtersDuplicates.parameterOctet] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 2, let isEnabled = parameters.parameterFlag(at: 0),
            let filtersDuplicates = parameters.parameterFlag(at: 1)
        else { return nil }
        self.init(isEnabled: isEnabled, filtersDuplicates: filtersDuplicates)
    }
}
