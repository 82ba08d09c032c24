/// HCI_LE_Set_Scan_Parameters. Refused (`commandDisallowed`) while scanning is on.
///
/// Core 5.4, Vol 4, Part E, 7.8.10:
///
///     octet 0      LE_Scan_Type: 0x00 passive, 0x01 active
///     octets 1, 2  LE_Scan_Interval, units of 0.625 ms, 0x0004 to 0x4000
///     octets 3, 4  LE_Scan_Window, units of 0.625 ms, at most the interval
///     octet 5      Own_Address_Type
///     octet 6      Scanning_Filter_Policy
package struct LESetScanParameters: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x200B)

    package var type: ScanType
    package var timing: ScanTiming
    var ownAddressType: OwnAddressType
    var filterPolicy: ScanningFilterPolicy

    package init(
        type: ScanType, timing: ScanTiming, ownAddressType: OwnAddressType = .public,
        filterPolicy: ScanningFilterPolicy = .basicUnfiltered
    ) {
        self.type = type
        self.timing = timing
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
    }

    package var encodedParameters: [UInt8] {
        [type.rawValue] + timing.interval.littleEndianOctets + timing.window.littleEndianOctets
            + [ownAddressType.rawValue, filterPolicy.rawValue]
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 7,
            let type = ScanType(rawValue: parameters[0]),
            let ownAddressType = OwnAddressType(rawValue: parameters[5]),
            let filterPolicy = ScanningFilterPolicy(rawValue: parameters[6])
        else { return nil }
        let timing = ScanTiming(interval: parameters.parameter16(at: 1), window: parameters.parameter16(at: 3))
        guard ScanTiming.range.contains(timing.interval), ScanTiming.range.contains(timing.window),
            timing.window <= timing.interval
        else { return nil }
        self.init(type: type, timing: timing, ownAddressType: ownAddressType, filterPolicy: filterPolicy)
    }
}
