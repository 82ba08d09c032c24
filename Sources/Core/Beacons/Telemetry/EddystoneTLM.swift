/// Eddystone's telemetry frame: voltage of the battery and temperature.
///
/// Google, "Eddystone-TLM", in service data of UUID 0xFEAA. Plain, version 0x00:
/// https://github.com/google/eddystone/blob/master/eddystone-tlm/tlm-plain.md
///
///     octets 0…1     UUID 0xFEAA, least significant octet first
///     octet 2        frame type 0x20; 0x00 is Eddystone-UID, 0x10 a URL, 0x30 an ephemeral identifier
///     octet 3        version 0x00
///     octets 4…5     voltage, mV, big-endian; 0 = not supported
///     octets 6…7     temperature, 8.8 notation in °C, signed, big-endian; 0x8000 = not supported
///     octets 8…11    number of advertisements since the start, big-endian
///     octets 12…15   time since the start, 0.1 s, big-endian
///
/// Encrypted, version 0x01: https://github.com/google/eddystone/blob/master/eddystone-tlm/tlm-encrypted.md
///
///     octets 4…15    the twelve octets above, encrypted by AES-EAX
///     octets 16…17   salt
///     octets 18…19   message integrity check
///
/// Both lengths are fixed. The two values for "not supported" count as contradictory like any that cannot be true: a
/// battery of 0 V sends nothing, and an operator who expects a value learns from the count why none comes.
enum EddystoneTLM {
    static let uuid: UInt16 = 0xFEAA

    private static let frameType: UInt8 = 0x20
    private static let plainLength = 16
    private static let encryptedLength = 20

    /// - Parameter content: the AD data, at least three octets.
    static func decode(_ content: Span<UInt8>) -> TelemetryFrame? {
        guard content[2] == frameType, content.count >= plainLength else { return nil }
        switch (content[3], content.count) {
        case (0x00, plainLength):
            var reading = TelemetryReading(.eddystoneTLM)
            reading.takeBattery(mV: Int32(bigEndian16(content, at: 4)))
            reading.takeTemperature(fixed88: bigEndian16(content, at: 6))
            return reading.frame
        case (0x01, encryptedLength): return .encrypted(.eddystoneTLM)
        default: return nil
        }
    }
}
