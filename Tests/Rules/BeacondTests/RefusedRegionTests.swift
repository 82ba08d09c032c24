import Logging
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("A region refused by a limit at the start leaves no old state behind")
struct RefusedRegionTests {
    private static let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
    private static let carts = ProximityUUID(uuid).map {
        BeaconIdentityConstraint(uuid: $0, major: nil, minor: nil)
    }
    private static let uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"

    /// Returns the agent as it starts on an earlier process's records of these instances, each of them inside.
    private func start(
        _ configuration: String, storing instances: [RegionInstanceID], requested: String? = nil
    ) throws -> AgentStart {
        let outbox = Outbox(
            limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch,
            generator: SystemRandomNumberGenerator())
        var records = instances.map { instance in
            let record = RegionRecord(
                instance: instance, .beacon(of: Self.carts),
                .inside(
                    RegionRecord.OpenStay(
                        enteredAt: .origin, lastHeardAt: .origin,
                        keeper: BeaconKeeper(major: 1, minor: 2, rssi_dbm: -60))))
            return OutboxRecord(
                key: StoredRegion.key(instance),
                value: StoredRegion(record: record, eventSeq: 7).encoded(Self.timebase, bootID: "boot"))
        }
        if let requested {
            records.append(
                OutboxRecord(
                    key: StoredDefinition.key(requested),
                    value: Array(#"{"id":"\#(requested)","uuid":"\#(Self.uuid)"}"#.utf8)))
        }
        try outbox.commit { _ in OutboxTransaction(records: records) }
        return AgentStart(
            try Settings.parse("[gateway]\nid = \"gate\"\n" + configuration), outbox, at: .origin, Self.timebase,
            bootID: "boot", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func region(_ id: String, _ more: String = "") -> String {
        "[[region]]\nid = \"\(id)\"\nuuid = \"\(Self.uuid)\"\n\(more)\n"
    }

    private func topic(_ levels: String) -> String { "beacons/store/gate/region/\(levels)/state" }

    @Test("max_regions: the states of a refused region are cleared, those of others are not")
    func maxRegions() throws {
        let parts = try start(
            "[regions]\nmax_regions = 1\n" + region("new") + region("old", "expand = \"major\""),
            storing: [RegionInstanceID(region: "new"), RegionInstanceID(region: "old", .major(3))])
        #expect(parts.dispatcher.clearances.map(\.topic) == [topic("old/3")])
    }

    @Test("max_instances: the states of refused instances are cleared, and admitted ones continue")
    func maxInstances() throws {
        let instances = (1...3).map { RegionInstanceID(region: "carts", .major($0)) }
        let parts = try start(
            "[regions]\nmax_instances = 2\n" + region("carts", "expand = \"major\""), storing: instances)
        #expect(parts.dispatcher.clearances.map(\.topic) == [topic("carts/3")])
    }

    @Test("max_instances: a refused plain region has no state any more")
    func maxInstancesOfPlainRegions() throws {
        let parts = try start(
            "[regions]\nmax_instances = 1\n" + region("new") + region("old"),
            storing: [RegionInstanceID(region: "old")])
        #expect(parts.dispatcher.clearances.map(\.topic) == [topic("old")])
    }

    @Test("A refused region's record is deleted once the broker has cleared its topic")
    func forgotten() throws {
        let dispatcher = try start(
            "[regions]\nmax_regions = 1\n" + region("new") + region("old"),
            storing: [RegionInstanceID(region: "old")]
        ).dispatcher
        #expect(dispatcher.outbox.records().map(\.key) == ["old"])
        try dispatcher.tidy(clearedTopics: [topic("old")])
        #expect(dispatcher.outbox.records().isEmpty)
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
        let said = try parts.dispatcher.dispatch(outputs, Self.timebase)
        let cleared = said.compactMap { item -> Message? in
            if case .message(let message) = item.content, message.delivery == .retained { message } else { nil }
        }
        #expect(cleared.map(\.topic) == [topic("promo")] && cleared.holdForAll { $0.payload.isEmpty })
        try parts.dispatcher.tidy(clearedTopics: [topic("promo")])
        #expect(parts.dispatcher.outbox.records().isEmpty)
    }
}
