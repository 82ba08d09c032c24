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

    /// How one PHY is scanned.
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
