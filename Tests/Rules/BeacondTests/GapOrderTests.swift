import Testing

@testable import Agent
@testable import Core

@Suite("A gap names the events in flight that it gives up")
struct GapOrderTests {
    /// Returns an outbox that has room for two events, and holds two.
    private func makeDispatcher() throws -> Dispatcher {
        let dispatcher = Dispatcher(try Outbox.inMemory(maxEvents: 2))
        try addTwo(dispatcher.outbox)
        return dispatcher
    }

    private func addTwo(_ outbox: Outbox) throws {
        for _ in 0..<2 {
            try outbox.commit {
                OutboxTransaction(
                    messages: [NumberedMessage($0.number(), topic: "event", payload: Array("{}".utf8))])
            }
        }
    }

    @Test("A gap gives up the events that were handed out before they were dropped, and no others")
    func underWay() throws {
        let dispatcher = try makeDispatcher()
        var events = OutboxSource(dispatcher) { (.origin, .epoch) }
        let underWay = events.next(limit: 2)
        try addTwo(dispatcher.outbox)
        let later = events.next(limit: 2)
        #expect(later.map(\.message.topic) == ["beacons/store/gate/gap", "event", "event"])
        #expect(later.map(\.givesUp) == [underWay.map(\.sequence), [], []])
    }

    @Test("A gap whose numbers were never handed out gives up none")
    func free() throws {
        let dispatcher = try makeDispatcher()
        try addTwo(dispatcher.outbox)
        var events = OutboxSource(dispatcher) { (.origin, .epoch) }
        #expect(events.next(limit: 2).first?.givesUp == [])
    }

    @Test(
        "Events don't wait for kinds that an access list may not know yet, but for each other they do",
        arguments: [NumberSeries.spans, .batches])
    func optional(_ series: NumberSeries) throws {
        let dispatcher = try makeDispatcher()
        try dispatcher.outbox.commit {
            OutboxTransaction(
                messages: [NumberedMessage($0.number(of: series), topic: "other", payload: Array("{}".utf8))])
        }
        var events = OutboxSource(dispatcher) { (.origin, .epoch) }
        #expect(events.next(limit: 3).map(\.message.delivery.isOptional) == [false, false, true])
    }
}
