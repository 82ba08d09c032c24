/// The controller's hardware failed; Linux answers by resetting it, which ends every scan.
///
/// Core 5.4, Vol 4, Part E, 7.7.16:
///
///     octet 0        event code, 0x10
///     octet 1        length of what follows, 1
///     octet 2        a code of the vendor's own
public struct HardwareErrorEvent: Hashable, Sendable {
    static let eventCode: UInt8 = 0x10

    public var code: UInt8

    public init(code: UInt8) {
        self.code = code
    }

    /// The event packet from its event code on.
    public var octets: [UInt8] { [Self.eventCode, 1, code] }
}
