/// One report of an LE Extended Advertising Report event.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.13:
///
///     octets 0…1     event type: bit 0 connectable, 1 scannable, 2 directed, 3 scan response, 4 legacy PDU,
///                    bits 6…5 data status (00 complete, 01 more to come, 10 truncated)
///     octet 2        address type; 0xFF = anonymous
///     octets 3…8     address, least significant octet first
///     octet 9        primary PHY
///     octet 10       secondary PHY
///     octet 11       advertising SID; 0xFF = none
///     octet 12       transmit power, signed
///     octet 13       RSSI, signed; 127 = not available
///     octets 14…15   periodic advertising interval
///     octet 16       direct address type
///     octets 17…22   direct address
///     octet 23       data length n, 0 to 229
///     octets 24…     advertising data
enum ExtendedReport {
    static let fixedLength = 24
    static let legacyPDU: UInt16 = 1 << 4

    /// - Parameter end: where the event ends, within the span.
    static func decode(_ event: Span<UInt8>, at start: Int, end: Int) -> ReportStep {
        guard end - start >= fixedLength else { return .truncated }
        let dataStart = start + fixedLength
        let next = dataStart + Int(event[start + 23])
        guard next <= end else { return .truncated }
        let eventType = UInt16(event[start]) | UInt16(event[start + 1]) << 8
        // A legacy PDU has room for 31 octets however it is reported.
        if eventType & legacyPDU != 0, next - dataStart > LegacyReport.maxDataLength {
            return .skipped(.oversizedData, next: next)
        }
        guard let type = DeviceAddress.AddressType(rawValue: event[start + 2]) else {
            return .skipped(.unknownAddressType, next: next)
        }
        // An anonymous advertisement has no address; what stands in its place means nothing.
        let bits = type == .anonymous ? 0 : deviceAddressBits(event, at: start + 3)
        let report = AdvertisingReport(
            isExtended: true, eventType: eventType, address: DeviceAddress(bits: bits, type: type),
            advertisingSID: event[start + 11], rssi_dbm: receivedStrength(event[start + 13]),
            // 11 is reserved: nothing follows that could complete it.
            dataStatus: AdvertisingReport.DataStatus(rawValue: UInt8(eventType >> 5 & 0b11)) ?? .truncated)
        return .report(report, data: dataStart..<next, next: next)
    }
}
