package import Beacons
internal import HCI
public import Regions

/// `region/{id}/ranging`: the beacons in range of a region.
package struct RangingPayload: Payload, Hashable {
    package var head: PayloadHead
    package var list: ListedBeacons
}

extension RangingPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(head: head, list: try ListedBeacons(&fields))
    }

    package func write(to json: inout JSONWriter) { list.write(to: &json) }
}

/// The list itself, which the answer to a `range` request has as well.
package struct ListedBeacons: Hashable, Sendable {
    package var instance: RegionInstanceID
    /// Physical beacons: tracks, resolving ones left out.
    package var count: Int
    /// Nearest first, unknown last.
    package var beacons: [ListedBeacon]
}

/// One transmitter in range.
package struct ListedBeacon: Hashable, Sendable {
    package var track: TrackID
    package var identity: BeaconIdentity
    package var observation: BeaconObservation
    /// RSSI at one metre as the beacon states it, dBm.
    package var measuredPower_dbm: Int8
    /// Since its last report.
    package var age_ms: Int64
    /// `nil` where names are left out.
    package var device: String?
    /// A new address that may be a rotation: listed, not counted.
    package var isResolving: Bool
    /// Another beacon of the same identity is alive.
    package var isDuplicate: Bool
}

extension ListedBeacons {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        instance = try fields.instance()
        count = try fields.integer("count")
        beacons = try fields.list("beacons") { fields throws(PayloadError) in try ListedBeacon(&fields) }
    }

    func write(to json: inout JSONWriter) {
        json.set(instance)
        json.set("count", count)
        json.set("beacons", objectsFor: beacons) { beacon, json in beacon.write(to: &json) }
    }
}

extension ListedBeacon {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            track: try fields.integer("track", 1...TrackID.max), identity: try fields.identity(),
            observation: try fields.observation(),
            measuredPower_dbm: try fields.integer("measured_power_dbm", -128...127),
            age_ms: try fields.integer("age_ms"), device: try fields.textIfPresent("device"),
            isResolving: try fields.flag("resolving"), isDuplicate: try fields.flag("duplicate"))
    }

    fileprivate init(_ beacon: RangedBeacon, device: String?, at now: Instant) {
        self.init(
            track: beacon.track, identity: beacon.identity, observation: beacon.observation,
            measuredPower_dbm: beacon.measuredPower_dbm,
            age_ms: max(0, (now - beacon.lastHeard).microseconds / 1_000), device: device,
            isResolving: beacon.isResolving, isDuplicate: beacon.isDuplicate)
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("track", track)
        json.set(identity)
        json.set("proximity", observation.proximity.rawValue)
        json.set("accuracy_m", observation.accuracy_m, decimals: 2)
        json.set("accuracy_error_m", observation.accuracyError_m, decimals: 2)
        json.set("rssi_dbm", observation.rssi_dbm, decimals: 1)
        json.set("measured_power_dbm", measuredPower_dbm)
        json.set("age_ms", age_ms)
        if let device { json.set("device", device) }
        if isResolving { json.set("resolving", true) }
        if isDuplicate { json.set("duplicate", true) }
    }
}

extension MessageComposer {
    /// It is by far the most frequent message and the longest. So the list is not made beforehand: each beacon is written as it
    /// comes, and pseudonyms are remembered from one message to the next.
    public mutating func ranging(_ report: RangingReport, _ timebase: Timebase) -> Message {
        var json = JSONWriter()
        head(at: report.at, timebase).write(to: &json)
        json.reserve(octets: 128 + report.beacons.count * Self.beaconLength)
        let now = timebase.wall(report.at)
        json.set(report.instance)
        json.set("count", report.count)
        json.set("beacons", objectsFor: report.beacons) { beacon, json in
            let device = pseudonyms.name(of: beacon.address, device: beacon.device, at: now, by: pseudonym)
            ListedBeacon(beacon, device: device, at: report.at).write(to: &json)
        }
        return message(.ranging, on: topics.ranging(report.instance), json.object)
    }

    /// About what a beacon takes, octets.
    private static let beaconLength = 256

    /// The same list, for an answer.
    func list(_ report: RangingReport, _ timebase: Timebase) -> ListedBeacons {
        let now = timebase.wall(report.at)
        return ListedBeacons(
            instance: report.instance, count: report.count,
            beacons: report.beacons.map { beacon in
                let device = pseudonym.name(of: beacon.address, device: beacon.device, at: now)
                return ListedBeacon(beacon, device: device, at: report.at)
            })
    }
}
