import Testing

@testable import Agent
@testable import Core

@Suite("Answers to requests, and topics that are cleared")
struct AnswerTests {
    private func answer(_ text: String) -> Message {
        Message(topic: "replies/\(text)", payload: Array(text.utf8), .answer)
    }

    private func cleared(_ name: String) -> Message {
        Message(topic: "root/\(name)", payload: [], .retained)
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
        var bench = SessionBench(maxInflight: 1)
        bench.settle()
        let busy = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        _ = bench.session.outgoingAvailable(at: bench.now)
        _ = bench.session.supply([SessionBench.event(1)], at: bench.now)
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
        var bench = SessionBench(maxInflight: 2)
        bench.settle()
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
        bench.now = bench.session.nextWake
        _ = bench.session.tick(at: bench.now)
        #expect(answers(bench.session.connected(BrokerLimits(), at: bench.now)) == [])
    }

    @Test("A refused answer is dropped, and delays nothing")
    func refused() {
        var bench = SessionBench(maxInflight: 1)
        bench.settle()
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
        var bench = SessionBench(maxInflight: 1)
        bench.settle()
        for number in 0..<100 { _ = bench.session.answer(answer("\(number)"), at: bench.now) }
        #expect(bench.session.counters.answersDropped == 100 - 1 - 64)
    }

    @Test("A broker that disconnects because of an answer delays the events no further")
    func blamed() {
        var bench = SessionBench(maxInflight: 2)
        bench.settle()
        _ = bench.register(bench.session.answer(answer("bad"), at: bench.now))
        _ = bench.session.connectionLost(.disconnected(.topicNameInvalid), at: bench.now)
        #expect(bench.session.messages.suspicion.suspects.isEmpty)
    }

    @Test("A cleared topic is forgotten once the broker has cleared it, so that topics may come and go without end")
    func clearedTopics() {
        var bench = SessionBench(maxInflight: 1, maxRetainedTopics: 2)
        bench.settle()
        for number in 0..<50 {
            let sent = bench.session.setRetained(SessionBench.retained("root/\(number)", "1"), at: bench.now)
            #expect(sent.published == ["root/\(number)=1"])
            _ = bench.accept(sent)
            let clearing = bench.session.setRetained(cleared("\(number)"), at: bench.now)
            #expect(clearing.published == ["root/\(number)="])
            #expect(bench.accept(clearing) == [.cleared(topic: "root/\(number)")])
        }
        #expect(bench.session.counters.retainedTopicsRefused == 0)
    }

    @Test("A topic that is cleared and reused meanwhile keeps its new state")
    func clearedAndUsed() {
        var bench = SessionBench(maxInflight: 1)
        bench.settle()
        _ = bench.accept(bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now))
        let clearing = bench.session.setRetained(cleared("a"), at: bench.now)
        _ = bench.session.setRetained(SessionBench.retained("root/a", "2"), at: bench.now)
        let next = bench.accept(clearing)
        #expect(next.published == ["root/a=2"])
        #expect(bench.accept(next) == [])
    }
}
