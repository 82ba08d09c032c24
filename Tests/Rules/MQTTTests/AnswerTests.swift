import Testing

@testable import Agent
@testable import Core

@Suite("Answers to requests")
struct AnswerTests {
    private func answer(_ text: String) -> Message {
        Message(topic: "replies/\(text)", payload: Array(text.utf8), .answer)
    }

    /// Returns the texts of the answers among the actions.
    private func answers(_ actions: [DeliveryAction]) -> [String] {
        actions.compactMap {
            guard case .publish(.answer, let message) = $0 else { return nil }
            return String(decoding: message.payload, as: UTF8.self)
        }
    }

    @Test("An answer goes out after the waiting states and before the events")
    func order() {
        var bench = SessionBench.settled(maxInflight: 1)
        let busy = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        _ = bench.supply(1...1)
        _ = bench.session.answer(answer("yes"), at: bench.now)
        _ = bench.session.setRetained(SessionBench.retained("root/b", "1"), at: bench.now)
        let second = bench.accept(busy)
        #expect(second.published == ["root/b=1"])
        let third = bench.accept(second)
        #expect(answers(third) == ["yes"])
        #expect(bench.accept(third).published == ["#1"])
    }

    @Test("Answers count in the window of messages in flight")
    func window() {
        var bench = SessionBench.settled(maxInflight: 2)
        let sent = (1...3).map { bench.session.answer(answer("\($0)"), at: bench.now) }
        #expect(sent.map(answers) == [["1"], ["2"], []])
        #expect(answers(bench.accept(sent[0])) == ["3"])
    }

    @Test("Without a connection an answer is dropped and counted; so are those of a connection that ends")
    func dropped() {
        var bench = SessionBench(maxInflight: 1)
        _ = bench.session.answer(answer("early"), at: bench.now)
        #expect(bench.session.counters.answersDropped == 1)
        bench.settle()
        _ = bench.register(bench.session.answer(answer("under way"), at: bench.now))
        _ = bench.session.answer(answer("waiting"), at: bench.now)
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        #expect(bench.session.counters.answersDropped == 3)
        _ = bench.wake()
        #expect(answers(bench.session.connected(BrokerLimits(), at: bench.now)) == [])
    }

    @Test("A refused answer is dropped, and delays nothing")
    func refused() {
        var bench = SessionBench.settled(maxInflight: 1)
        let sent = bench.session.answer(answer("no"), at: bench.now)
        _ = bench.session.answer(answer("yes"), at: bench.now)
        let next = bench.answer(sent, .notAuthorized)
        #expect(answers(next) == ["yes"])
        #expect(bench.session.counters.answersDropped == 1)
        _ = bench.accept(next)
        #expect(bench.session.isDrained)
    }

    @Test("At most 64 answers wait")
    func limit() {
        var bench = SessionBench.settled(maxInflight: 1)
        for number in 0..<100 { _ = bench.session.answer(answer("\(number)"), at: bench.now) }
        #expect(bench.session.counters.answersDropped == 100 - 1 - 64)
    }

    @Test("A broker that disconnects because of an answer delays the events no further")
    func blamed() {
        var bench = SessionBench.settled(maxInflight: 2)
        _ = bench.register(bench.session.answer(answer("bad"), at: bench.now))
        _ = bench.session.connectionLost(.disconnected(.topicNameInvalid), at: bench.now)
        #expect(bench.session.messages.suspicion.suspects.isEmpty)
    }
}
