/// One report of an LE Advertising Report event.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.2. The specification lists the parameters as arrays, but controllers send, and
/// hosts read, one report after the other:
///
///     octet 0        event type: 0x00 ADV_IND, 0x01 ADV_DIRECT_IND, 0x02 ADV_SCAN_IND, 0x03 ADV_NONCONN_IND, 0x04 SCAN_RSP
///     octet 1        address type
///     octets 2…7     address, least significant octet first
///     octet 8        data length n, 0 to 31
///     octets 9…8+n   advertising data
///     octet 9+n      RSSI, signed; 127 = not available
enum LegacyReport {
    static let fixedLength = 10
    static let dataOffset = 9
    static let maxDataLength = 31

    /// - Parameter end: where the event ends, within the span.
    static func decode(_ event: Span<UInt8>, at start: Int, end: Int) -> ReportStep {
        guard end - start >= fixedLength else { return .truncated }
        let dataStart = start + dataOffset
        let dataEnd = dataStart + Int(event[start + 8])
        guard dataEnd < end else { return .truncated }
        let next = dataEnd + 1
        // The length may be wrong or merely too long: where it still fits, the reports behind it are readable.
        if dataEnd - dataStart > maxDataLength { return .skipped(.oversizedData, next: next) }
        guard let type = DeviceAddress.AddressType(rawValue: event[start + 1]), type != .anonymous else {
            return .skipped(.unknownAddressType, next: next)
        }
        let report = AdvertisingReport(
            isExtended: false, eventType: UInt16(event[start]),
            address: DeviceAddress(bits: deviceAddressBits(event, at: start + 2), type: type),
            rssi_dbm: receivedStrength(event[dataEnd]))
        return .report(report, data: dataStart..<dataEnd, next: next)
    }
}
