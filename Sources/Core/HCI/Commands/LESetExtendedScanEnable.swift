/// HCI_LE_Set_Extended_Scan_Enable. Enabling what is on already changes the duplicate filter and restarts the timers.
///
/// Core 5.4, Vol 4, Part E, 7.8.65:
///
///     octet 0      Enable: 0x00 off, 0x01 on
///     octet 1      Filter_Duplicates: 0x00 every report, 0x01 one for each advertiser, 0x02 one in each period
///     octets 2, 3  Duration, units of 10 ms; 0x0000 until switched off
///     octets 4, 5  Period, units of 1.28 s; 0x0000 no repetition
package struct LESetExtendedScanEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2042)

    package enum DuplicateFilter: UInt8, Sendable {
        case off = 0x00
        case on = 0x01
        case onForEachPeriod = 0x02
    }

    package var isEnabled: Bool
    package var duplicateFilter: DuplicateFilter
    /// Units of 10 ms; 0 scans until it is switched off.
    var duration: UInt16
    /// Units of 1.28 s; 0 does not repeat.
    var period: UInt16

    package init(
        isEnabled: Bool, duplicateFilter: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0
    ) {
        self.isEnabled = isEnabled
        self.duplicateFilter = duplicateFilter
        self.duration = duration
        self.period = period
    }

    package var encodedParameters: [UInt8] {
        [isEnabled.parameterOctet, duplicateFilter.rawValue] + duration.littleEndianOctets + period.littleEndianOctets
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 6, let isEnabled = parameters.parameterFlag(at: 0),
            let duplicateFilter = DuplicateFilter(rawValue: parameters[1])
        else { return nil }
        self.init(
            isEnabled: isEnabled, duplicateFilter: duplicateFilter, duration: parameters.parameter16(at: 2),
            period: parameters.parameter16(at: 4))
    }
}
