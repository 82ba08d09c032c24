/// HCI_LE_Read_Local_Supported_Features, without parameters. The cheapest command that only a working controller
/// answers.
///
/// Core 5.4, Vol 4, Part E, 7.8.3.
package struct LEReadLocalSupportedFeatures: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2003)

    package init() {}

    package var encodedParameters: [UInt8] { [] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.isEmpty else { return nil }
    }

    /// The return parameters.
    ///
    ///     octet 0      Status
    ///     octets 1...8 LE_Features, 64 bits, least significant octet first
    package struct ReturnParameters: Hashable, Sendable {
        package var status: HCIStatus
        package var features: LEFeatures

        package init(status: HCIStatus, features: LEFeatures) {
            self.status = status
            self.features = features
        }

        var encoded: [UInt8] { [status.rawValue] + features.rawValue.littleEndianOctets }

        /// Returns `nil` where octets are missing, which is allowed where the status is not `success`.
        package init?(returnParameters: Span<UInt8>) {
            guard returnParameters.count >= 9 else { return nil }
            status = HCIStatus(rawValue: returnParameters[0])
            features = LEFeatures(rawValue: returnParameters.parameterBits(at: 1, octets: 8))
        }
    }
}

/// The LE features of a controller, Core 5.4, Vol 6, Part B, 4.6. Only the bits that the agent uses are named.
package struct LEFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Bit 12. Some controllers set it without knowing the commands. The agent tries them first, but does not rely on
    /// the bit.
    package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
}

/// HCI_LE_Set_Extended_Scan_Parameters. Refused (`commandDisallowed`) while scanning is on.
///
/// Core 5.4, Vol 4, Part E, 7.8.64:
///
///     octet 0      Own_Address_Type
///     octet 1      Scanning_Filter_Policy
///     octet 2      Scanning_PHYs: bit 0 LE 1M, bit 2 LE Coded
///     then, for each bit that is set, lowest first:
///     octet 0      Scan_Type: 0x00 passive, 0x01 active
///     octets 1, 2  Scan_Interval, units of 0.625 ms, 0x0004 to 0xFFFF
///     octets 3, 4  Scan_Window, units of 0.625 ms, at most the interval
package struct LESetExtendedScanParameters: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2041)

    /// The scan settings of one PHY.
    package struct PHYScan: Hashable, Sendable {
        package var type: ScanType
        package var timing: ScanTiming

        package init(type: ScanType, timing: ScanTiming) {
            self.type = type
            self.timing = timing
        }
    }

    var ownAddressType: OwnAddressType
    var filterPolicy: ScanningFilterPolicy
    /// The LE 1M PHY, on which iBeacons and every legacy advertisement are sent; `nil` where it is not scanned.
    package var le1M: PHYScan?
    var leCoded: PHYScan?

    package init(
        ownAddressType: OwnAddressType = .public, filterPolicy: ScanningFilterPolicy = .basicUnfiltered,
        le1M: PHYScan?, leCoded: PHYScan? = nil
    ) {
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
        self.le1M = le1M
        self.leCoded = leCoded
    }

    package var encodedParameters: [UInt8] {
        let phys: UInt8 = (le1M == nil ? 0 : 0b001) | (leCoded == nil ? 0 : 0b100)
        var octets = [ownAddressType.rawValue, filterPolicy.rawValue, phys]
        for case let scan? in [le1M, leCoded] {
            octets += [scan.type.rawValue]
            octets += scan.timing.interval.littleEndianOctets + scan.timing.window.littleEndianOctets
        }
        return octets
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count >= 3,
            let ownAddressType = OwnAddressType(rawValue: parameters[0]),
            let filterPolicy = ScanningFilterPolicy(rawValue: parameters[1])
        else { return nil }
        let phys = parameters[2]
        guard phys != 0, phys & ~0b101 == 0, parameters.count == 3 + 5 * phys.nonzeroBitCount else { return nil }
        self.init(ownAddressType: ownAddressType, filterPolicy: filterPolicy, le1M: nil)
        if phys & 0b001 != 0 {
            guard let scan = PHYScan(parameters, at: 3) else { return nil }
            le1M = scan
        }
        if phys & 0b100 != 0 {
            guard let scan = PHYScan(parameters, at: parameters.count - 5) else { return nil }
            leCoded = scan
        }
    }
}

extension LESetExtendedScanParameters.PHYScan {
    fileprivate init?(_ parameters: Span<UInt8>, at index: Int) {
        guard let type = ScanType(rawValue: parameters[index]) else { return nil }
        let timing = ScanTiming(
            interval: parameters.parameter16(at: index + 1), window: parameters.parameter16(at: index + 3))
        guard timing.window >= ScanTiming.range.lowerBound, timing.window <= timing.interval else { return nil }
        self.init(type: type, timing: timing)
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
