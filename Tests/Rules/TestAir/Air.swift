@testable import Core

/// The content of the air, as the events of a controller.
///
/// Times are seconds since the start. Transmissions may be added in any order; they are played in the order of time.
package struct Air {
    package static let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)
    package static let otherUUID = ProximityUUID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)

    package struct Transmission {
        package var t_s: Double
        package var number: Int
        package var event: [UInt8]
    }

    package private(set) var transmissions: [Transmission] = []

    package init() {}

    /// An air in which other devices are heard, see `otherDevices`, beside what is added.
    package init(othersUntil_s end_s: Double, _ add: (inout Air) -> Void = { _ in }) {
        otherDevices(end_s: end_s)
        add(&self)
    }

    /// The transmissions in the order of time; those of equal time in the order of addition.
    package var inOrder: [Transmission] {
        transmissions.sorted { ($0.t_s, $0.number) < ($1.t_s, $1.number) }
    }

    package mutating func event(_ octets: [UInt8], at t_s: Double) {
        transmissions.append(Transmission(t_s: t_s, number: transmissions.count, event: octets))
    }

    package mutating func report(_ address: DeviceAddress, data: [UInt8], rssi_dbm: Int8?, at t_s: Double) {
        let report = AdvertisingReport(isExtended: false, eventType: 3, address: address, rssi_dbm: rssi_dbm)
        event(AdvertisingReportEncoder.event([(report, data)]), at: t_s)
    }

    /// The event of one iBeacon advertisement.
    package static func event(
        _ identity: BeaconIdentity, from address: DeviceAddress = .fixed(1), rssi_dbm: Int8? = -60,
        power_dbm: Int8 = -59
    ) -> [UInt8] {
        let report = AdvertisingReport(isExtended: false, eventType: 3, address: address, rssi_dbm: rssi_dbm)
        return AdvertisingReportEncoder.event([(report, payload(identity, power_dbm: power_dbm))])
    }

    /// One iBeacon advertisement.
    package mutating func beacon(
        _ identity: BeaconIdentity, from address: DeviceAddress, rssi_dbm: Int8? = -60, power_dbm: Int8 = -59,
        at t_s: Double
    ) {
        report(address, data: Self.payload(identity, power_dbm: power_dbm), rssi_dbm: rssi_dbm, at: t_s)
    }

    /// An iBeacon that advertises from `start_s` on, every `every_s`, last before or at `end_s`.
    package mutating func beacon(
        _ identity: BeaconIdentity, from address: DeviceAddress, rssi_dbm: Int8? = -60, every_s: Double = 0.1,
        start_s: Double, end_s: Double
    ) {
        var step = 0
        while start_s + Double(step) * every_s <= end_s + 1e-9 {
            beacon(identity, from: address, rssi_dbm: rssi_dbm, at: start_s + Double(step) * every_s)
            step += 1
        }
    }

    /// Adds a device that is no iBeacon, so that the radio is known to hear.
    package mutating func otherDevices(every_s: Double = 0.5, start_s: Double = 0, end_s: Double) {
        var step = 0
        while start_s + Double(step) * every_s <= end_s + 1e-9 {
            report(
                .fixed(0xBEEF), data: [2, 1, 6, 3, 3, 0x0F, 0x18], rssi_dbm: -80, at: start_s + Double(step) * every_s)
            step += 1
        }
    }

    package static func payload(_ identity: BeaconIdentity, power_dbm: Int8 = -59) -> [UInt8] {
        [2, 1, 6] + IBeaconFrame(identity: identity, measuredPower_dbm: power_dbm).encodedStructure
    }
}

extension DeviceAddress {
    /// Returns a static random address: it never rotates.
    package static func fixed(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(bits: 0b11 << 46 | number, type: .random)
    }

    /// Returns a resolvable private address.
    package static func rotating(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(bits: 0b01 << 46 | number, type: .random)
    }
}

extension BeaconIdentity {
    /// Returns a beacon, of the tests' own UUID by default.
    package static func beacon(
        _ major: UInt16 = 1, _ minor: UInt16 = 1, uuid: ProximityUUID = Air.uuid
    ) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }
}
