import Beacons
import HCI
public import Regions

extension MessageComposer {
    /// `region/{id}/ranging`: the beacons in range, nearest first, unknown last.
    ///
    /// It is by far the most frequent message and the longest, so pseudonyms are remembered from one to the next.
    public mutating func ranging(_ report: RangingReport, _ timebase: Timebase) -> Message {
        var json = payload(at: report.at, timebase)
        json.reserve(octets: 128 + report.beacons.count * Self.beaconLength)
        let now = timebase.wall(report.at)
        set(report, in: &json) {
            pseudonyms.name(of: $0.address, device: $0.device, at: now, by: pseudonym)
        }
        return Message(
            topic: topics.ranging(report.instance), payload: json.object, qos: .atMostOnce, isRetained: false,
            expiry_s: rangingExpiry_s)
    }

    /// About what a beacon takes, octets.
    private static let beaconLength = 256

    /// The list itself, which the answer to a `range` request has as well.
    func set(_ report: RangingReport, in json: inout JSONWriter, name: (RangedBeacon) -> String?) {
        set(report.instance, in: &json)
        json.set("count", report.count)
        json.set("beacons", objectsFor: report.beacons) { beacon, json in
            Self.set(beacon, device: name(beacon), at: report.at, in: &json)
        }
    }

    private static func set(
        _ beacon: RangedBeacon, device: String?, at now: Instant, in json: inout JSONWriter
    ) {
        json.set("track", beacon.track)
        json.set("uuid", beacon.identity.uuid)
        json.set("major", beacon.identity.major)
        json.set("minor", beacon.identity.minor)
        json.set("proximity", beacon.observation.proximity.rawValue)
        json.set("accuracy_m", beacon.observation.accuracy_m, decimals: 2)
        json.set("accuracy_error_m", beacon.observation.accuracyError_m, decimals: 2)
        json.set("rssi_dbm", beacon.observation.rssi_dbm, decimals: 1)
        json.set("measured_power_dbm", beacon.measuredPower_dbm)
        json.set("age_ms", max(0, (now - beacon.lastHeard).microseconds / 1_000))
        if let device { json.set("device", device) }
        if beacon.isResolving { json.set("resolving", true) }
        if beacon.isDuplicate { json.set("duplicate", true) }
    }
}
