/// HCI_LE_Remove_Advertising_Set. Refused (`commandDisallowed`) while the set advertises.
///
/// Core 5.4, Vol 4, Part E, 7.8.59:
///
///     octet 0  Advertising_Handle, 0x00 to 0xEF
package struct LERemoveAdvertisingSet: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x203C)

    package var handle: UInt8

    package init(handle: UInt8) {
        self.handle = handle
    }

    package var encodedParameters: [UInt8] { [handle] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 1, parameters[0] <= 0xEF else { return nil }
        self.init(handle: parameters[0])
    }
}
