/// Publishes the gateway's output in the format of OwnTracks too (https://owntracks.org/booklet/tech/json/). `location`
/// is the gateway's place, `transition` an entry or exit, and `beacon` a beacon near it.
///
/// The format has less than the contract: whole seconds, metres and degrees, no numbers and no dwell.
package struct OwnTracks: Sendable {
    /// The most beacons of one region published at a time: the nearest ones.
    static let maxBeacons = 20
    /// The most fixes of one batch published: the last ones.
    static let maxFixes = 1_000

    /// The device's topic: `owntracks/{user}/{device}`.
    package let topic: String
    /// The two characters that maps show in place of a picture.
    private let trackerID: String
    /// The seconds after which a beacon message is useless.
    private let rangingExpiry_s: UInt32

    /// - Parameter topic: at least one level.
    package init(topic: String, rangingExpiry_s: UInt32) {
        self.topic = topic
        self.rangingExpiry_s = rangingExpiry_s
        trackerID = String((topic.split(separator: "/").last ?? "").filter { $0.isLetter || $0.isNumber }.suffix(2))
    }

    /// Returns the messages beside those of a value: the gateway's place, or the beacons near it.
    package func items(
        beside content: any MessageContent, by composer: MessageComposer, _ context: PublicationContext
    ) -> [Publication.Item] {
        switch content {
        case let location as GatewayLocation:
            [.retained(self.location(composer.dated(location.placed, at: context.instant, context.timebase)))]
        case let report as RangingReport:
            beacons(report, at: context.timebase.wall(report.at)).map { .ephemeral($0) }
        default: []
        }
    }

    /// Returns the message of the gateway's place.
    package func location(_ fix: Fix) -> Message { Message(topic: topic, payload: payload(fix), .retained) }

    /// Returns the messages for a numbered message in the outbox. They go out before it, and again as often as it does.
    package func messages(for numbered: NumberedMessage, under topics: TopicTree) -> [Message] {
        switch topics.subject(of: numbered.topic) {
        case .region(.event, let instance):
            guard let event = try? EventPayload(decoding: numbered.payload) else { return [] }
            return [Message(topic: topic + "/event", payload: transition(event, of: instance), .durable(nil))]
        case .gateway(.track):
            guard let track = try? TrackPayload(decoding: numbered.payload) else { return [] }
            return track.content.fixes.suffix(Self.maxFixes).map { fix in
                Message(topic: topic, payload: payload(fix), .durable(nil))
            }
        default: return []
        }
    }

    /// The age of a place beyond which it is not the present one.
    private static let past = TimeSpan.seconds(60)

    /// Returns whether the messages for a numbered message contain an old place of the gateway. A subscriber would take
    /// the last message for the present place.
    package func isPast(_ numbered: NumberedMessage, under topics: TopicTree, at now: WallTime) -> Bool {
        guard case .region(.event, _)? = topics.subject(of: numbered.topic),
            let event = try? EventPayload(decoding: numbered.payload), event.location != nil
        else { return false }
        return now - event.head.at > Self.past
    }

    /// Returns the messages of the beacons near in a region, nearest first.
    package func beacons(_ report: RangingReport, at time: WallTime) -> [Message] {
        report.beacons.lazy.filter { !$0.isResolving }.prefix(Self.maxBeacons).map { beacon in
            var json = message("beacon", at: time - max(.zero, report.at - beacon.lastHeard))
            json.set("desc", report.instance.levels)
            json.set(beacon.identity)
            json.set("acc", Self.whole(beacon.observation.accuracy_m))
            if let rssi_dbm = beacon.observation.rssi_dbm { json.set("rssi", Self.whole(rssi_dbm)) }
            json.set("prox", Self.number(of: beacon.observation.proximity))
            return Message(topic: topic + "/beacon", payload: json.finish(), .ephemeral, expiry_s: rangingExpiry_s)
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

    /// Returns a `transition`. Where the gateway's place is not known, it is `null`: Home Assistant wants the keys.
    ///
    /// `wtst` should be the time at which the region was made, which is not known. It is the beginning of the outbox's
    /// epoch, as far as its name gives it. So it is equal in all transitions of a region until the next epoch, also
    /// after a restart.
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

    /// Returns the accuracy, at least 1, because 0 would mean an unknown accuracy.
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
