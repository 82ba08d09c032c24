import Logging
import Testing

@testable import Agent
@testable import Core

@Suite("Region records of another version stay as they are")
struct OtherVersionTests {
    private static let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
    private static let carts = """
        [gateway]
        id = "gate"
        [[region]]
        id = "carts"
        uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
        """
    private static let later = OutboxRecord(key: "carts", value: Array("kind=beacon v=3 state=inside".utf8))
    private static let polygon = OutboxRecord(key: "depot", value: Array("kind=polygon v=1 state=inside".utf8))

    private func start(_ records: [OutboxRecord]) throws -> (dispatcher: Dispatcher, said: [Dispatcher.Dispatched]) {
        let outbox = Outbox(
            limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch,
            generator: SystemRandomNumberGenerator())
        try outbox.commit { _ in OutboxTransaction(records: records) }
        let parts = AgentStart(
            try Settings.parse(Self.carts), outbox, at: .origin + .seconds(500), Self.timebase, bootID: "boot",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return (parts.dispatcher, try parts.dispatcher.dispatch(parts.outputs, Self.timebase))
    }

    private func records(_ dispatcher: Dispatcher) -> [OutboxRecord] {
        dispatcher.outbox.records().filter { !$0.key.utf8.starts(with: "/".utf8) }
    }

    @Test("Its state is not cleared at the broker, and no exit is published")
    func notCleared() throws {
        let (dispatcher, said) = try start([Self.polygon])
        #expect(dispatcher.clearances.isEmpty)
        let isEvent = said.map { item in
            if case .message(let message) = item.content { message.delivery == .durable(.events) } else { false }
        }
        #expect(!isEvent.contains(true))
        try dispatcher.tidy(clearedTopics: ["beacons/store/gate/region/depot/state"])
        #expect(records(dispatcher).contains(Self.polygon))
    }

    @Test("A damaged line is cleared as usual")
    func damaged() throws {
        let (dispatcher, _) = try start([OutboxRecord(key: "depot", value: Array("kind=beacon v=2".utf8))])
        #expect(dispatcher.clearances.map(\.topic) == ["beacons/store/gate/region/depot/state"])
    }

    @Test("A region of that id that is monitored here is published, and does not overwrite the record")
    func monitored() throws {
        let (dispatcher, _) = try start([Self.later])
        let instance = RegionInstanceID(region: "carts")
        let record = RegionRecord(instance: instance, .beacon(of: nil), .outside(since: .origin))
        let transition = RegionTransition(instance: instance, state: .outside, since: .origin, at: .origin)
        let said = try dispatcher.dispatch([.transition(transition, record: record)], Self.timebase)
        #expect(said.count == 1)
        #expect(records(dispatcher) == [Self.later])
    }

    @Test("The end of monitoring clears this version's state, and leaves the record")
    func ended() throws {
        let (dispatcher, _) = try start([Self.later])
        let instance = RegionInstanceID(region: "carts")
        let said = try dispatcher.dispatch(
            [.unregistered(region: "carts", instances: [instance], at: .origin)], Self.timebase)
        #expect(said.count == 1)
        try dispatcher.tidy(clearedTopics: ["beacons/store/gate/region/carts/state"])
        #expect(records(dispatcher) == [Self.later])
    }

    @Test("The log names each region once, with its id, kind and version")
    func said() throws {
        let outbox = Outbox(
            limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: .unixEpoch,
            generator: SystemRandomNumberGenerator())
        let parts = (1...3).map { OutboxRecord(key: "tills/\($0)", value: Self.later.value) }
        try outbox.commit { _ in OutboxTransaction(records: [Self.polygon] + parts) }
        let notices = StoredState(outbox, Self.timebase, bootID: "boot").kept.notices
        #expect(notices.count == 2)
        #expect(notices.first?.contains("region \"depot\": what is stored of it (kind=polygon v=1)") == true)
        #expect(notices.last?.contains("region \"tills\": what is stored of it (kind=beacon v=3)") == true)
    }
}
