import TestAir

@testable import Core

extension Air {
    /// A device that is no iBeacon.
    static var otherDevice: [UInt8] {
        let report = AdvertisingReport(isExtended: false, eventType: 0, address: .fixed(0xBEEF), rssi_dbm: -80)
        return AdvertisingReportEncoder.event([(report, [2, 1, 6])])
    }
}

extension Instant {
    static func at(_ t_s: Double) -> Instant { .origin + .seconds(t_s) }
}

extension ScanState {
    /// Hears an identity every 100 ms over a span of time.
    mutating func hear(
        _ identity: BeaconIdentity, from address: DeviceAddress = .fixed(1), rssi_dbm: Int8? = -60,
        from start_s: Double = 0, to end_s: Double
    ) {
        for step in 0...Int(((end_s - start_s) * 10).rounded()) {
            receive(
                Air.event(identity, from: address, rssi_dbm: rssi_dbm).span, at: .at(start_s + Double(step) / 10))
        }
    }
}
