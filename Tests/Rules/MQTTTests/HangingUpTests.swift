import Testing

@testable import Agent
@testable import Core

@Suite("A broker that disconnects on a message")
struct HangingUpTests {
    static let protocolError = ConnectionFailure.disconnected(.protocolError)

    private func bench(events: ClosedRange<UInt64>, maxInflight: Int = 4) -> (SessionBench, [DeliveryAction]) {
        var bench = SessionBench.settled(maxInflight: maxInflight)
        let actions = bench.supply(events)
        return (bench, actions)
    }

    @Test(
        "An event on which the connection ends five times alone is parked, with any reason or none",
        arguments: [protocolError, .closedByBroker])
    func event(failure: ConnectionFailure) {
        var (bench, actions) = bench(events: 1...2, maxInflight: 1)
        for _ in 1...5 {
            #expect(actions.published == ["#1"])
            #expect(bench.session.counters.parked == 0)
            _ = bench.register(actions)
            actions = bench.hangUp(failure)
        }
        #expect(actions.contains(.park(sequence: 1)))
        #expect(actions.notices.contains(.eventHungUpOn(sequence: 1, topic: "root/event", failure)))
        #expect(actions.published == ["#2"])
    }

    @Test("A connection that ends once without a reason slows nothing; a second one in a row does")
    func chance() {
        var (bench, actions) = bench(events: 1...4)
        _ = bench.register(actions)
        actions = bench.hangUp(.closedByBroker)
        #expect(actions.published.sorted() == ["#1", "#2", "#3", "#4"])
        _ = bench.register(actions)
        #expect(bench.hangUp(.closedByBroker).published == ["#1"])
    }

    @Test("A broker that accepts no message at all, as when it shuts down, parks none")
    func nothingAccepted() {
        var (bench, actions) = bench(events: 1...1)
        _ = bench.register(actions)
        for _ in 1...20 {
            actions = bench.reconnect()
            _ = bench.register(actions)
        }
        #expect(bench.session.counters.parked == 0)
    }

    @Test(
        "The end of a connection for another reason parks no message",
        arguments: [
            ConnectionFailure.disconnected(.serverUnavailable), .disconnected(.quotaExceeded), .keepaliveExpired,
            .disconnected(.notAuthorized),
        ])
    func others(failure: ConnectionFailure) {
        var (bench, actions) = bench(events: 1...1)
        for _ in 1...20 {
            _ = bench.register(actions)
            actions = bench.hangUp(failure)
        }
        #expect(actions.published == ["#1"])
        #expect(bench.session.counters.parked == 0)
    }

    @Test("A connection that ends long after the message was sent is no evidence against it")
    func late() {
        var (bench, actions) = bench(events: 1...1)
        for _ in 1...20 {
            _ = bench.register(actions)
            bench.advance(6)
            actions = bench.hangUp(.closedByBroker)
        }
        #expect(bench.session.counters.parked == 0)
    }

    @Test("The status is never left out")
    func status() {
        var bench = SessionBench.settled()
        for _ in 1...20 {
            let actions = bench.session.setRetained(
                SessionBench.retained(SessionBench.status, "changed"), at: bench.now)
            #expect(actions.published == ["root/status=changed"])
            _ = bench.register(actions)
            _ = bench.hangUp(Self.protocolError)
        }
    }

    @Test("A state on which the connection ends five times alone is left out until it changes")
    func state() {
        var bench = SessionBench.settled()
        var actions = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        for _ in 1...5 {
            #expect(actions.published == ["root/a=1"])
            _ = bench.register(actions)
            actions = bench.hangUp(Self.protocolError)
        }
        #expect(actions.notices.contains(.retainedHungUpOn(topic: "root/a", Self.protocolError)))
        #expect(actions.published == [])
        let changed = bench.session.setRetained(SessionBench.retained("root/a", "2"), at: bench.now)
        #expect(changed.published == ["root/a=2"])
    }
}
