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
        var bench = SessionBench.settled(maxInflight: 5)
        let sent = bench.session.setRetained(empty, at: bench.now)
        #expect(sent.published == ["root/a="])
        #expect(clearedTopics(bench.accept(sent)) == ["root/a"])
        #expect(bench.reconnect().published == ["root/status=online"])
    }

    @Test("A clearing that the broker did not get before the connection ended is sent again")
    func again() {
        var bench = SessionBench.settled(maxInflight: 5)
        _ = bench.session.setRetained(empty, at: bench.now)
        let sent = bench.reconnect()
        #expect(sent.published == ["root/status=online", "root/a="])
        #expect(clearedTopics(bench.accept(sent)) == ["root/a"])
    }

    @Test("A later state on the topic counts, and no clearing is reported")
    func overtaken() {
        var bench = SessionBench.settled(maxInflight: 5)
        let sent = bench.session.setRetained(empty, at: bench.now)
        _ = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        let next = bench.accept(sent)
        #expect(next.published == ["root/a=1"])
        #expect(clearedTopics(next + bench.accept(next)).isEmpty)
    }

    @Test("A cleared topic is forgotten once the broker has cleared it, so that topics may come and go without end")
    func comeAndGo() {
        var bench = SessionBench.settled(maxInflight: 1, maxRetainedTopics: 2)
        for number in 0..<50 {
            let sent = bench.session.setRetained(SessionBench.retained("root/\(number)", "1"), at: bench.now)
            #expect(sent.published == ["root/\(number)=1"])
            _ = bench.accept(sent)
            let clearing = bench.session.setRetained(SessionBench.retained("root/\(number)", ""), at: bench.now)
            #expect(clearing.published == ["root/\(number)="])
            #expect(bench.accept(clearing) == [.cleared(topic: "root/\(number)")])
        }
        #expect(bench.session.counters.retainedTopicsRefused == 0)
    }

    @Test("A clearing that the broker refuses is not reported")
    func refused() {
        var bench = SessionBench.settled(maxInflight: 5)
        let sent = bench.session.setRetained(empty, at: bench.now)
        #expect(clearedTopics(bench.answer(sent, .notAuthorized)).isEmpty)
    }
}
