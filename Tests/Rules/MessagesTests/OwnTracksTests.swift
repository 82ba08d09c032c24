import TestAir
import Testing

@testable import Core

@Suite("The gateway's news in the format of OwnTracks")
struct OwnTracksTests {
    private static let timebase = Timebase(
        wallAtOrigin: WallTime(microseconds: 1_700_000_000_900_000), isSynced: true)
    private static let topics = TopicTree(prefix: "beacons", site: "fleet", gateway: "van")
    /// The epoch began at 1,690,000,000.5 s after 1970.
    private static let epoch = "01H5XXK1FM0000000000000000"
    private let ownTracks = OwnTracks(topic: "owntracks/fleet/van-7", rangingExpiry_s: 11)
    private let composer = MessageComposer.of("van", site: "fleet", version: "1.0.0")
    private let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: 4)
    private let place: Coordinate

    init() throws { place = try #require(Coordinate(latitude: 52.518_739_51, longitude: -13.377_700_4)) }

    private func text(_ message: Message?) -> String { String(decoding: message?.payload ?? [], as: UTF8.self) }

    private func observation(_ accuracy_m: Double = 2.4, _ proximity: Proximity = .near) -> BeaconObservation {
        BeaconObservation(accuracy_m: accuracy_m, accuracyError_m: accuracy_m, proximity: proximity, rssi_dbm: -61.6)
    }

    /// Returns the event of the outbox, and the messages that go out with it.
    private func transition(
        _ kind: RegionEvent.Kind, _ cause: RegionEvent.Cause, at location: EventLocation?,
        at: Instant = .origin + .seconds(10)
    ) -> [Message] {
        let event = RegionEvent(kind, by: cause, location: location)
        let numbered = composer.event(
            event, of: RegionInstanceID(region: "carts", .major(3)), epoch: Self.epoch, seq: 1,
            at: at, Self.timebase)
        return ownTracks.messages(for: numbered, under: Self.topics)
    }

    @Test("A place has whole metres, whole kilometres an hour and whole seconds, and is retained")
    func location() {
        let fix = Fix(
            at: WallTime(microseconds: 1_700_000_000_999_999), coordinate: place, horizontalAccuracy_m: 4.26,
            altitude_m: 38.94, speed_m_s: 9.876, course_deg: 359.7)
        let message = ownTracks.location(fix)
        #expect(message.topic == "owntracks/fleet/van-7")
        #expect(message.isRetained)
        #expect(
            text(message) == #"{"_type":"location","tid":"n7","tst":1700000000,"lat":52.51874,"lon":-13.3777,"acc":5,"#
                + #""alt":39,"vel":36,"cog":0}"#)
    }

    @Test("An accuracy is never 0, which would mean unknown")
    func accuracy() {
        let fix = Fix(at: .unixEpoch, coordinate: place, horizontalAccuracy_m: 0.01)
        #expect(text(ownTracks.location(fix)).contains(#""acc":1"#))
    }

    @Test("An entry is a transition with its place")
    func entry() {
        let location = EventLocation(coordinate: place, horizontalAccuracy_m: 7.2, age: .seconds(1))
        let messages = transition(.enter, .beacon(identity, observation()), at: location)
        #expect(messages.map(\.topic) == ["owntracks/fleet/van-7/event"])
        #expect(messages.holdForAll { !$0.isRetained && $0.qos == .atLeastOnce })
        #expect(
            text(messages.first) == #"{"_type":"transition","tid":"n7","tst":1700000010,"wtst":1690000000,"#
                + #""event":"enter","desc":"carts/3","t":"b","lat":52.51874,"lon":-13.3777,"acc":8}"#)
    }

    @Test("An unknown place is null")
    func exit() {
        let stay = RegionStay(
            enteredAt: .origin + .seconds(1), lastHeardAt: .origin + .seconds(9))
        #expect(
            text(transition(.exit(stay), .beacon(identity, observation()), at: nil).first)
                == #"{"_type":"transition","tid":"n7","tst":1700000010,"wtst":1690000000,"event":"leave","#
                + #""desc":"carts/3","t":"b","lat":null,"lon":null}"#)
    }

    @Test(
        "All transitions of a region have one wtst: an entry that was decided late, its exit, and the next entry")
    func registration() {
        let circle = CircleObservation(circle: Circle(center: place, radius_m: 150), distance_m: 12)
        let stay = RegionStay(enteredAt: .origin + .seconds(30), lastHeardAt: .origin + .seconds(60))
        let published = [
            transition(.enter, .circle(circle), at: nil, at: .origin + .seconds(50)),
            transition(.exit(stay), .circle(circle), at: nil, at: .origin + .seconds(80)),
            transition(.enter, .circle(circle), at: nil, at: .origin + .seconds(900)),
        ]
        #expect(published.holdForAll { text($0.first).contains(#""wtst":1690000000,"#) })
    }

    @Test("The name of an epoch tells its beginning, where it has that form")
    func epochTime() {
        #expect(
            EpochTime.beginning(ofEpoch: "01KDVDNA0T0000000000000000")
                == Timestamp.time("2026-01-01T00:00:00.026Z"))
        #expect(EpochTime.beginning(ofEpoch: "00000000000000000000000000") == .unixEpoch)
        #expect(EpochTime.beginning(ofEpoch: "7ZZZZZZZZZZZZZZZZZZZZZZZZZ") != nil)
        for name in [
            "", "epoch", "80000000000000000000000000", "01KDVDNA0T000000000000000", "01KDVDNA0TU000000000000000",
        ] {
            #expect(EpochTime.beginning(ofEpoch: name) == nil, "\(name)")
        }
    }

    @Test("A circle has its own type")
    func circle() {
        let circle = CircleObservation(circle: Circle(center: place, radius_m: 150), distance_m: 12)
        #expect(text(transition(.enter, .circle(circle), at: nil).first).contains(#""t":"c""#))
    }

    @Test("Deferred fixes are places, oldest first, and only the last ones")
    func track() {
        let fixes = (0..<1_500).map { second in
            Fix(
                at: WallTime(microseconds: 1_700_000_000_000_000 + Int64(second) * 1_000_000), coordinate: place,
                horizontalAccuracy_m: 5)
        }
        let numbered = composer.numbered(
            TrackBatch(fixes: fixes, finished: .distance), .track, composer.head(at: .origin, Self.timebase),
            MessageNumber(epoch: "epoch", series: .batches, seq: 1))
        let messages = ownTracks.messages(for: numbered, under: Self.topics)
        #expect(messages.count == OwnTracks.maxFixes)
        #expect(text(messages.first).contains(#""tst":1700000500,"#))
        #expect(text(messages.last).contains(#""tst":1700001499,"#))
        #expect(messages.holdForAll { $0.topic == "owntracks/fleet/van-7" && !$0.isRetained })
    }

    @Test("Other messages have no companion: a span of coverage, another gateway's event, an unreadable one")
    func nothing() {
        let number = MessageNumber(epoch: "epoch", seq: 1)
        for topic in [
            "beacons/fleet/van/coverage", "beacons/fleet/other/region/carts/event",
            "beacons/fleet/van/region/carts/event",
        ] {
            let numbered = NumberedMessage(number, topic: topic, payload: Array("{}".utf8))
            #expect(ownTracks.messages(for: numbered, under: Self.topics).isEmpty)
        }
    }

    /// The first one resolves.
    private func beacon(_ index: Int) -> RangedBeacon {
        RangedBeacon(
            transmitter: TransmitterSlot(number: 0), track: TrackID(index + 1), identity: identity,
            address: DeviceAddress(bits: 1, type: .random), device: nil, measuredPower_dbm: -59,
            observation: observation(Double(index) + 0.6, .immediate), lastHeard: .origin - .seconds(2),
            isResolving: index == 0, isDuplicate: false)
    }

    @Test("The nearest beacons of a region are published with the time of the last report; resolving ones are not")
    func beacons() {
        let beacons = (0..<30).map(beacon)
        let report = RangingReport(
            instance: RegionInstanceID(region: "carts"), at: .origin, count: 29, beacons: beacons)
        let messages = ownTracks.beacons(report, at: Self.timebase.wallAtOrigin)
        #expect(messages.count == OwnTracks.maxBeacons)
        #expect(messages.holdForAll { $0.topic == "owntracks/fleet/van-7/beacon" && $0.qos == .atMostOnce })
        #expect(
            text(messages.first) == #"{"_type":"beacon","tid":"n7","tst":1699999998,"desc":"carts","#
                + #""uuid":"00000000-0000-0001-0000-000000000002","major":3,"minor":4,"acc":2,"rssi":-62,"prox":1}"#)
    }
}
