/// The events of a controller that are read or sent here, by the octet that each begins with.
///
/// Core 5.4, Vol 4, Part E, 7.7.
package enum EventCode {
    /// 7.7.14.
    package static let commandComplete: UInt8 = 0x0E
    /// 7.7.15.
    package static let commandStatus: UInt8 = 0x0F
    /// 7.7.16.
    package static let hardwareError: UInt8 = 0x10
    /// 7.7.65: the octet behind the length is an `LESubevent`.
    package static let leMeta: UInt8 = 0x3E
}

/// The events of LE controllers that carry advertising reports. Core 5.4, Vol 4, Part E, 7.7.65.
enum LESubevent {
    /// 7.7.65.2.
    static let advertisingReport: UInt8 = 0x02
    /// 7.7.65.11. It has no data, so no beacon is in one, but a radio that sends it hears.
    static let directedAdvertisingReport: UInt8 = 0x0B
    /// 7.7.65.13.
    static let extendedAdvertisingReport: UInt8 = 0x0D
}
