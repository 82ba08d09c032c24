/// HCI_LE_Set_Extended_Advertising_Enable.
///
/// Core 5.4, Vol 4, Part E, 7.8.56:
///
///     octet 0      Enable: 0x00 off, 0x01 on
///     octet 1      Num_Sets, 0 to 63; 0 with off means every set
///     then, for each set:
///     octet 0      Advertising_Handle, 0x00 to 0xEF
///     octets 1, 2  Duration, units of 10 ms; 0x0000 until switched off
///     octet 3      Max_Extended_Advertising_Events; 0x00 no limit
package struct LESetExtendedAdvertisingEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2039)

    package struct AdvertisingSet: Hashable, Sendable {
        package var handle: UInt8
        /// Units of 10 ms; 0 advertises until it is switched off.
        var duration: UInt16
        /// 0 is no limit.
        var maxEvents: UInt8

        package init(handle: UInt8, duration: UInt16 = 0, maxEvents: UInt8 = 0) {
            self.handle = handle
            self.duration = duration
            self.maxEvents = maxEvents
        }
    }

    package let isEnabled: Bool
    /// At most 63, and at least one to switch on.
    package let sets: [AdvertisingSet]

    /// `nil` for more than 63 sets, and for none to switch on.
    package init?(isEnabled: Bool, sets: [AdvertisingSet]) {
        guard sets.count <= 63, !isEnabled || !sets.isEmpty else { return nil }
        self.isEnabled = isEnabled
        self.sets = sets
    }

    package var encodedParameters: [UInt8] {
        [isEnabled.parameterOctet, UInt8(truncatingIfNeeded: sets.count)]
            + sets.flatMap { [$0.handle] + $0.duration.littleEndianOctets + [$0.maxEvents] }
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count >= 2, let isEnabled = parameters.parameterFlag(at: 0),
            parameters.count == 2 + 4 * Int(parameters[1])
        else { return nil }
        var sets: [AdvertisingSet] = []
        for start in stride(from: 2, to: parameters.count, by: 4) {
            guard parameters[start] <= 0xEF else { return nil }
            sets.append(
                AdvertisingSet(
                    handle: parameters[start], duration: parameters.parameter16(at: start + 1),
                    maxEvents: parameters[start + 3]))
        }
        self.init(isEnabled: isEnabled, sets: sets)
    }
}
