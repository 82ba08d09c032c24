import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Another prefix, site or id is another gateway")
struct MovedGatewayTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    private func configuration(site: String, id: String = "door", prefix: String = "beacons") -> String {
        """
        [gateway]
        site = "\(site)"
        id = "\(id)"
        [mqtt]
        prefix = "\(prefix)"
        [commands]
        enabled = true
        [[region]]
        id = "carts"
        uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
        expand = "major"
        """
    }

    private func settings(id: String = "door", prefix: String = "beacons") throws -> Settings {
        try Settings.parse(configuration(site: "north", id: id, prefix: prefix))
    }

    /// Starts the gateway "door" of a store.
    ///
    /// - Parameter former: the process before, which ends.
    private func start(site: String, after former: AgentStart? = nil) throws -> AgentStart {
        former?.dispatcher.outbox.close()
        return try AgentStart(configuration(site: site), in: folder, key: 9)
    }

    /// A gateway of the north store with two carts inside. It stops with both events waiting.
    private func north() throws -> String {
        let parts = try start(site: "north")
        _ = try parts.dispatcher.dispatch(
            [entry(1), entry(2), .registered(try promotion(), region: "promo", at: .origin)], .epoch)
        parts.dispatcher.outbox.close()
        return parts.dispatcher.outbox.numbering.epoch
    }

    private func promotion() throws -> RegionDefinition {
        try RegionDefinition(text: Array(#"{"id":"promo","uuid":"39ED98FF2900441A802F9C398FC199D2"}"#.utf8))
    }

    private func entry(_ major: UInt16) -> GatewayOutput {
        .change(RegionInstanceID(region: "carts", .major(major)), event: RegionEvent(.enter, major: major))
    }

    private func events(_ parts: AgentStart) -> OutboxSource {
        OutboxSource(parts.dispatcher) { (.origin, .epoch) }
    }

    private func text(_ event: OutgoingMessage) -> String { String(decoding: event.message.payload, as: UTF8.self) }

    @Test("A new gateway begins an epoch at 1, without the old one's states, requested regions or secret")
    func begins() throws {
        let epoch = try north()
        let moved = try start(site: "south")
        #expect(moved.dispatcher.outbox.numbering.epoch != epoch)
        #expect(moved.dispatcher.outbox.numbering[.events] == 1)
        #expect(moved.outputs.isEmpty && moved.dispatcher.clearances.isEmpty)
        var (engine, outputs) = (moved.engine, [GatewayOutput]())
        engine.answer(
            .state(StateRequest(region: "promo")), to: ReplyAddress(verb: "state", topic: "t"), at: .origin,
            outputs: &outputs)
        guard case .refused(let error) = outputs.last?.content(Answer.self)?.result else {
            Issue.record("a refusal was expected")
            return
        }
        #expect(error.code == .unknownRegion)
        #expect(moved.dispatcher.outbox.value(forKey: "pseudonym_key") == [UInt8](repeating: 9, count: 32))
    }

    @Test(
        "The previous gateway's status, health, place and states are cleared, until the broker has done so"
    )
    func clears() throws {
        _ = try north()
        let topics = [
            "beacons/north/door/health", "beacons/north/door/location", "beacons/north/door/region/carts/1/state",
            "beacons/north/door/region/carts/2/state", "beacons/north/door/region/promo/state",
            "beacons/north/door/status",
        ]
        let moved = try start(site: "south")
        #expect(moved.dispatcher.formerClearances.map(\.topic) == topics)
        #expect(moved.dispatcher.formerClearances.holdForAll { $0.isRetained && $0.payload.isEmpty })
        try moved.dispatcher.tidy(clearedTopics: Array(topics.prefix(3)))
        let next = try start(site: "south", after: moved)
        #expect(next.dispatcher.formerClearances.map(\.topic) == Array(topics.suffix(3)))
    }

    @Test("A gateway that takes its old name again clears none of its new messages")
    func back() throws {
        _ = try north()
        let back = try start(site: "north", after: start(site: "south"))
        let instances = (1...2).map { "beacons/north/door/region/carts/\($0)/state" }
        let own = instances + ["beacons/north/door/region/promo/state"]
        // Its own clearings go before any new state, and spare its status.
        #expect(back.dispatcher.clearances.map(\.topic) == own)
        #expect(
            back.dispatcher.formerClearances.map(\.topic) == [
                "beacons/south/door/health", "beacons/south/door/location", "beacons/south/door/status",
            ])
        _ = try back.dispatcher.dispatch([entry(1)], .epoch)
        let next = try start(site: "north", after: back)
        #expect(next.dispatcher.clearances.map(\.topic) == Array(own.dropFirst()))
    }

    @Test("The previous gateway's events go out under its own topics, apart from the new one's")
    func delivers() throws {
        let epoch = try north()
        let moved = try start(site: "south")
        _ = try moved.dispatcher.dispatch([entry(1)], .epoch)
        var source = events(moved)
        #expect(source.next(limit: 9).map(\.message.topic) == ["beacons/south/door/region/carts/1/event"])
        let former = source.nextOfFormerGateway(limit: 9)
        #expect(former.map(\.message.topic) == (1...2).map { "beacons/north/door/region/carts/\($0)/event" })
        #expect(former.holdForAll { text($0).contains(epoch) })
    }

    @Test("Events given up are a gap of the old epoch: under its topic, or under the new one where that is refused too")
    func gap() throws {
        let epoch = try north()
        let moved = try start(site: "south")
        var source = events(moved)
        for event in source.nextOfFormerGateway(limit: 9) { source.giveUp(event.sequence) }
        #expect(source.next(limit: 9).isEmpty)
        let former = try #require(source.nextOfFormerGateway(limit: 9).first)
        #expect(former.message.topic == "beacons/north/door/gap")
        source.giveUp(former.sequence)
        let own = try #require(source.next(limit: 9).first)
        #expect(own.message.topic == "beacons/south/door/gap")
        for gap in [former, own] {
            #expect(text(gap).contains(#""epoch":"\#(epoch)","from_seq":1,"to_seq":2,"cause":"refused""#))
        }
        source.acknowledge([own.sequence])
        #expect(!moved.dispatcher.outbox.hasGaps && moved.dispatcher.outbox.health.queuedEvents == 0)
    }

    @Test("Each of the three keys makes another gateway, and no other key does")
    func identity() throws {
        let name = GatewayIdentity(try settings().identity.topics).name
        #expect(name == "beacons/north/door")
        #expect(
            GatewayIdentity(try settings(prefix: "a/beacons").identity.topics).name != name)
        var other = try settings()
        other.gateway.regions.beacons = []
        other.broker.host = "elsewhere"
        #expect(GatewayIdentity(other.identity.topics).name == name)
    }

    @Test("An event's topic names its gateway, whatever regions and gateways are called")
    func topics() throws {
        let identity = GatewayIdentity(try settings(id: "region").identity.topics)
        #expect(identity.owner(ofTopic: "beacons/south/door/region/carts/event") == "beacons/south/door")
        #expect(identity.owner(ofTopic: "a/b/south/door/region/carts/1/2/event") == "a/b/south/door")
        #expect(identity.owner(ofTopic: "beacons/north/region/region/region/7/event") == "beacons/north/region")
        #expect(identity.owner(ofTopic: "beacons/south/region/region/7/event") == "beacons/south/region")
        #expect(identity.owner(ofTopic: "beacons/south/door/gap") == nil)
        #expect(identity.owner(ofTopic: "region/carts/event") == nil)
    }
}
