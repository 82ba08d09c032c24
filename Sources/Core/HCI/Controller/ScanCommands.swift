/// LE_Scan_Type.
package enum ScanType: UInt8, Sendable {
    /// Listens only.
    case passive = 0x00
    /// Asks scannable advertisers for their scan response.
    case active = 0x01
}

/// The scan interval and scan window, in units of 0.625 ms.
package struct ScanTiming: Hashable, Sendable {
    /// The range that legacy and extended commands have in common: 2.5 ms to 10.24 s.
    static let range: ClosedRange<UInt16> = 0x0004...0x4000

    /// The time from the start of one window to the next.
    var interval: UInt16
    /// Never above `interval`.
    var window: UInt16
}

extension ScanTiming {
    /// Makes the nearest timing that the controller accepts: both values clamped to 2.5 ms … 10.24 s, the window also
    /// to the interval.
    package init(interval_ms: Double, window_ms: Double) {
        interval = Self.units(of: interval_ms)
        window = min(Self.units(of: window_ms), interval)
    }

    private static func units(of milliseconds: Double) -> UInt16 {
        let units = (milliseconds / 0.625).rounded()
        guard units > Double(range.lowerBound) else { return range.lowerBound }
        guard units < Double(range.upperBound) else { return range.upperBound }
        return UInt16(units)
    }

    /// A scan's type, interval and window, as both commands carry them.
    fileprivate func octets(_ type: ScanType) -> [UInt8] {
        [type.rawValue] + interval.littleEndianOctets + window.littleEndianOctets
    }
}

/// HCI_LE_Set_Scan_Parameters. Refused (`commandDisallowed`) while scanning is on.
///
/// Core 5.4, Vol 4, Part E, 7.8.10:
///
///     octet 0      LE_Scan_Type: 0x00 passive, 0x01 active
///     octets 1, 2  LE_Scan_Interval, units of 0.625 ms, 0x0004 to 0x4000
///     octets 3, 4  LE_Scan_Window, units of 0.625 ms, at most the interval
///     octet 5      Own_Address_Type: 0x00 public
///     octet 6      Scanning_Filter_Policy: 0x00 every device
package struct LESetScanParameters: HCICommand {
    package static let opcode = Opcode(rawValue: 0x200B)

    private let scan: [UInt8]

    package init(type: ScanType, timing: ScanTiming) { scan = timing.octets(type) }

    package var encodedParameters: [UInt8] { scan + [0x00, 0x00] }
}

/// HCI_LE_Set_Extended_Scan_Parameters, on the LE 1M PHY, on which iBeacons and every legacy advertisement are sent.
/// Refused (`commandDisallowed`) while scanning is on.
///
/// Core 5.4, Vol 4, Part E, 7.8.64:
///
///     octet 0      Own_Address_Type: 0x00 public
///     octet 1      Scanning_Filter_Policy: 0x00 every device
///     octet 2      Scanning_PHYs: bit 0 LE 1M
///     octet 3      Scan_Type: 0x00 passive, 0x01 active
///     octets 4, 5  Scan_Interval, units of 0.625 ms, 0x0004 to 0xFFFF
///     octets 6, 7  Scan_Window, units of 0.625 ms, at most the interval
package struct LESetExtendedScanParameters: HCICommand {
    package static let opcode = Opcode(rawValue: 0x2041)

    private let scan: [UInt8]

    package init(type: ScanType, timing: ScanTiming) { scan = timing.octets(type) }

    package var encodedParameters: [UInt8] { [0x00, 0x00, 0b001] + scan }
}

/// HCI_LE_Set_Scan_Enable. Enabling a running scan changes only the duplicate filter.
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

    /// Decodes another process's command. Returns `nil` where the length is wrong or a value is reserved.
    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 2, let isEnabled = parameters.parameterFlag(at: 0),
            let filtersDuplicates = parameters.parameterFlag(at: 1)
        else { return nil }
        self.init(isEnabled: isEnabled, filtersDuplicates: filtersDuplicates)
    }
}

/// HCI_LE_Set_Extended_Scan_Enable. Enabling a running scan changes the duplicate filter and restarts the timers.
///
/// Core 5.4, Vol 4, Part E, 7.8.65:
///
///     octet 0      Enable: 0x00 off, 0x01 on
///     octet 1      Filter_Duplicates: 0x00 every report, 0x01 one for each advertiser, 0x02 one in each period
///     octets 2, 3  Duration, units of 10 ms; 0x0000 until switched off
///     octets 4, 5  Period, units of 1.28 s; 0x0000 no repetition
package struct LESetExtendedScanEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2042)

    package var isEnabled: Bool
    package var filtersDuplicates: Bool

    package init(isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    package var encodedParameters: [UInt8] {
        [isEnabled.parameterOctet, filtersDuplicates.parameterOctet, 0x00, 0x00, 0x00, 0x00]
    }

    /// Decodes another process's command; see `LESetScanEnable`.
    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 6, let isEnabled = parameters.parameterFlag(at: 0), parameters[1] <= 0x02 else {
            return nil
        }
        self.init(isEnabled: isEnabled, filtersDuplicates: parameters[1] != 0x00)
    }
}
