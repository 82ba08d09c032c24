import Testing

@testable import Agent
@testable import Core

@Suite("Retained topics that are cleared")
struct ClearedTopicTests {
    private let empty = Message(topic: "root/a", payload: [], .retained)

    private func clearedTopics(_ actions: [DeliveryAction]) -> [String] {
        actions.compactMap { if case .cleared(let topic) = $0 { topic } else { nil } }
    }

    @Test("The clearing is reported once the broker has it, and is not sent again on the next connection")
    func once() {
        var bench = SessionBench(maxInflight: 5)
        bench.settle()
        let sent = bench.session.setRetained(empty, at: bench.now)
        #expect(sent.published == ["root/a="])
        #expect(clearedTopics(bench.accept(sent)) == ["root/a"])
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        bench.now = bench.session.nextWake
        _ = bench.session.tick(at: bench.now)
        #expect(bench.session.connected(BrokerLimits(), at: bench.now).published == ["root/status=online"])
    }

    @Test("A clearing that the broker did not get before the connection ended is sent again")
    func again() {
        var bench = SessionBench(maxInflight: 5)
        bench.settle()
        _ = bench.session.setRetained(empty, at: bench.now)
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        bench.now = bench.session.nextWake
        _ = bench.session.tick(at: bench.now)
        let sent = bench.session.connected(BrokerLimits(), at: bench.now)
        #expect(sent.published == ["root/status=online", "root/a="])
        #expect(clearedTopics(bench.accept(sent)) == ["root/a"])
    }

    @Test("A later state on the topic counts, and no clearing is reported")
    func overtaken() {
        var bench = SessionBench(maxInflight: 5)
        bench.settle()
        let sent = bench.session.setRetained(empty, at: bench.now)
        _ = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        let next = bench.accept(sent)
        #expect(next.published == ["root/a=1"])
        #expect(clearedTopics(next + bench.accept(next)).isEmpty)
    }

    @Test("A clearing that the broker refuses is not reported")
    func refused() {
        var bench = SessionBench(maxInflight: 5)
        bench.settle()
        let sent = bench.session.setRetained(empty, at: bench.now)
        #expect(clearedTopics(bench.answer(sent, .notAuthorized)).isEmpty)
    }
}
