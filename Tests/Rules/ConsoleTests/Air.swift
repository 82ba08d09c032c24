import Beacons
import Configuration
import HCI

@testable import Console

/// What the tests put on the air, as the events that a controller would send.
enum Air {
    static let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)

    static func identity(_ major: UInt16 = 1, _ minor: UInt16 = 1, uuid: ProximityUUID = uuid) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// A static random address.
    static func fixed(_ number: UInt64) -> DeviceAddress { DeviceAddress(bits: 0b11 << 46 | number, type: .random) }

    /// A resolvable private address.
    static func rotating(_ number: UInt64) -> DeviceAddress { DeviceAddress(bits: 0b01 << 46 | number, type: .random) }

    static func event(
        _ identity: BeaconIdentity, from address: DeviceAddress = fixed(1), rssi_dbm: Int8? = -60,
        power_dbm: Int8 = -59
    ) -> [UInt8] {
        let report = AdvertisingReport(isExtended: false, eventType: 3, address: address, rssi_dbm: rssi_dbm)
        let data = [2, 1, 6] + IBeaconFrame(identity: identity, measuredPower_dbm: power_dbm).encodedStructure
        return AdvertisingReportEncoder.event([(report, data)])
    }

    /// Some device that is no iBeacon.
    static var otherDevice: [UInt8] {
        let report = AdvertisingReport(isExtended: false, eventType: 0, address: fixed(0xBEEF), rssi_dbm: -80)
        return AdvertisingReportEncoder.event([(report, [2, 1, 6])])
    }

    static func at(_ t_s: Double) -> Instant { .origin + .seconds(t_s) }
}

extension ScanState {
    /// Hears an identity every 100 ms over a span of time.
    mutating func hear(
        _ identity: BeaconIdentity, from address: DeviceAddress = Air.fixed(1), rssi_dbm: Int8? = -60,
        from start_s: Double = 0, to end_s: Double
    ) {
        for step in 0...Int(((end_s - start_s) * 10).rounded()) {
            receive(
                Air.event(identity, from: address, rssi_dbm: rssi_dbm).span, at: Air.at(start_s + Double(step) / 10))
        }
    }
}
