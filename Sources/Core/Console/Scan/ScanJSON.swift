/// One update of `beacond scan --json`. The article `Installing` lists the fields.
package enum ScanJSON {
    /// One line with its end.
    package static func line(_ snapshot: ScanSnapshot, _ status: ScanStatus, at time: WallTime) -> [UInt8] {
        var json = JSONWriter()
        json.set("at", Timestamp.text(time))
        json.set("adapter", status.adapters)
        json.set("radio", status.availability?.rawValue ?? "starting")
        json.set("remedy", status.remedy)
        json.set("reports", snapshot.reports)
        json.set("reports_per_s", snapshot.reportRate_hz, decimals: 1)
        json.set("rejected", snapshot.rejects.total)
        json.set("dropped", status.dropped)
        if let location = status.location { json.set("location") { json in location.write(to: &json) } }
        json.set("count", snapshot.beaconCount)
        json.set("beacons", objectsFor: snapshot.rows) { row, json in set(row, in: &json) }
        return json.finish() + [UInt8(ascii: "\n")]
    }

    private static func set(_ row: ScanSnapshot.Row, in json: inout JSONWriter) {
        let beacon = row.beacon
        json.set("track", beacon.track)
        json.set("uuid", beacon.identity.uuid.description)
        json.set("major", beacon.identity.major)
        json.set("minor", beacon.identity.minor)
        json.set("proximity", beacon.observation.proximity.rawValue)
        json.set("accuracy_m", beacon.observation.accuracy_m, decimals: 2)
        json.set("accuracy_error_m", beacon.observation.accuracyError_m, decimals: 2)
        json.set("rssi_dbm", beacon.observation.rssi_dbm, decimals: 1)
        json.set("measured_power_dbm", beacon.measuredPower_dbm)
        json.set("reports_per_s", row.rate_hz, decimals: 1)
        json.set("age_ms", max(0, row.age.microseconds / 1_000))
        json.set("address", beacon.address.description)
        json.set("address_kind", AddressKind(beacon.address).rawValue)
        json.set("rotates", beacon.address.rotates)
        json.set("regions", strings: row.regions)
        if beacon.isResolving { json.set("resolving", true) }
        if beacon.isDuplicate { json.set("duplicate", true) }
    }
}
