import TestAir
import Testing

@testable import Core

@Suite("A store's messages add to a gateway's: zones, places and the deciding gateway")
struct StoreMessageTests {
    static let zone = RegionInstanceID(region: "carts", .minor(major: 2, minor: 7), zone: "bakery")
    static let store = TopicTree(prefix: "beacons", site: "berlin-17", gateway: "site")
    static let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 2, minor: 7)

    private let composer = MessageComposer.of("site", site: "berlin-17")
    private let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

    @Test(
        "A zone follows the region and its numbers, and is read from there",
        arguments: [
            (RegionInstanceID(region: "carts", zone: "bakery"), "carts/zone/bakery"),
            (RegionInstanceID(region: "carts", .major(2), zone: "bakery"), "carts/2/zone/bakery"),
            (zone, "carts/2/7/zone/bakery"),
            (RegionInstanceID(region: "zone", zone: "zone"), "zone/zone/zone"),
        ])
    func topics(instance: RegionInstanceID, levels: String) {
        let topic = Self.store.state(instance)
        #expect(topic == "beacons/berlin-17/site/region/\(levels)/state")
        #expect(Self.store.subject(of: topic) == .region(.state, instance))
        #expect(TopicTree.root(ofEventTopic: Self.store.event(instance)) == Self.store.root)
        #expect(StoredRegion.instance(ofKey: StoredRegion.key(instance)) == instance)
    }

    @Test("An event names the zone, and the gateway whose news decided it")
    func event() throws {
        let event = RegionEvent(.enter, by: .beacon(Self.identity, .undetermined(rssi_dbm: -60)), gateway: "oven")
        let message = composer.event(event, of: Self.zone, epoch: "E", seq: 3, at: .origin, timebase)
        let payload = try EventPayload(decoding: message.payload)
        #expect(payload.zone == "bakery" && payload.origin == PayloadOrigin(site: "berlin-17", gateway: "oven"))
        #expect(payload.encoded == message.payload)
    }

    @Test("A state names the zone")
    func state() throws {
        let published = PublishedState(.inside, since: .origin, at: .origin)
        let message = composer.state(published, of: Self.zone, epoch: "E", eventSeq: 3, timebase)
        let payload = try StatePayload(decoding: message.payload)
        #expect(payload.instance == Self.zone && payload.encoded == message.payload)
    }

    @Test("A list has the place of each beacon, with a position or without")
    func ranging() throws {
        let observation = BeaconObservation(accuracy_m: 2, accuracyError_m: 1, proximity: .near, rssi_dbm: -60)
        let position = BeaconPlace.Position(x_m: -3.25, y_m: 12.5, floor: -1, error_m: 1.75)
        let beacons = [
            BeaconPlace(
                zone: "bakery", confidence: 0.75, others: [BeaconPlace.Likelihood(zone: "till", confidence: 0.25)],
                position: position), BeaconPlace(zone: "till", confidence: 1), nil,
            BeaconPlace(zone: nil, confidence: 0, position: position),
        ]
        .enumerated().map { number, place in
            ListedBeacon(
                track: TrackID(number + 1), identity: Self.identity, observation: observation,
                measuredPower_dbm: -59, age_ms: 10, place: place)
        }
        let list = ListedBeacons(instance: RegionInstanceID(region: "carts"), count: 4, beacons: beacons)
        var composer = composer
        let context = PublicationContext(
            at: .origin, timebase, number: { MessageNumber(epoch: "", series: $0, seq: 1) }, eventSeq: { _ in 0 })
        let publication = list.publication(by: &composer, context)
        guard case .ephemeral(let message)? = publication.items.first else {
            Issue.record("no message")
            return
        }
        #expect(try RangingPayload(decoding: message.payload).list == list)
    }
}
