import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("Regions that left the configuration")
struct AbandonedRegionTests {
    /// Returns an outbox with an earlier process's records of these instances, and a dispatcher that monitors
    /// `regions`.
    private func restart(
        storing instances: [RegionInstanceID], monitoring regions: String
    ) throws -> (dispatcher: Dispatcher, stored: StoredState) {
        let outbox = try Outbox.inMemory(instances.map { OutboxRecord(.inside($0)) })
        let settings = try Settings.parse(regions)
        var stored = StoredState(outbox, .epoch, bootID: "boot")
        let engine = Self.engine(settings.gateway, restoring: stored)
        stored.abandon(unless: { engine.holds($0) }, goingOn: { engine.holds($0) })
        let composer = MessageComposer(
            settings.identity.topics, settings.privacy, settings.gateway, pseudonymKey: stored.pseudonymKey)
        return (Dispatcher(composer, outbox: outbox, stored: stored, bootID: "boot"), stored)
    }

    private static func engine(_ settings: GatewaySettings, restoring stored: StoredState) -> GatewayEngine {
        var outputs: [GatewayOutput] = []
        return GatewayEngine(
            settings, restoring: stored.regions.map(\.record), radioSees: false, at: .origin, outputs: &outputs)
    }

    private static let carts = """
        [gateway]
        id = "gate"
        [[region]]
        id = "carts"
        uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
        """

    @Test("More states than may wait to be cleared leave no record: the agent searches for them at the broker")
    func limit() throws {
        let (dispatcher, _) = try restart(storing: [], monitoring: Self.carts)
        let instances = (0..<RetainedTopics.limit + 3).map { number in
            RegionInstanceID(
                region: "carts", .minor(major: UInt16(number / 1_000), minor: UInt16(number % 1_000)))
        }
        dispatcher.recordSearch()
        let said = try dispatcher.dispatch([.forgotten(instances, at: .origin)], .epoch)
        let unlisted = said.compactMap { item in
            if case .unlistedState(let topic) = item.content { topic } else { nil }
        }
        #expect(unlisted == ["16/384", "16/385", "16/386"].map { "beacons/store/gate/region/carts/\($0)/state" })
        #expect(said.count == instances.count && !dispatcher.hasSearched)
        #expect(dispatcher.outbox.records().count == RetainedTopics.limit)
    }

    @Test("States of regions that left the configuration are cleared, those of others are not")
    func cleared() throws {
        let (dispatcher, stored) = try restart(
            storing: [RegionInstanceID(region: "carts"), RegionInstanceID(region: "tills", .major(3))],
            monitoring: Self.carts)
        #expect(
            dispatcher.clearances == [
                Message(topic: "beacons/store/gate/region/tills/3/state", payload: [], .retained)
            ])
        #expect(stored.regions.map(\.record.instance.region) == ["carts"])
    }

    @Test("A region with another expansion has left the configuration too")
    func expansion() throws {
        let instances = [RegionInstanceID(region: "carts"), RegionInstanceID(region: "carts", .major(3))]
        let (one, _) = try restart(storing: instances, monitoring: Self.carts)
        #expect(one.clearances.map(\.topic) == ["beacons/store/gate/region/carts/3/state"])
        let (each, _) = try restart(storing: instances, monitoring: Self.carts + "\nexpand = \"major\"")
        #expect(each.clearances.map(\.topic) == ["beacons/store/gate/region/carts/state"])
    }

    @Test("A record is deleted only once the broker has cleared its topic")
    func forgotten() throws {
        let (dispatcher, _) = try restart(
            storing: [RegionInstanceID(region: "carts"), RegionInstanceID(region: "tills")], monitoring: Self.carts)
        try dispatcher.tidy(clearedTopics: [])
        #expect(dispatcher.outbox.records().map(\.key) == ["carts", "tills"])
        try dispatcher.tidy(clearedTopics: dispatcher.clearances.map(\.topic))
        #expect(dispatcher.outbox.records().map(\.key) == ["carts"])
    }

    @Test("An unsettled region also has a state to clear")
    func unsettled() throws {
        let (dispatcher, _) = try restart(storing: [], monitoring: Self.carts)
        let transition = RegionTransition(
            instance: RegionInstanceID(region: "carts"), state: .unknown, since: .origin, at: .origin)
        _ = try dispatcher.dispatch([.transition(transition, record: nil)], .epoch)
        var next = StoredState(dispatcher.outbox, .epoch, bootID: "boot")
        #expect(next.regions.isEmpty)
        let engine = Self.engine(Settings.defaults.gateway, restoring: next)
        next.abandon(unless: { engine.holds($0) }, goingOn: { engine.holds($0) })
        #expect(next.abandoned == [transition.instance])
    }

    @Test("Without a state to restore, a restart does not restore an older record")
    func nothingToGoOnFrom() throws {
        let instance = RegionInstanceID(region: "carts")
        let (dispatcher, _) = try restart(storing: [instance], monitoring: Self.carts)
        let transition = RegionTransition(instance: instance, state: .inside, since: .origin, at: .origin)
        _ = try dispatcher.dispatch([.transition(transition, record: nil)], .epoch)
        #expect(dispatcher.outbox.records().map(\.key) == ["carts"])
        #expect(StoredState(dispatcher.outbox, .epoch, bootID: "boot").regions.isEmpty)
    }

    @Test("A region that is monitored again before that keeps its new record")
    func monitoredAgain() throws {
        let instance = RegionInstanceID(region: "carts")
        let (dispatcher, _) = try restart(storing: [instance], monitoring: Self.carts)
        _ = try dispatcher.dispatch(
            [
                .unregistered(region: "carts", instances: [instance], at: .origin),
                .transition(
                    RegionTransition(instance: instance, state: .unknown, since: .origin, at: .origin), record: nil),
            ], .epoch)
        try dispatcher.tidy(clearedTopics: ["beacons/store/gate/region/carts/state"])
        #expect(dispatcher.outbox.records().map(\.key) == ["carts"])
    }

    // MARK: - Open stays

    /// Returns the outputs of a start on a stored stay, as messages.
    private func start(_ records: [OutboxRecord], _ regions: String) throws -> (outbox: Outbox, said: [String]) {
        let outbox = try Outbox.inMemory(records)
        return (outbox, try start(outbox, regions))
    }

    private func start(_ outbox: Outbox, _ regions: String) throws -> [String] {
        let parts = try AgentStart(regions, outbox, at: .origin + .seconds(500))
        return try parts.dispatcher.dispatch(parts.outputs, .epoch).messages
            .filter { $0.delivery == .durable(.events) }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    private func stay(in region: String, notifiesOnExit: Bool = true, later: TimeSpan = .zero) -> OutboxRecord {
        let record = RegionRecord.inside(
            RegionInstanceID(region: region), of: Self.uuid, entered: .origin + .seconds(100) + later,
            heard: .origin + .seconds(400) + later, beginning: .partial, notifiesOnExit: notifiesOnExit)
        return OutboxRecord(record, eventSeq: 0)
    }

    private static let uuid = ProximityUUID("39ED98FF-2900-441A-802F-9C398FC199D2").map {
        BeaconIdentityConstraint(uuid: $0, major: nil, minor: nil)
    }

    @Test("An open stay gets one exit, as long as it was watched, and none at the next start")
    func ending() throws {
        let (outbox, said) = try start([stay(in: "tills")], Self.carts)
        #expect(said.count == 1)
        let end = #""dwell_s":300,"partial":true,"unmonitored":true}"#
        #expect(said.first?.hasSuffix(#""last_heard_at":"1970-01-01T00:06:40.000Z","# + end) == true)
        #expect(said.first?.contains(#""at":"1970-01-01T00:08:20.000Z""#) == true)
        #expect(said.first?.contains(#""seq":1,"type":"exit","region":"tills""#) == true)
        #expect(try start(outbox, Self.carts).isEmpty)
    }

    @Test("A stay in the future, because a clock was set back, keeps its length")
    func clockSetBack() throws {
        let said = try start([stay(in: "tills", later: .seconds(3_600))], Self.carts).said
        let end = #""last_heard_at":"1970-01-01T00:08:20.000Z","dwell_s":300,"partial":true,"unmonitored":true}"#
        #expect(said.first?.hasSuffix(end) == true)
    }

    @Test("A region with other beacons now also ends its open stay")
    func otherBeacons() throws {
        let other = Self.carts.replacing("39ED98FF", with: "49ED98FF")
        #expect(try start([stay(in: "carts")], other).said.count == 1)
        #expect(try start([stay(in: "carts")], Self.carts).said.isEmpty)
    }

    @Test("Where exits make no events, there is none")
    func silentEnding() throws {
        #expect(try start([stay(in: "tills", notifiesOnExit: false)], Self.carts).said.isEmpty)
    }
}
