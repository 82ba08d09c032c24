/// HCI_LE_Set_Advertising_Enable.
///
/// Core 5.4, Vol 4, Part E, 7.8.9:
///
///     octet 0  Advertising_Enable: 0x00 off, 0x01 on
package struct LESetAdvertisingEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x200A)

    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    package var encodedParameters: [UInt8] { [isEnabled.parameterOctet] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 1, let isEnabled = parameters.parameterFlag(at: 0) else { return nil }
        self.init(isEnabled: isEnabled)
    }
}
