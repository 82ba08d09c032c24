/// LE_Scan_Type.
package enum ScanType: UInt8, Sendable {
    /// Listen only.
    case passive = 0x00
    /// Ask scannable advertisers for their scan response.
    case active = 0x01
}

/// Own_Address_Type: which address the controller puts into what it sends.
package enum OwnAddressType: UInt8, Sendable {
    case `public` = 0x00
    case random = 0x01
    case resolvableOrPublic = 0x02
    case resolvableOrRandom = 0x03
}

/// Scanning_Filter_Policy.
package enum ScanningFilterPolicy: UInt8, Sendable {
    case basicUnfiltered = 0x00
    /// Only what stands in the controller's filter accept list.
    case basicFiltered = 0x01
    case extendedUnfiltered = 0x02
    case extendedFiltered = 0x03
}

/// How often, and for how long each time, the controller listens. Units of 0.625 ms.
package struct ScanTiming: Hashable, Sendable {
    /// The shortest and longest that legacy and extended commands have in common: 2.5 ms to 10.24 s.
    static let range: ClosedRange<UInt16> = 0x0004...0x4000

    /// From the start of one window to the next.
    package var interval: UInt16
    /// Never above `interval`.
    var window: UInt16

    package init(interval: UInt16, window: UInt16) {
        self.interval = interval
        self.window = window
    }

    /// The nearest timing that the controller accepts: both values clamped to 2.5 ms to 10.24 s, and the window to
    /// the interval.
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
