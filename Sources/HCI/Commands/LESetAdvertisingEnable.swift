/// HCI_LE_Set_Advertising_Enable.
///
/// Core 5.4, Vol 4, Part E, 7.8.9:
///
///     octet 0  Advertising_Enable: 0x00 off, 0x01 on
public struct LESetAdvertisingEnable: HCICommand, Hashable {
    public static let opcode = Opcode(rawValue: 0x200A)

    public var isEnabled: Bool

    public init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    public var encodedParameters: [UInt8] { [isEnabled.parameterOctet] }

    public init?(parameters: Span<UInt8>) {
        guard parameters.count == 1, let isEnabled = parameters.parameterFlag(at: 0) else { return nil }
        self.init(isEnabled: isEnabled)
    }
}
