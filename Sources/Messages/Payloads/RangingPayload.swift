import Beacons
import HCI
public import Regions

extension MessageComposer {
    /// `region/{id}/ranging`: the beacons in range, nearest first, unknown last.
    public func ranging(_ report: RangingReport, _ timebase: Timebase) -> Message {
        var json = payload(at: report.at, timebase)
        set(report, in: &json, timebase)
        return Message(
            topic: topics.ranging(report.instance), payload: json.object, qos: .atMostOnce, isRetained: false,
            expiry_s: rangingExpiry_s)
    }

    /// The list itself, which the answer to a `range` request has as well.
    func set(_ report: RangingReport, in json: inout JSONWriter, _ timebase: Timebase) {
        set(report.instance, in: &json)
        json.set("count", report.count)
        json.set("beacons", objects: report.beacons.map { beacon($0, at: report.at, timebase) })
    }

    private func beacon(_ beacon: RangedBeacon, at now: Instant, _ timebase: Timebase) -> [UInt8] {
        var json = JSONWriter()
        json.set("track", beacon.track)
        json.set("uuid", beacon.identity.uuid.description)
        json.set("major", beacon.identity.major)
        json.set("minor", beacon.identity.minor)
        json.set("proximity", beacon.observation.proximity.rawValue)
        json.set("accuracy_m", beacon.observation.accuracy_m, decimals: 2)
        json.set("accuracy_error_m", beacon.observation.accuracyError_m, decimals: 2)
        json.set("rssi_dbm", beacon.observation.rssi_dbm, decimals: 1)
        json.set("measured_power_dbm", beacon.measuredPower_dbm)
        json.set("age_ms", max(0, (now - beacon.lastHeard).microseconds / 1_000))
        if let device = pseudonym.name(of: beacon.address, device: beacon.device, at: timebase.wall(now)) {
            json.set("device", device)
        }
        if beacon.isResolving { json.set("resolving", true) }
        if beacon.isDuplicate { json.set("duplicate", true) }
        return json.object
    }
}
