/// A Bluetooth device address as an advertising report carries it, with its type.
///
/// Core 5.4, Vol 6, Part B, 1.3; HCI codes from Vol 4, Part E, 7.7.65.2 and 7.7.65.13:
///
///     bits 47...0   the address; bits 47 and 46 tell the kinds of random address apart:
///                   11 static, 01 resolvable private, 00 non-resolvable private, 10 reserved
///     on the wire   six octets, least significant first
package struct DeviceAddress: Hashable, Sendable {
    /// The address type octet of an advertising report.
    package enum AddressType: UInt8, Sendable {
        case `public` = 0x00
        case random = 0x01
        /// A public identity address that the controller resolved from a private one.
        case publicIdentity = 0x02
        /// A static random identity address that the controller resolved from a private one.
        case randomIdentity = 0x03
        /// An extended advertisement without an address.
        case anonymous = 0xFF
    }

    // Three parts take seven octets; a number of 64 bits and the type would take sixteen.
    let low: UInt32
    let high: UInt16
    /// Public, random, resolved by the controller, or anonymous.
    package let type: AddressType

    /// Keeps the low 48 bits of `bits`.
    package init(bits: UInt64, type: AddressType) {
        self.low = UInt32(truncatingIfNeeded: bits)
        self.high = UInt16(truncatingIfNeeded: bits >> 32)
        self.type = type
    }

    /// The 48 bits, most significant first, in the low end.
    package var bits: UInt64 { UInt64(high) << 32 | UInt64(low) }

    /// Whether this is a random address of the kind 01, which an identity resolving key may resolve.
    var isResolvablePrivate: Bool { type == .random && bits >> 46 == 0b01 }

    /// Whether this is a random private address, resolvable or not: only these rotate.
    ///
    /// The reserved kind 10 counts as fixed, because taking two devices for one is worse than the reverse.
    var rotates: Bool { type == .random && bits >> 47 == 0 }
}

extension DeviceAddress: CustomStringConvertible {
    /// Six upper-case octets, most significant first: `C0:FF:EE:00:00:01`.
    package var description: String {
        var text = ""
        for shift in stride(from: UInt64(40), through: 0, by: -8) {
            let octet = UInt8(truncatingIfNeeded: bits >> shift)
            if !text.isEmpty { text += ":" }
            if octet < 0x10 { text += "0" }
            text += String(octet, radix: 16, uppercase: true)
        }
        return text
    }
}
