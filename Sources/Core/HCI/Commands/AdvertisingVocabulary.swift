/// The primary advertising channels that are used.
///
///     bit 0  channel 37
///     bit 1  channel 38
///     bit 2  channel 39
package struct AdvertisingChannels: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let all = AdvertisingChannels(rawValue: 0b111)

    /// `nil` for no channel at all and for reserved bits.
    package init?(parameter: UInt8) {
        guard parameter != 0, parameter & ~Self.all.rawValue == 0 else { return nil }
        self.init(rawValue: parameter)
    }
}

/// Advertising_Filter_Policy: from whom scan and connection requests are taken.
package enum AdvertisingFilterPolicy: UInt8, Sendable {
    case anyone = 0x00
    case scanFromAcceptList = 0x01
    case connectFromAcceptList = 0x02
    case bothFromAcceptList = 0x03
}
