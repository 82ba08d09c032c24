/// The gateway's news in the words of OwnTracks (https://owntracks.org/booklet/tech/json/), beside its own: where it is
/// (`location`), which region it has entered or left (`transition`), and which beacons are near it (`beacon`).
///
/// It has less to say than the contract: whole seconds, metres and degrees, no numbers and no dwell.
package struct OwnTracks: Sendable {
    /// Beacons of one region that are told at a time: the nearest ones.
    static let maxBeacons = 20
    /// Fixes of one batch that are told, at most: the last ones.
    static let maxFixes = 1_000

    /// The device's topic: `owntracks/{user}/{device}`.
    package let topic: String
    /// Two characters that maps show in place of a picture.
    private let trackerID: String
    /// Seconds after which a beacon that is told is of no use to anyone.
    private let rangingExpiry_s: UInt32

    /// - Parameter topic: at least one level.
    package init(topic: String, rangingExpiry_s: UInt32) {
        self.topic = topic
        self.rangingExpiry_s = rangingExpiry_s
        trackerID = String((topic.split(separator: "/").last ?? "").filter { $0.isLetter || $0.isNumber }.suffix(2))
    }

    /// Where the gateway is.
    package func location(_ fix: Fix) -> Message {
        Message(topic: topic, payload: payload(fix), .retained)
    }

    /// The same news as a message that stands in the outbox: what goes out before it, and again as often as it does.
    package func messages(for numbered: NumberedMessage, under topics: TopicTree) -> [Message] {
        switch topics.subject(of: numbered.topic) {
        case .region(.event, let instance):
            guard let event = try? EventPayload(decoding: numbered.payload) else { return [] }
            return [Message(topic: topic + "/event", payload: transition(event, of: instance), .durable(nil))]
        case .gateway(.track):
            guard let track = try? TrackPayload(decoding: numbered.payload) else { return [] }
            return track.fixes.suffix(Self.maxFixes).map { fix in
                Message(topic: topic, payload: payload(fix), .durable(nil))
            }
        default: return []
        }
    }

    /// What is older tells nobody where the gateway is now.
    private static let past = TimeSpan.seconds(60)

    /// Whether the words for a message tell a place where the gateway was some time ago: who hears them last takes that for the present one.
    package func tellsPast(_ numbered: NumberedMessage, under topics: TopicTree, at now: WallTime) -> Bool {
        guard case .region(.event, _)? = topics.subject(of: numbered.topic),
            let event = try? EventPayload(decoding: numbered.payload), event.location != nil
        else { return false }
        return now - event.head.at > Self.past
    }

    /// The beacons of a region that are near, one a message, nearest first.
    package func beacons(_ report: RangingReport, at time: WallTime) -> [Message] {
        report.beacons.lazy.filter { !$0.isResolving }.prefix(Self.maxBeacons).map { beacon in
            var json = message("beacon", at: time - max(.zero, report.at - beacon.lastHeard))
            json.set("desc", report.instance.levels)
            json.set(beacon.identity)
            json.set("acc", Self.whole(beacon.observation.accuracy_m))
            if let rssi_dbm = beacon.observation.rssi_dbm { json.set("rssi", Self.whole(rssi_dbm)) }
            json.set("prox", Self.number(of: beacon.observation.proximity))
            return Message(
                topic: topic + "/beacon", payload: json.finish(), .ephemeral, expiry_s: rangingExpiry_s)
        }
    }

    private func payload(_ fix: Fix) -> [UInt8] {
        var json = message("location", at: fix.at)
        json.set("lat", fix.coordinate.latitude, decimals: 6)
        json.set("lon", fix.coordinate.longitude, decimals: 6)
        json.set("acc", Self.accuracy(fix.horizontalAccuracy_m))
        if let altitude_m = fix.altitude_m { json.set("alt", Self.whole(altitude_m)) }
        if let speed_m_s = fix.speed_m_s { json.set("vel", Self.whole(speed_m_s * 3.6)) }
        if let course_deg = fix.course_deg { json.set("cog", Self.whole(course_deg) % 360) }
        return json.finish()
    }

    /// Where the gateway is not known, its place is `null`: Home Assistant wants the keys.
    ///
    /// `wtst` is to be the time at which the region was made, which is not known. It is when the outbox's epoch began, as far as its name tells
    /// that: so it is the same in all transitions of a region until another epoch begins, also after a restart.
    private func transition(_ event: EventPayload, of instance: RegionInstanceID) -> [UInt8] {
        let time = event.head.at
        var json = message("transition", at: time)
        json.set("wtst", Self.seconds(EpochTime.beginning(ofEpoch: event.epoch) ?? event.exit?.enteredAt ?? time))
        json.set("event", event.exit == nil ? "enter" : "leave")
        json.set("desc", instance.levels)
        json.set("t", event.cause.kind.ownTracksType)
        json.set("lat", event.location?.coordinate.latitude, decimals: 6)
        json.set("lon", event.location?.coordinate.longitude, decimals: 6)
        if let location = event.location { json.set("acc", Self.accuracy(location.horizontalAccuracy_m)) }
        return json.finish()
    }

    private func message(_ type: String, at time: WallTime) -> JSONWriter {
        var json = JSONWriter()
        json.set("_type", type)
        if !trackerID.isEmpty { json.set("tid", trackerID) }
        json.set("tst", Self.seconds(time))
        return json
    }

    // OwnTracks has whole numbers.

    private static func seconds(_ time: WallTime) -> Int64 { time.microseconds / 1_000_000 }

    private static func whole(_ value: Double) -> Int { Int(exactly: min(max(value, -1e9), 1e9).rounded()) ?? 0 }

    /// 0 would say that nobody knows it.
    private static func accuracy(_ accuracy_m: Double) -> Int { max(1, whole(accuracy_m.rounded(.up))) }

    private static func number(of proximity: Proximity) -> Int {
        switch proximity {
        case .unknown: 0
        case .immediate: 1
        case .near: 2
        case .far: 3
        }
    }
}

/// The time that the name of an epoch tells. The names are ULIDs: ten digits of base 32 for the milliseconds since 1970, and sixteen that
/// are random.
enum EpochTime {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// When the epoch began; `nil` for a name of another form.
    static func beginning(ofEpoch name: String) -> WallTime? {
        let values = name.utf8.compactMap { digits.firstIndex(of: $0) }
        // Ten digits have 50 bits, and a time has 48.
        guard name.utf8.count == 26, values.count == 26, let first = values.first, first < 8 else { return nil }
        let milliseconds = values.prefix(10).reduce(Int64(0)) { $0 << 5 | Int64($1) }
        return WallTime(microseconds: milliseconds * 1_000)
    }
}
