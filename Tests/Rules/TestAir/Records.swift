@testable import Core

extension RegionRecord {
    /// Returns a region that is inside, and whose open stay one beacon keeps.
    package static func inside(
        _ instance: RegionInstanceID, of constraint: BeaconIdentityConstraint? = nil, entered: Instant = .origin,
        heard: Instant = .origin, beginning: RegionStay.Beginning = .observed, major: UInt16 = 1, minor: UInt16 = 2,
        patience: TimeSpan = .zero, rssi_dbm: Double? = -60, notifiesOnExit: Bool = true
    ) -> RegionRecord {
        RegionRecord(
            instance: instance, .beacon(of: constraint),
            .inside(
                OpenStay(
                    enteredAt: entered, lastHeardAt: heard, beginning: beginning,
                    keeper: BeaconKeeper(major: major, minor: minor, patience: patience, rssi_dbm: rssi_dbm),
                    notifiesOnExit: notifiesOnExit)))
    }

    /// Returns a region of beacons that is outside.
    package static func outside(
        _ instance: RegionInstanceID, of constraint: BeaconIdentityConstraint? = nil, since: Instant = .origin
    ) -> RegionRecord {
        RegionRecord(instance: instance, .beacon(of: constraint), .outside(since: since))
    }
}

extension MessageComposer {
    /// Returns the composer of a gateway, which names no device unless `form` says how.
    package static func of(
        _ gateway: String = "gate", site: String = "store", version: String = "1", form: DeviceForm = .omit,
        key: [UInt8] = [1], deviceNames: [String] = [], location: LocationForm = .include,
        advertises: IBeaconFrame? = nil
    ) -> MessageComposer {
        MessageComposer(
            topics: TopicTree(prefix: "beacons", site: site, gateway: gateway), version: version,
            pseudonym: DevicePseudonym(form: form, key: key, deviceNames: deviceNames), rangingExpiry_s: 11,
            location: location, advertises: advertises)
    }
}
