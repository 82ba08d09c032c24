/// Minew's frames of sensors and of device information: the charge, and for one sensor the temperature.
///
/// Shenzhen Minew Technologies, "MiniBeaconPlus Configuration Instruction" of the beacon E8, 2.2, Advertising Data
/// Format (Info), for the kind 0x08. The other kinds are as a maker of gateways reads them:
/// https://github.com/reelyactive/advlib-ble-services/blob/master/lib/minew.js
///
///     octets 0…1     UUID 0xFFE1, least significant octet first
///     octet 2        frame type 0xA1
///     octet 3        kind of frame, see below
///     octet 4        charge, %
///     octets 5…      by the kind:
///
///     0x01   temperature and humidity, two octets each in 8.8 notation, signed, big-endian; address, six octets
///     0x02   light, one octet; address
///     0x03   acceleration, three times two octets; address
///     0x08   address; name, any length
///     0x18   time, four octets; vibration, one octet; address
///
/// 0xFFE1 belongs to no vendor: modules of many makers use it, with other octets behind. So a frame has to have the
/// type, a known kind and that kind's length.
enum MinewFrame {
    static let uuid: UInt16 = 0xFFE1

    private static let frameType: UInt8 = 0xA1
    private static let temperatureAndHumidity: UInt8 = 0x01

    /// - Parameter content: the AD data, at least three octets.
    static func decode(_ content: Span<UInt8>) -> TelemetryFrame? {
        guard content[2] == frameType, content.count > 4, let length = length(of: content[3]),
            length.contains(content.count)
        else { return nil }
        var reading = TelemetryReading(.minew)
        reading.takeBattery(percent: content[4])
        if content[3] == temperatureAndHumidity { reading.takeTemperature(fixed88: bigEndian16(content, at: 5)) }
        return reading.frame
    }

    /// Returns the lengths that the AD data of a kind of frame can have, or `nil` for a kind that is not published.
    private static func length(of kind: UInt8) -> ClosedRange<Int>? {
        switch kind {
        case temperatureAndHumidity: 15...15
        case 0x02: 12...12
        case 0x03: 17...17
        case 0x08: 11...255
        case 0x18: 16...16
        default: nil
        }
    }
}
