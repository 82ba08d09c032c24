import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Region records of another version stay as they are")
struct OtherVersionTests {
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
        let parts = try AgentStart(Self.carts, try Outbox.inMemory(records), at: .origin + .seconds(500))
        return (parts.dispatcher, try parts.dispatcher.dispatch(parts.outputs, .epoch))
    }

    private func records(_ dispatcher: Dispatcher) -> [OutboxRecord] {
        dispatcher.outbox.records().filter { !$0.key.utf8.starts(with: "/".utf8) }
    }

    @Test("Its state is not cleared at the broker, and no exit is published")
    func notCleared() throws {
        let (dispatcher, said) = try start([Self.polygon])
        #expect(dispatcher.clearances.isEmpty)
        #expect(!said.messages.contains { $0.delivery == .durable(.events) })
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
        let said = try dispatcher.dispatch([.change(instance, .outside)], .epoch)
        #expect(said.count == 1)
        #expect(records(dispatcher) == [Self.later])
    }

    @Test("The end of monitoring clears this version's state, and leaves the record")
    func ended() throws {
        let (dispatcher, _) = try start([Self.later])
        let instance = RegionInstanceID(region: "carts")
        let said = try dispatcher.dispatch(
            [.unregistered(region: "carts", instances: [instance], at: .origin)], .epoch)
        #expect(said.count == 1)
        try dispatcher.tidy(clearedTopics: ["beacons/store/gate/region/carts/state"])
        #expect(records(dispatcher) == [Self.later])
    }

    @Test("The log names each region once, with its id, kind and version")
    func said() throws {
        let parts = (1...3).map { OutboxRecord(key: "tills/\($0)", value: Self.later.value) }
        let outbox = try Outbox.inMemory([Self.polygon] + parts)
        let notices = StoredState(outbox, .epoch, bootID: "boot").kept.notices
        #expect(notices.count == 2)
        #expect(notices.first?.contains("region \"depot\": what is stored of it (kind=polygon v=1)") == true)
        #expect(notices.last?.contains("region \"tills\": what is stored of it (kind=beacon v=3)") == true)
    }
}
