/// The battery of a simulated beacon, and the telemetry frame in which the beacon gives it.
struct BeaconBattery: Hashable, Sendable {
    var format: TelemetryFormat
    /// The part of the capacity that is used when the scenario begins, 0 to 100 %.
    var used_percent: Double
    /// The part of the capacity that a day uses.
    var dailyUse_percent: Double

    /// The voltage of a CR2032 by the used part of its capacity, in straight pieces: an Energizer cell as Nordic
    /// Semiconductor gives it with the programs of its chips.
    private static let curve: [(used_percent: Double, mV: Double)] = [
        (0, 3_000), (58, 2_900), (82, 2_740), (94, 2_440), (100, 2_100),
    ]

    /// Returns the used part of the capacity.
    func used_percent(at instant: Instant) -> Double {
        min(100, used_percent + dailyUse_percent * (instant - .origin).seconds / 86_400)
    }

    /// Returns the values that a beacon measures, whether its format carries them or not. A beacon knows the curve of
    /// its cell, so it gives the true charge.
    func values(at instant: Instant) -> Telemetry {
        let used = used_percent(at: instant)
        // Warmest twelve hours after the beginning of each day.
        let warmth = 1 - abs((instant - .origin).seconds.remainder(dividingBy: 86_400)) / 43_200
        return Telemetry(
            format: format, battery_percent: UInt8(min(100, max(0, (100 - used).rounded()))),
            battery_mV: UInt16(Self.voltage_mV(used_percent: used)), temperature_cC: Int16(2_450 - 600 * warmth))
    }

    private static func voltage_mV(used_percent: Double) -> Double {
        for (high, low) in zip(curve, curve.dropFirst()) where used_percent <= low.used_percent {
            let share = (used_percent - high.used_percent) / (low.used_percent - high.used_percent)
            return (high.mV + (low.mV - high.mV) * max(0, share)).rounded()
        }
        return curve[curve.count - 1].mV
    }
}

/// The telemetry frames of beacons, as their formats' owners publish them. `TelemetryFrames` reads them.
extension AdvertisingPayload {
    /// Returns an AD structure with as many of the values as the format carries.
    ///
    /// - Parameter uptime: the time since the beacon was switched on.
    static func telemetry(_ values: Telemetry, uptime: TimeSpan = .zero) -> [UInt8] {
        let percent = values.battery_percent ?? 0
        let mV = values.battery_mV ?? 0
        let cC = values.temperature_cC ?? 0
        // 8.8 notation: a signed number of 1/256 °C, to the nearest one.
        let fixed88 = UInt16(truncatingIfNeeded: (Int32(cC) * 256 + 50) / 100)
        switch values.format {
        case .eddystoneTLM:
            let tenths = UInt32(truncatingIfNeeded: uptime.microseconds / 100_000)
            // The number of advertisements: about one in ten seconds.
            return service(EddystoneTLM.uuid, [0x20, 0x00] + big(mV) + big(fixed88) + big(tenths / 100) + big(tenths))
        case .bthome:
            let battery = [0x01, percent, 0x02] + little(UInt16(bitPattern: cC)) + [0x0C] + little(mV)
            return service(BTHome.uuid, [0x40] + battery)
        case .batteryService:
            return service(BatteryService.uuid, [percent])
        case .minew:
            // Humidity 50 %, and an address.
            let rest: [UInt8] = [0x32, 0x00, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]
            return service(MinewFrame.uuid, [0xA1, 0x01, percent] + big(fixed88) + rest)
        case .kontakt:
            return service(KontaktFrame.uuid, [0x03, 0x02, 0x0C, percent, 0x03, 0x13] + little(fixed88))
        }
    }

    private static func service(_ uuid: UInt16, _ data: [UInt8]) -> [UInt8] {
        let content = little(uuid) + data
        return [UInt8(truncatingIfNeeded: content.count + 1), TelemetryFrames.serviceData16] + content
    }

    private static func little(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    private static func big(_ number: UInt16) -> [UInt8] { little(number.byteSwapped) }

    private static func big(_ number: UInt32) -> [UInt8] {
        big(UInt16(truncatingIfNeeded: number >> 16)) + big(UInt16(truncatingIfNeeded: number))
    }
}
