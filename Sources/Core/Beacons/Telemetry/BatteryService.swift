/// The charge as data of the Battery Service.
///
/// Bluetooth SIG, Assigned Numbers, 3.4.2, https://www.bluetooth.com/specifications/assigned-numbers/ (UUID 0x180F),
/// and GATT Specification Supplement, "Battery Level", https://www.bluetooth.com/specifications/gss/:
///
///     octets 0…1     UUID 0x180F, least significant octet first
///     octet 2        charge, 0 to 100 %; other values are reserved
///
/// The Battery Service itself defines no service data. Vendors agree on the octet of its characteristic Battery Level.
/// Data of another length has another meaning, so it is no telemetry.
enum BatteryService {
    static let uuid: UInt16 = 0x180F

    private static let length = 3

    /// - Parameter content: the AD data, at least three octets.
    static func decode(_ content: Span<UInt8>) -> TelemetryFrame? {
        guard content.count == length else { return nil }
        var reading = TelemetryReading(.batteryService)
        reading.takeBattery(percent: content[2])
        return reading.frame
    }
}
