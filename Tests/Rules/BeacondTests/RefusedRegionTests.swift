import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("A region refused by a limit at the start leaves no old state behind")
struct RefusedRegionTests {
    private static let carts = ProximityUUID(uuid).map {
        BeaconIdentityConstraint(uuid: $0, major: nil, minor: nil)
    }
    private static let uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"

    /// Returns the agent as it starts on an earlier process's records of these instances, each of them inside.
    private func start(
        _ configuration: String, storing instances: [RegionInstanceID], requested: String? = nil
    ) throws -> AgentStart {
        var records = instances.map { OutboxRecord(.inside($0, of: Self.carts)) }
        if let requested {
            records.append(
                OutboxRecord(
                    key: StoredDefinition.key(requested),
                    value: Array(#"{"id":"\#(requested)","uuid":"\#(Self.uuid)"}"#.utf8)))
        }
        return try AgentStart("[gateway]\nid = \"gate\"\n" + configuration, try Outbox.inMemory(records))
    }

    private func region(_ id: String, _ more: String = "") -> String {
        "[[region]]\nid = \"\(id)\"\nuuid = \"\(Self.uuid)\"\n\(more)\n"
    }

    private func topic(_ levels: String) -> String { "beacons/store/gate/region/\(levels)/state" }

    @Test(
        "The state of what a limit refuses is cleared, and what is admitted continues",
        arguments: [
            // max_regions: a refused region, in each of its instances.
            ("max_regions = 1", [("new", ""), ("old", "expand = \"major\"")], ["new", "old/3"], "old/3"),
            // max_instances: an instance beyond the limit.
            ("max_instances = 2", [("carts", "expand = \"major\"")], ["carts/1", "carts/2", "carts/3"], "carts/3"),
            // max_instances: a plain region beyond the limit.
            ("max_instances = 1", [("new", ""), ("old", "")], ["old"], "old"),
        ] as [(String, [(String, String)], [String], String)])
    func cleared(limit: String, regions: [(id: String, more: String)], stored: [String], refused: String) throws {
        let parts = try start(
            "[regions]\n\(limit)\n" + regions.map { region($0.id, $0.more) }.joined(),
            storing: try stored.map { try #require(StoredRegion.instance(ofKey: $0)) })
        #expect(parts.dispatcher.clearances.map(\.topic) == [topic(refused)])
    }

    @Test("An open stay gets an exit with the reason, before any other message")
    func ended() throws {
        let parts = try start(
            "[regions]\nmax_regions = 1\n" + region("new") + region("old"),
            storing: [RegionInstanceID(region: "old")])
        guard case .exit(let instance, let event, at: .origin)? = parts.outputs.first else {
            Issue.record("an exit was expected")
            return
        }
        guard case .beacon(let identity, _) = event.cause else { return }
        #expect(instance.region == "old" && identity.major == 1 && identity.minor == 2)
    }

    @Test("A requested region keeps its definition, and loses its state")
    func requested() throws {
        let dispatcher = try start(
            "[commands]\nenabled = true\n[regions]\nmax_regions = 1\n" + region("door"),
            storing: [RegionInstanceID(region: "promo")], requested: "promo"
        ).dispatcher
        #expect(dispatcher.clearances.map(\.topic) == [topic("promo")])
        try dispatcher.tidy(clearedTopics: [topic("promo")])
        #expect(dispatcher.outbox.records().map(\.key) == [StoredDefinition.key("promo")])
    }

    @Test("Stopping it before the broker has cleared its states clears each of them, and no record stays")
    func stopped() throws {
        let parts = try start(
            "[commands]\nenabled = true\n[regions]\nmax_regions = 1\n" + region("door"),
            storing: [RegionInstanceID(region: "promo")], requested: "promo")
        var (engine, outputs) = (parts.engine, [GatewayOutput]())
        let address = ReplyAddress(verb: "stop", topic: "t")
        engine.answer(.stop(region: "promo"), to: address, at: .origin, outputs: &outputs)
        let said = try parts.dispatcher.dispatch(outputs, .epoch)
        let cleared = said.messages.filter { $0.delivery == .retained }
        #expect(cleared.map(\.topic) == [topic("promo")] && cleared.holdForAll { $0.payload.isEmpty })
        try parts.dispatcher.tidy(clearedTopics: [topic("promo")])
        #expect(parts.dispatcher.outbox.records().isEmpty)
    }
}
