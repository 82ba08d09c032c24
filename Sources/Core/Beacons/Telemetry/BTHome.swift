/// A frame of BTHome version 2: charge, voltage and temperature among other measurements.
///
/// "BTHome, BLE advertising in the BTHome v2 format", https://bthome.io/format/, and the bit of the address and the
/// newest objects by the receiver of its authors, https://github.com/Bluetooth-Devices/bthome-ble:
///
///     octets 0…1     UUID 0xFCD2, least significant octet first
///     octet 2        bit 0 encrypted, bit 1 an address follows, bit 2 sent on events, bits 5…7 version, which is 2
///     octets 3…8     only with bit 1: the device's address
///     then           objects, in the order of their identifiers:
///       octet 0        identifier
///       octet 1        only for text (0x53) and raw octets (0x54): the length of what follows
///       octets …       value, least significant octet first
///
/// These objects are read:
///
///     0x01   charge, %, one octet            0x02   temperature, 0.01 °C, signed, two octets
///     0x0C   voltage, mV, two octets         0x45   temperature, 0.1 °C, signed, two octets
///     0x4A   voltage, 0.1 V, two octets      0x57   temperature, 1 °C, signed, one octet
///                                            0x58   temperature, 0.35 °C, signed, one octet
///
/// All other objects are skipped by their length. As the document demands, reading ends at an object that the reader
/// does not know or that is cut off, and keeps what came before. An encrypted frame ends with a counter and a message
/// integrity check, four octets each: https://bthome.io/encryption/.
enum BTHome {
    static let uuid: UInt16 = 0xFCD2

    private static let version: UInt8 = 2
    private static let addressLength = 6
    /// An object of at least two octets, counter and check.
    private static let minEncryptedLength = 10

    private enum ObjectID {
        static let battery: UInt8 = 0x01
        static let temperature_cC: UInt8 = 0x02
        static let voltage_mV: UInt8 = 0x0C
        static let temperature_dC: UInt8 = 0x45
        static let voltage_dV: UInt8 = 0x4A
        static let text: UInt8 = 0x53
        static let raw: UInt8 = 0x54
        static let temperature_C: UInt8 = 0x57
        static let temperature_35cC: UInt8 = 0x58
    }

    /// - Parameter content: the AD data, at least three octets.
    static func decode(_ content: Span<UInt8>) -> TelemetryFrame? {
        let information = content[2]
        guard information >> 5 == version else { return nil }
        let start = 3 + (information & 0b10 != 0 ? addressLength : 0)
        if information & 0b1 != 0 {
            return content.count >= start + minEncryptedLength ? .encrypted(.bthome) : nil
        }
        var reading = TelemetryReading(.bthome)
        var offset = start
        while offset < content.count {
            let id = content[offset]
            offset += 1
            guard let length = length(of: id, content, at: &offset), offset + length <= content.count else { break }
            take(id, content, at: offset, &reading)
            offset += length
        }
        return reading.frame
    }

    /// Takes an object that says something of battery or temperature. Its value stands wholly in `content`.
    private static func take(_ id: UInt8, _ content: Span<UInt8>, at offset: Int, _ reading: inout TelemetryReading) {
        func octet() -> Int32 { Int32(Int8(bitPattern: content[offset])) }
        func number() -> Int32 { Int32(littleEndian16(content, at: offset)) }
        func signed() -> Int32 { Int32(Int16(bitPattern: littleEndian16(content, at: offset))) }
        switch id {
        case ObjectID.battery: reading.takeBattery(percent: content[offset])
        case ObjectID.voltage_mV: reading.takeBattery(mV: number())
        case ObjectID.voltage_dV: reading.takeBattery(mV: number() * 100)
        case ObjectID.temperature_cC: reading.takeTemperature(cC: signed())
        case ObjectID.temperature_dC: reading.takeTemperature(cC: signed() * 10)
        case ObjectID.temperature_C: reading.takeTemperature(cC: octet() * 100)
        case ObjectID.temperature_35cC: reading.takeTemperature(cC: octet() * 35)
        default: break
        }
    }

    /// Returns the length of an object's value, or `nil` for an object that is not known or has no octet left for its
    /// length. It moves `offset` behind that octet.
    private static func length(of id: UInt8, _ content: Span<UInt8>, at offset: inout Int) -> Int? {
        switch id {
        // Battery, packet number, count, on or off, humidity, button, UV, channel, light level.
        case 0x00, 0x01, 0x09, 0x0F...0x11, 0x15...0x2F, 0x3A, 0x46, 0x57...0x59, 0x60, 0x64: return 1
        // Temperature, humidity, mass, voltage, air, dimmer, distance, current, speed, volume, flow, rotation, device.
        case 0x02, 0x03, 0x06...0x08, 0x0C...0x0E, 0x12...0x14, 0x3C, 0x3D, 0x3F...0x41, 0x43...0x45, 0x47...0x4A,
            0x51, 0x52, 0x56, 0x5A, 0x5D...0x5F, 0x61, 0xF0:
            return 2
        // Pressure, brightness, energy, power, duration, gas, firmware.
        case 0x04, 0x05, 0x0A, 0x0B, 0x42, 0x4B, 0xF2: return 3
        // Large counts, gas, energy, volume, water, time, storage, power, speed, acceleration, firmware.
        case 0x3E, 0x4C...0x50, 0x55, 0x5B, 0x5C, 0x62, 0x63, 0xF1: return 4
        case ObjectID.text, ObjectID.raw:
            guard offset < content.count else { return nil }
            let length = Int(content[offset])
            offset += 1
            return length
        default: return nil
        }
    }
}
