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
}

extension Opcode {
    /// Returns the opcode of the command for a scan's parameters.
    package static func scanParameters(_ family: CommandFamily) -> Opcode {
        Opcode(rawValue: family == .legacy ? 0x200B : 0x2041)
    }

    /// Returns the opcode of the command that switches scanning.
    package static func scanEnable(_ family: CommandFamily) -> Opcode {
        Opcode(rawValue: family == .legacy ? 0x200C : 0x2042)
    }
}

extension HCICommand {
    /// HCI_LE_Set_Scan_Parameters, or HCI_LE_Set_Extended_Scan_Parameters on the LE 1M PHY, on which iBeacons and every
    /// legacy advertisement are sent. Refused (`commandDisallowed`) while scanning is on.
    ///
    /// Core 5.4, Vol 4, Part E, 7.8.10:
    ///
    ///     octet 0      LE_Scan_Type: 0x00 passive, 0x01 active
    ///     octets 1, 2  LE_Scan_Interval, units of 0.625 ms, 0x0004 to 0x4000
    ///     octets 3, 4  LE_Scan_Window, units of 0.625 ms, at most the interval
    ///     octet 5      Own_Address_Type: 0x00 public
    ///     octet 6      Scanning_Filter_Policy: 0x00 every device
    ///
    /// 7.8.64:
    ///
    ///     octet 0      Own_Address_Type: 0x00 public
    ///     octet 1      Scanning_Filter_Policy: 0x00 every device
    ///     octet 2      Scanning_PHYs: bit 0 LE 1M
    ///     octet 3      Scan_Type: 0x00 passive, 0x01 active
    ///     octets 4, 5  Scan_Interval, units of 0.625 ms, 0x0004 to 0xFFFF
    ///     octets 6, 7  Scan_Window, units of 0.625 ms, at most the interval
    package static func scanParameters(_ family: CommandFamily, _ type: ScanType, _ timing: ScanTiming) -> HCICommand {
        let scan = [type.rawValue] + timing.interval.littleEndianOctets + timing.window.littleEndianOctets
        return HCICommand(
            .scanParameters(family), family == .legacy ? scan + [0x00, 0x00] : [0x00, 0x00, 0b001] + scan)
    }
}

/// HCI_LE_Set_Scan_Enable, or HCI_LE_Set_Extended_Scan_Enable. Enabling a running scan changes the duplicate filter; the
/// extended command restarts the timers too.
///
/// Core 5.4, Vol 4, Part E, 7.8.11:
///
///     octet 0  LE_Scan_Enable: 0x00 off, 0x01 on
///     octet 1  Filter_Duplicates: 0x00 every report, 0x01 one for each advertiser
///
/// 7.8.65:
///
///     octet 0      Enable: 0x00 off, 0x01 on
///     octet 1      Filter_Duplicates: 0x00 every report, 0x01 one for each advertiser, 0x02 one in each period
///     octets 2, 3  Duration, units of 10 ms; 0x0000 until switched off
///     octets 4, 5  Period, units of 1.28 s; 0x0000 no repetition
package struct ScanEnable: Hashable, Sendable {
    package var isEnabled: Bool
    package var filtersDuplicates: Bool

    package init(_ isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    /// Reads another process's command. Returns `nil` where the length is wrong or a value is reserved.
    package init?(_ family: CommandFamily, parameters: Span<UInt8>) {
        guard parameters.count == (family == .legacy ? 2 : 6), let isEnabled = parameters.parameterFlag(at: 0),
            parameters[1] <= (family == .legacy ? 0x01 : 0x02)
        else { return nil }
        self.init(isEnabled, filtersDuplicates: parameters[1] != 0x00)
    }

    package func command(_ family: CommandFamily) -> HCICommand {
        let octets = [isEnabled.parameterOctet, filtersDuplicates.parameterOctet]
        return HCICommand(.scanEnable(family), family == .legacy ? octets : octets + [0x00, 0x00, 0x00, 0x00])
    }
}
