/// One LE advertising report, legacy or extended, without its data.
///
/// The data travels beside it as a `Span<UInt8>` into the event, so that nothing is copied or allocated per report.
package struct AdvertisingReport: Hashable, Sendable {
    /// Where the advertising data stands in the chain that an extended advertisement may be cut into.
    package enum DataStatus: UInt8, Sendable {
        case complete = 0b00
        /// More of it follows in another report.
        case moreToCome = 0b01
        /// The controller lost the rest.
        case truncated = 0b10
    }

    /// The event came as LE Extended Advertising Report (subevent 0x0D) and not as LE Advertising Report (0x02).
    var isExtended: Bool
    /// The event type: one octet in a legacy report (0x00 ADV_IND … 0x04 SCAN_RSP), a 16-bit field in an extended one.
    var eventType: UInt16
    /// The advertiser's address.
    package var address: DeviceAddress
    /// The advertising set identifier, 0x00 to 0x0F; 0xFF where there is none.
    var advertisingSID: UInt8
    /// Received signal strength in dBm, −127 to 20; `nil` where the controller says "not available" (127) or
    /// something that the specification does not allow.
    var rssi_dbm: Int8?
    /// Whether `data` is whole. Legacy reports always are.
    var dataStatus: DataStatus

    package init(
        isExtended: Bool, eventType: UInt16, address: DeviceAddress, advertisingSID: UInt8 = 0xFF, rssi_dbm: Int8?,
        dataStatus: DataStatus = .complete
    ) {
        self.isExtended = isExtended
        self.eventType = eventType
        self.address = address
        self.advertisingSID = advertisingSID
        self.rssi_dbm = rssi_dbm
        self.dataStatus = dataStatus
    }
}
