/// `region/{id}/ranging`: the beacons in range of a region.
package struct RangingPayload: ReadablePayload, Hashable {
    package var head: PayloadHead
    var list: ListedBeacons
}

extension RangingPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(head: head, list: try ListedBeacons(&fields))
    }

    package func write(to json: inout JSONWriter) { list.write(to: &json) }
}

/// The list of beacons, which the answer to a `range` request contains too.
struct ListedBeacons: Hashable, Sendable {
    var instance: RegionInstanceID
    /// The number of physical beacons: tracks, without resolving ones.
    var count: Int
    /// The beacons, the nearest first, unknown ones last.
    var beacons: [ListedBeacon]
}

/// One transmitter in range.
struct ListedBeacon: Hashable, Sendable {
    var track: TrackID
    var identity: BeaconIdentity
    var observation: BeaconObservation
    /// RSSI at one metre as the beacon states it, dBm.
    var measuredPower_dbm: Int8
    /// The time since its last report.
    var age_ms: Int64
    /// How often its packets arrive; `nil` before three gaps, and in a store's message.
    var reception: Reception?
    /// The name; `nil` where names are left out.
    var device: String?
    /// True if its new address may be a rotation: listed, not counted.
    var isResolving: Bool = false
    /// True if another beacon of its identity is alive.
    var isDuplicate: Bool = false
    /// The place in a store; `nil` in a gateway's message, because a gateway does not know the store.
    var place: BeaconPlace?
}

extension ListedBeacon {
    /// The longest age of a level that places a beacon without a distance.
    private static let longestAge_ms: Int64 = 2_000

    /// The level that places it in a store, dBm; `nil` where the gateway does not hear it now. The proximity shows that,
    /// but for a beacon whose measured power cannot be, which never has one.
    var presentLevel_dbm: Double? {
        let hasDistance = IBeaconFrame.isPlausible(power_dbm: measuredPower_dbm)
        let isPresent = observation.proximity != .unknown || (!hasDistance && age_ms <= Self.longestAge_ms)
        return isPresent ? observation.rssi_dbm : nil
    }
}

struct BeaconPlace: Hashable, Sendable {
    /// The position on a floor plan.
    struct Position: Hashable, Sendable {
        var x_m: Double
        var y_m: Double
        var floor: Int
        /// The radius that contains the true position two times out of three. Metres.
        var error_m: Double
    }

    /// A zone with its probability.
    struct Likelihood: Hashable, Sendable {
        var zone: String
        /// 0 to 1.
        var confidence: Double
    }

    /// The zone; `nil` where none is likely enough to be named.
    var zone: String?
    /// The probability of the zone, 0 to 1; 0 without a zone.
    var confidence: Double
    /// The other zones that are likely, the likeliest first, at most `maxOthers`. One may be likelier than `zone`: the
    /// beacon stays in its zone until another one is sure.
    var others: [Likelihood] = []
    /// The position; `nil` where fewer than three gateways with a position hear it on one floor.
    var position: Position?

    /// The most other zones that are published, and the least probability of each.
    static let maxOthers = 3
    static let leastOther = 0.05
}

extension ListedBeacons {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        instance = try fields.instance()
        count = try fields.integer("count")
        beacons = try fields.list("beacons") { fields throws(PayloadError) in try ListedBeacon(&fields) }
    }

    package func write(to json: inout JSONWriter) {
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
            age_ms: try fields.integer("age_ms"), reception: fields.has("interval_ms") ? try Reception(&fields) : nil,
            device: try fields.textIfPresent("device"),
            isResolving: try fields.flag("resolving"), isDuplicate: try fields.flag("duplicate"),
            place: fields.has("zone") || fields.has("position") ? try BeaconPlace(&fields) : nil)
    }

    fileprivate init(_ beacon: RangedBeacon, device: String?, at now: Instant, _ timebase: Timebase) {
        self.init(
            track: beacon.track, identity: beacon.identity, observation: beacon.observation,
            measuredPower_dbm: beacon.measuredPower_dbm,
            age_ms: Timestamp.milliseconds(from: beacon.lastHeard, to: now, timebase), reception: beacon.reception,
            device: device, isResolving: beacon.isResolving, isDuplicate: beacon.isDuplicate)
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("track", track)
        json.set(identity)
        json.set("proximity", observation.proximity)
        json.set("accuracy_m", observation.accuracy_m, decimals: 2)
        json.set("accuracy_error_m", observation.accuracyError_m, decimals: 2)
        json.set("rssi_dbm", observation.rssi_dbm, decimals: 1)
        json.set("measured_power_dbm", measuredPower_dbm)
        json.set("age_ms", age_ms)
        reception?.write(to: &json)
        if let device { json.set("device", device) }
        if isResolving { json.set("resolving", true) }
        if isDuplicate { json.set("duplicate", true) }
        place?.write(to: &json)
    }
}

extension Reception {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            interval_ms: try fields.integer("interval_ms", 10...60_000),
            reports_per_s: try fields.number("reports_per_s", 0...1_000))
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("interval_ms", interval_ms)
        json.set("reports_per_s", reports_per_s, decimals: 2)
    }
}

extension BeaconPlace {
    /// Metres from the origin of a floor plan, to either side.
    private static let plan_m = -1e6...1e6

    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        let isNamed = fields.has("zone")
        self.init(
            zone: isNamed ? try fields.level("zone") : nil,
            confidence: isNamed ? try fields.number("zone_confidence", 0...1) : 0,
            others: fields.has("other_zones")
                ? try fields.list("other_zones") { fields throws(PayloadError) in
                    Likelihood(zone: try fields.level("zone"), confidence: try fields.number("confidence", 0...1))
                } : [],
            position: try fields.objectIfPresent("position") { fields throws(PayloadError) in
                Position(
                    x_m: try fields.number("x_m", Self.plan_m), y_m: try fields.number("y_m", Self.plan_m),
                    floor: try fields.integer("floor", -1_000...1_000), error_m: try fields.number("error_m", 0...1e6))
            })
    }

    fileprivate func write(to json: inout JSONWriter) {
        if let zone {
            json.set("zone", zone)
            json.set("zone_confidence", confidence, decimals: 2)
        }
        if !others.isEmpty {
            json.set("other_zones", objectsFor: others) { other, json in
                json.set("zone", other.zone)
                json.set("confidence", other.confidence, decimals: 2)
            }
        }
        guard let position else { return }
        json.set("position") { json in
            json.set("x_m", position.x_m, decimals: 2)
            json.set("y_m", position.y_m, decimals: 2)
            json.set("floor", position.floor)
            json.set("error_m", position.error_m, decimals: 2)
        }
    }
}

extension MessageComposer {
    /// Returns the message of a ranging report, the most frequent and the longest kind. So no list is built: each
    /// beacon is written directly, and pseudonyms are cached between messages.
    package mutating func ranging(_ report: RangingReport, _ timebase: Timebase) -> Message {
        var json = JSONWriter()
        head(at: report.at, timebase).write(to: &json)
        json.reserve(octets: 128 + report.beacons.count * Self.beaconLength)
        let now = timebase.wall(report.at)
        json.set(report.instance)
        json.set("count", report.count)
        json.set("beacons", objectsFor: report.beacons) { beacon, json in
            let device = deviceName(of: beacon, at: now)
            ListedBeacon(beacon, device: device, at: report.at, timebase).write(to: &json)
        }
        return message(.ranging, on: topics.ranging(report.instance), json.finish())
    }

    /// The approximate length of a beacon, octets.
    private static let beaconLength = 256

    /// Returns the list of a ranging report, for an answer.
    func list(_ report: RangingReport, _ timebase: Timebase) -> ListedBeacons {
        let now = timebase.wall(report.at)
        return ListedBeacons(
            instance: report.instance, count: report.count,
            beacons: report.beacons.map { beacon in
                let device = pseudonym.name(of: beacon.address, device: beacon.device, at: now)
                return ListedBeacon(beacon, device: device, at: report.at, timebase)
            })
    }
}

extension RangingReport: MessageContent {
    package var handling: OutputHandling { .ofRanging }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        Publication([.ephemeral(composer.ranging(self, context.timebase))])
    }
}

/// The ranging of a store, whose gateways have listed the beacons.
extension ListedBeacons: MessageContent {
    /// The approximate length of a beacon with a place, octets.
    private static let placedBeaconLength = 320

    package var handling: OutputHandling { .ofRanging }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        var json = JSONWriter()
        composer.head(at: context.instant, context.timebase).write(to: &json)
        json.reserve(octets: 128 + beacons.count * Self.placedBeaconLength)
        write(to: &json)
        let topic = composer.topics.ranging(self.instance)
        return Publication([.ephemeral(composer.message(.ranging, on: topic, json.finish()))])
    }
}
