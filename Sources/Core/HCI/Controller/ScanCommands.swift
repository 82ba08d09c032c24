/// LE_Scan_Type.
package enum ScanType: UInt8, Sendable {
    /// Listens only.
    case passive = 0x00
    /// Asks scannable advertisers for their scan response.
    case active = 0x01
}

/// Own_Address_Type: the address that the controller sends.
package enum OwnAddressType: UInt8, Sendable {
    case `public` = 0x00
    case random = 0x01
    case resolvableOrPublic = 0x02
    case resolvableOrRandom = 0x03
}

/// Scanning_Filter_Policy.
package enum ScanningFilterPolicy: UInt8, Sendable {
    case basicUnfiltered = 0x00
    /// Accepts only devices in the controller's filter accept list.
    case basicFiltered = 0x01
    case extendedUnfiltered = 0x02
    case extendedFiltered = 0x03
}

/// The scan interval and scan window, in units of 0.625 ms.
package struct ScanTiming: Hashable, Sendable {
    /// The range that legacy and extended commands have in common: 2.5 ms to 10.24 s.
    static let range: ClosedRange<UInt16> = 0x0004...0x4000

    /// The time from the start of one window to the next.
    package var interval: UInt16
    /// Never above `interval`.
    var window: UInt16

    package init(interval: UInt16, window: UInt16) {
        self.interval = interval
        self.window = window
    }

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

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 2, let isEnabled = parameters.parameterFlag(at: 0),
            let filtersDuplicates = parameters.parameterFlag(at: 1)
        else { return nil }
        self.init(isEnabled: isEnabled, filtersDuplicates: filtersDuplicates)
    }
}
