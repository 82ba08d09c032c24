import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Events are committed before they are published")
struct DispatcherTests {
    private func makeDispatcher(_ stored: [OutboxRecord] = []) throws -> Dispatcher {
        Dispatcher(try Outbox.inMemory(stored), .of(), .november)
    }

    private func output(_ region: String, _ state: RegionState, event: RegionEvent.Kind?) -> GatewayOutput {
        .change(RegionInstanceID(region: region), state, event: event.map { RegionEvent($0) })
    }

    @Test("Numbers begin at 1 and have no gaps, even where a change of state has no event")
    func numbers() throws {
        let dispatcher = try makeDispatcher()
        _ = try dispatcher.dispatch(
            [
                output("a", .inside, event: .enter), output("b", .unknown, event: nil),
                output("c", .inside, event: .enter),
            ], .november)
        #expect(dispatcher.outbox.next(limit: 10).map(\.number.seq) == [1, 2])
        #expect(dispatcher.eventCount == 2)
    }

    @Test("The event and its region's record are in the outbox before they are published")
    func committedTogether() throws {
        let dispatcher = try makeDispatcher()
        let said = try dispatcher.dispatch([output("a", .inside, event: .enter)], .november)
        #expect(said.count == 2)
        let record = try #require(dispatcher.outbox.records().first)
        let stored = try #require(StoredRegion.read(record.value, key: record.key, .november, bootID: "boot").region)
        #expect(stored.eventSeq == 1)
        #expect(stored.record.isInside)
    }

    @Test("A region without a new event continues from the stored number")
    func storedSequence() throws {
        let record = RegionRecord.inside(RegionInstanceID(region: "a"), rssi_dbm: nil)
        let dispatcher = try makeDispatcher([OutboxRecord(record, eventSeq: 7, by: .november)])
        let said = try dispatcher.dispatch([output("a", .inside, event: nil)], .november)
        let message = try #require(said.messages.first)
        #expect(String(decoding: message.payload, as: UTF8.self).contains("\"event_seq\":7"))
    }
}
