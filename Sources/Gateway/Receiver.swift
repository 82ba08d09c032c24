import HCI

/// What belongs to one adapter: its correction, the pieces of extended advertisements that it has not finished, and whether its
/// readings are any.
struct Receiver: Sendable {
    let rssiOffset_db: Double
    var chains = AdvertisingDataChains()
    var readings = ReadingWatch()

    /// An RSSI with the correction, kept within what RSSI can be.
    func corrected(_ rssi_dbm: Int8) -> Double {
        min(max(Double(rssi_dbm) + rssiOffset_db, -127), 20)
    }
}
