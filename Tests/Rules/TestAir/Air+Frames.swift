@testable import Core

/// Events as they come from a controller, well-formed or not, octet by octet.
extension Air {
    /// Returns one report of an LE Advertising Report event (0x02). `length` is its announced length of data, if that
    /// is wrong.
    package static func legacyReport(
        _ address: DeviceAddress = .fixed(1), type: UInt8? = nil, data: [UInt8], length: UInt8? = nil,
        rssi: UInt8 = 0xC4
    ) -> [UInt8] {
        [0x03, type ?? address.type.rawValue] + octets(address)
            + [length ?? UInt8(truncatingIfNeeded: data.count)] + data + [rssi]
    }

    /// Returns one report of an LE Extended Advertising Report event (0x0D).
    package static func extendedReport(
        _ address: DeviceAddress = .fixed(1), type: UInt8? = nil, eventType: UInt16 = 0, sid: UInt8 = 0,
        data: [UInt8], rssi: UInt8 = 0xC4
    ) -> [UInt8] {
        [UInt8(truncatingIfNeeded: eventType), UInt8(truncatingIfNeeded: eventType >> 8)]
            + [type ?? address.type.rawValue] + octets(address) + [0x01, 0x02, sid, 0x7F, rssi]
            + [UInt8](repeating: 0, count: 9) + [UInt8(truncatingIfNeeded: data.count)] + data
    }

    /// Returns an LE Meta event. `count` is its announced number of reports, if that is wrong.
    package static func metaEvent(_ reports: [[UInt8]], subevent: UInt8 = 0x02, count: UInt8? = nil) -> [UInt8] {
        let body = [subevent, count ?? UInt8(truncatingIfNeeded: reports.count)] + reports.flatMap { $0 }
        return [0x3E, UInt8(truncatingIfNeeded: body.count)] + body
    }

    private static func octets(_ address: DeviceAddress) -> [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> (8 * UInt64($0))) }
    }
}
