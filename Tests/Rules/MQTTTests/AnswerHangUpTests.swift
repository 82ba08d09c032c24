import Testing

@testable import Agent
@testable import Core

@Suite("An answer that a broker does not accept")
struct AnswerHangUpTests {
    private static let failure = ConnectionFailure.disconnected(.protocolError)

    private func answer(_ topic: String, _ bytes: Int = 10, short: String? = nil) -> Message {
        Message(
            topic: topic, payload: [UInt8](repeating: 0x7B, count: bytes), .answer,
            shortPayload: short.map { Array($0.utf8) })
    }

    /// Returns topics and payload lengths of the answers among the actions.
    private func sent(_ actions: [DeliveryAction]) -> [String] {
        actions.compactMap {
            guard case .publish(.answer, let message) = $0 else { return nil }
            return "\(message.topic) \(message.payload.count)"
        }
    }

    /// Sends an answer on which the broker disconnects. Returns whether it went out.
    private func isSent(_ bench: inout SessionBench, _ topic: String, _ failure: ConnectionFailure = failure) -> Bool {
        let actions = bench.session.answer(answer(topic), at: bench.now)
        guard !sent(actions).isEmpty else { return false }
        _ = bench.register(actions)
        _ = bench.hangUp(failure)
        return true
    }

    @Test(
        "A topic on which the broker disconnects twice gets no more answers for an hour, others do",
        arguments: [failure, .closedByBroker])
    func barred(failure: ConnectionFailure) {
        var bench = SessionBench.settled()
        #expect((1...4).map { _ in isSent(&bench, "a/b/c", failure) } == [true, true, false, false])
        #expect(sent(bench.session.answer(answer("a/b"), at: bench.now)) == ["a/b 10"])
        bench.advance(3_600)
        #expect(!sent(bench.session.answer(answer("a/b/c"), at: bench.now)).isEmpty)
    }

    @Test("The failure is logged once for a topic, with a remedy, and the answer is counted as dropped")
    func said() {
        var bench = SessionBench.settled()
        var notices: [DeliveryNotice] = []
        for _ in 1...3 {
            _ = bench.register(bench.session.answer(answer("a"), at: bench.now))
            notices += bench.hangUp(Self.failure).notices
        }
        #expect(notices.filter { $0 == .answerHungUpOn(topic: "a", Self.failure) }.count == 1)
        #expect(bench.session.counters.answersDropped == 3)
    }

    @Test("One request a second for such an answer does not keep the gateway from its broker")
    func everySecond() {
        var bench = SessionBench.settled()
        let start = bench.now
        var away = TimeSpan.zero
        while bench.now - start < .seconds(300) {
            let before = bench.now
            if isSent(&bench, "a/b/c") { away = away + (bench.now - before) } else { bench.advance(1) }
        }
        #expect(away <= .seconds(3))
    }

    @Test("Nor does a new topic for each such request: after eight, only the usual topics get answers")
    func changingTopics() {
        var bench = SessionBench.settled()
        let taken = (1...20).map { isSent(&bench, "replies/\($0)") }
        #expect(taken == (1...20).map { $0 <= 8 })
        #expect(sent(bench.session.answer(answer("root/response/a/b"), at: bench.now)).isEmpty)
        #expect(sent(bench.session.answer(answer("root/response/state"), at: bench.now)) == ["root/response/state 10"])
    }

    @Test("An answer that was accepted meanwhile clears its topic of the suspicion")
    func accepted() {
        var bench = SessionBench.settled()
        #expect(isSent(&bench, "a"))
        _ = bench.accept(bench.session.answer(answer("a"), at: bench.now))
        #expect((1...3).map { _ in isSent(&bench, "a") } == [true, true, false])
    }

    @Test("Answers go alone once one of several messages in flight ended a connection")
    func alone() {
        var bench = SessionBench.settled()
        _ = bench.register(bench.session.answer(answer("a"), at: bench.now))
        _ = bench.register(bench.session.answer(answer("b"), at: bench.now))
        _ = bench.hangUp(Self.failure)
        _ = bench.register(bench.session.answer(answer("a"), at: bench.now))
        #expect(sent(bench.session.answer(answer("b"), at: bench.now)).isEmpty)
        bench.advance(30)
        #expect(sent(bench.session.answer(answer("c"), at: bench.now)) == ["b 10"])
    }

    @Test("An answer that is too long for the broker is replaced by its short form")
    func short() {
        var bench = SessionBench.settled()
        let long = bench.session.answer(answer("a", 5_000, short: "short"), at: bench.now)
        guard case .publish(let ticket, _)? = long.first else {
            Issue.record("not sent")
            return
        }
        let next = bench.session.refusedLocally(ticket, .packetTooLarge, at: bench.now)
        #expect(sent(next) == ["a 5"])
        #expect(bench.session.counters.answersDropped == 0)
        #expect(sent(bench.answer(next, .packetTooLarge)) == [])
        #expect(bench.session.counters.answersDropped == 1)
        // Another refusal is not caused by the length.
        let other = bench.session.answer(answer("a", 5_000, short: "short"), at: bench.now)
        #expect(sent(bench.answer(other, .notAuthorized)) == [])
    }

    @Test("If the broker disconnects on it instead, the short form goes out on the next connection, and no long ones")
    func shortAfterHangUp() {
        var bench = SessionBench.settled()
        _ = bench.register(bench.session.answer(answer("a", 5_000, short: "short"), at: bench.now))
        let next = bench.hangUp(.closedByBroker)
        #expect(sent(next) == ["a 5"])
        _ = bench.accept(next.filter { !sent([$0]).isEmpty })
        #expect(sent(bench.session.answer(answer("b", 5_000, short: "short"), at: bench.now)) == ["b 5"])
        #expect(sent(bench.session.answer(answer("b", 4_999, short: "short"), at: bench.now)) == ["b 4999"])
    }

    @Test("If the broker disconnects on the short form too, the topic is at fault and not the length")
    func shortToo() {
        var bench = SessionBench.settled()
        _ = bench.register(bench.session.answer(answer("a", 5_000, short: "short"), at: bench.now))
        let next = bench.hangUp(Self.failure)
        #expect(sent(next) == ["a 5"])
        _ = bench.register(next.filter { !sent([$0]).isEmpty })
        _ = bench.hangUp(Self.failure)
        #expect(sent(bench.session.answer(answer("a"), at: bench.now)).isEmpty)
        #expect(sent(bench.session.answer(answer("b", 5_000, short: "short"), at: bench.now)) == ["b 5000"])
    }
}
