/// `[advertise]`: this machine as an iBeacon.
package struct AdvertiseSettings: Hashable, Sendable {
    package var frame: IBeaconFrame
    /// Milliseconds from one advertisement to the next.
    package var interval_ms: Double
}

struct AdvertiseTable: SettingsTable {
    static let tableName = "advertise"

    let enabled = Key("enabled", default: false, .flag, "Whether this gateway is an iBeacon itself.")
    let uuid = Key(
        "uuid", default: nil, Rule<ProximityUUID>.uuid.optional, "Its proximity UUID; needed where `enabled`.",
        defaultNote: "none")
    let major = Key("major", default: 0, Rule<UInt16>.integer(0...65535), "Its major.")
    let minor = Key("minor", default: 0, Rule<UInt16>.integer(0...65535), "Its minor.")
    let measuredPower = Key(
        "measured_power_dbm", default: -59, Rule<Int8>.integer(-127...20),
        "What it says its RSSI at one metre is. dBm; `beacond calibrate` on another gateway measures it.")
    package let interval = Key(
        "interval_ms", default: 100, .number(20...10240),
        "Milliseconds from one advertisement to the next; controllers before Bluetooth 5 want 100 and more.")

    /// `nil` where it is not enabled; everything is checked all the same.
    func read(_ reader: inout TableReader) -> AdvertiseSettings? {
        let isEnabled = reader.value(enabled)
        let uuid = isEnabled ? reader.required(uuid) : reader.value(uuid)
        let (major, minor) = (reader.value(major), reader.value(minor))
        let (power_dbm, interval_ms) = (reader.value(measuredPower), reader.value(interval))
        guard isEnabled, let uuid else { return nil }
        let identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        return AdvertiseSettings(
            frame: IBeaconFrame(identity: identity, measuredPower_dbm: power_dbm), interval_ms: interval_ms)
    }
}
