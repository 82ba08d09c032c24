/// A published layout in which beacons send their battery's state or their temperature.
enum TelemetryFormat: String, CaseIterable, Sendable {
    case eddystoneTLM = "eddystone_tlm"
    case bthome = "bthome_v2"
    case batteryService = "battery_service"
    case minew
    case kontakt
}

/// The values of one telemetry frame. A frame has those that its format carries.
package struct Telemetry: Hashable, Sendable {
    var format: TelemetryFormat
    /// Charge of the battery, 0 to 100 %.
    var battery_percent: UInt8?
    /// Voltage of the battery, `TelemetryReading.plausible_mV`.
    var battery_mV: UInt16?
    /// Temperature in hundredths of a degree Celsius, `TelemetryReading.plausible_cC`.
    var temperature_cC: Int16?

    var isEmpty: Bool { battery_percent == nil && battery_mV == nil && temperature_cC == nil }
}

/// A beacon's frame of a known telemetry format.
enum TelemetryFrame: Hashable, Sendable {
    /// The good values. A contradictory value is left out, and the frame says that it had one or more.
    case values(Telemetry, isContradictory: Bool)
    /// A frame whose values only the owner of a key can read.
    case encrypted(TelemetryFormat)
}

/// Finds the telemetry in advertising data.
///
/// All formats use the AD structure of type 0x16, service data with a 16-bit UUID. Core Specification Supplement 12,
/// Part A, 1.11:
///
///     octets 0…1     UUID of the service, least significant octet first
///     octets 2…      data of the service, in its own layout
///
/// A structure without telemetry passes in silence: another type, another UUID, or another frame of a known UUID.
/// A malformed frame does so too, because its cause may be a format that is newer than this reader.
enum TelemetryFrames {
    static let serviceData16: UInt8 = 0x16

    /// Passes each frame of an advertising payload to `body`, in the order of the structures.
    static func forEach(in data: Span<UInt8>, body: (TelemetryFrame) -> Void) {
        // `IBeaconFrame` counts a structure that runs past the end.
        _ = ADStructures.forEach(in: data) { type, content in
            guard type == serviceData16, content.count >= 3, let frame = frame(content) else { return }
            body(frame)
        }
    }

    /// - Parameter content: the AD data, at least three octets, with the UUID in front.
    private static func frame(_ content: Span<UInt8>) -> TelemetryFrame? {
        switch littleEndian16(content, at: 0) {
        case EddystoneTLM.uuid: EddystoneTLM.decode(content)
        case BTHome.uuid: BTHome.decode(content)
        case BatteryService.uuid: BatteryService.decode(content)
        case MinewFrame.uuid: MinewFrame.decode(content)
        case KontaktFrame.uuid: KontaktFrame.decode(content)
        default: nil
        }
    }
}

/// Collects the values of one frame, and keeps out those that cannot be true.
///
/// Of several values of one kind the first good one counts, so that a second sensor, such as a probe outdoors, replaces
/// nothing.
struct TelemetryReading {
    /// The voltages that a beacon's battery can have. An alkaline cell is empty at 0.8 V. Four fresh alkaline
    /// cells in series, the most that beacons hold, have 6.6 V. A frame with more, such as BTHome's 65 V, measures
    /// another thing than its own battery.
    static let plausible_mV: ClosedRange<Int32> = 800...6_600
    /// The temperatures that a beacon can live in. Lithium cells for the cold end at −60 °C, and the silicon of radios
    /// and sensors at 125 °C. 0x8000, −128 °C in 8.8 notation, lies outside.
    static let plausible_cC: ClosedRange<Int32> = -6_000...12_500

    private var telemetry: Telemetry
    private var isContradictory = false

    init(_ format: TelemetryFormat) { telemetry = Telemetry(format: format) }

    /// Takes a charge in percent. More than 100 is contradictory: 255 often stands for "no battery".
    mutating func takeBattery(percent: UInt8) {
        if percent > 100 {
            isContradictory = true
        } else if telemetry.battery_percent == nil {
            telemetry.battery_percent = percent
        }
    }

    mutating func takeBattery(mV: Int32) {
        if !Self.plausible_mV.contains(mV) {
            isContradictory = true
        } else if telemetry.battery_mV == nil {
            telemetry.battery_mV = UInt16(clamping: mV)
        }
    }

    mutating func takeTemperature(cC: Int32) {
        if !Self.plausible_cC.contains(cC) {
            isContradictory = true
        } else if telemetry.temperature_cC == nil {
            telemetry.temperature_cC = Int16(clamping: cC)
        }
    }

    /// Takes a temperature in 8.8 notation: a signed number of 1/256 °C, rounded to the nearest hundredth.
    mutating func takeTemperature(fixed88 bits: UInt16) {
        takeTemperature(cC: (Int32(Int16(bitPattern: bits)) * 100 + 128) >> 8)
    }

    /// The frame, or `nil` where it said nothing of battery or temperature.
    var frame: TelemetryFrame? {
        telemetry.isEmpty && !isContradictory ? nil : .values(telemetry, isContradictory: isContradictory)
    }
}

/// Returns two octets, least significant first. The caller has checked that they are there.
func littleEndian16(_ octets: Span<UInt8>, at offset: Int) -> UInt16 {
    UInt16(octets[offset]) | UInt16(octets[offset + 1]) << 8
}

/// Returns two octets, most significant first. The caller has checked that they are there.
func bigEndian16(_ octets: Span<UInt8>, at offset: Int) -> UInt16 { littleEndian16(octets, at: offset).byteSwapped }

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
