/// Kontakt.io's frames of telemetry and of the Secure Profile: charge and temperature.
///
/// Kontakt.io, "Telemetry packet", https://support.kontakt.io/hc/en-gb/articles/4413251559442-Telemetry-packet,
/// formerly https://developer.kontakt.io/hardware/packets/telemetry/:
///
///     octets 0…1     UUID 0xFE6A, least significant octet first
///     octet 2        payload identifier 0x03, telemetry version 1
///     then           fields, in any order:
///       octet 0        length n of what follows, identifier included
///       octet 1        identifier
///       octets 2…n     value, least significant octet first
///
/// These fields are read, with that page's identifiers. Octets are counted from the value on:
///
///     0x01   system health: octets 0…3 time, octet 4 charge, %
///     0x05   sensors: octet 0 light, octet 1 temperature, °C, signed
///     0x0B   temperature, °C, signed
///     0x0C   charge, %
///     0x13   temperature in 8.8 notation, °C, signed
///
/// "Secure Profile", https://developer.kontakt.io/hardware/packets/secureprofile/, by the parser
/// https://github.com/sz33psz/kontakt-beacon-parser, which refers to that page:
///
///     octet 2        payload identifier: 0x02 plain, 0x01 shuffled
///     octet 3        model
///     octets 4…5     version of the firmware
///     octet 6        charge, %
///     octet 7        transmit power, dBm, signed
///     octets 8…      plain: the unique identifier, any length; shuffled: an identifier of 16 octets that changes
///
/// Shuffling hides who the beacon is, not its charge, so no frame counts as encrypted. The location frame (0x05) has
/// no charge. Other payload identifiers are not published.
enum KontaktFrame {
    static let uuid: UInt16 = 0xFE6A

    private static let minPlainLength = 9
    private static let minShuffledLength = 24

    /// - Parameter content: the AD data, at least three octets.
    static func decode(_ content: Span<UInt8>) -> TelemetryFrame? {
        var reading = TelemetryReading(.kontakt)
        switch content[2] {
        case 0x01 where content.count >= minShuffledLength, 0x02 where content.count >= minPlainLength:
            reading.takeBattery(percent: content[6])
        case 0x03: takeFields(of: content, &reading)
        default: return nil
        }
        return reading.frame
    }

    /// Takes the fields until the end, or until one that has no identifier or runs past the end.
    private static func takeFields(of content: Span<UInt8>, _ reading: inout TelemetryReading) {
        var offset = 3
        while offset < content.count {
            let end = offset + 1 + Int(content[offset])
            guard end >= offset + 2, end <= content.count else { return }
            let value = content.extracting(offset + 2..<end)
            switch (content[offset + 1], value.count) {
            case (0x01, 5...): reading.takeBattery(percent: value[4])
            case (0x05, 2...): reading.takeTemperature(cC: Int32(Int8(bitPattern: value[1])) * 100)
            case (0x0B, 1...): reading.takeTemperature(cC: Int32(Int8(bitPattern: value[0])) * 100)
            case (0x0C, 1...): reading.takeBattery(percent: value[0])
            case (0x13, 2...): reading.takeTemperature(fixed88: littleEndian16(value, at: 0))
            default: break
            }
            offset = end
        }
    }
}
