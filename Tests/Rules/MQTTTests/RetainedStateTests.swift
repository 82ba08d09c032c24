import Testing

@testable import Agent
@testable import Core

@Suite("Retained states, goodbye and ranging")
struct RetainedStateTests {
    func state(_ name: String, _ text: String) -> Message { SessionBench.retained("root/\(name)", text) }

    @Test("A connection begins with the status, then every present state, then the events")
    func order() {
        var bench = SessionBench(maxInflight: 10)
        _ = bench.session.setRetained(state("b", "1"), at: bench.now)
        _ = bench.session.setRetained(state("a", "1"), at: bench.now)
        _ = bench.session.setRetained(state("b", "2"), at: bench.now)
        _ = bench.session.setRetained(SessionBench.retained(SessionBench.status, "online, radio off"), at: bench.now)
        #expect(bench.connect().published == ["root/status=online, radio off", "root/b=2", "root/a=1"])
        #expect(bench.session.supply([SessionBench.event(1)], at: bench.now).published == ["#1"])
    }

    @Test("A state that changes in flight is sent once more, with its new value")
    func collapse() {
        var bench = SessionBench.settled(maxInflight: 5)
        let sent = bench.session.setRetained(state("a", "1"), at: bench.now)
        #expect(sent.published == ["root/a=1"])
        #expect(bench.session.setRetained(state("a", "2"), at: bench.now).published.isEmpty)
        #expect(bench.session.setRetained(state("a", "3"), at: bench.now).published.isEmpty)
        let next = bench.accept(sent)
        #expect(next.published == ["root/a=3"])
        #expect(bench.accept(next).published.isEmpty)
        #expect(bench.session.isDrained)
    }

    @Test("Every state goes out again on a new connection, even if it had been acknowledged")
    func again() {
        var bench = SessionBench.settled(maxInflight: 5)
        _ = bench.accept(bench.session.setRetained(state("a", "1"), at: bench.now))
        #expect(bench.reconnect().published == ["root/status=online", "root/a=1"])
    }

    @Test("A refused state delays no other state and no event, and is retried")
    func refused() {
        var bench = SessionBench.settled(maxInflight: 1)
        let sent = bench.session.setRetained(state("a", "1"), at: bench.now)
        _ = bench.session.setRetained(state("b", "1"), at: bench.now)
        let next = bench.answer(sent, .notAuthorized)
        #expect(next.notices == [.retainedRefused(topic: "root/a", .notAuthorized)])
        #expect(next.published == ["root/b=1"])
        _ = bench.accept(next)
        #expect(bench.wake().published == ["root/a=1"])
    }

    @Test("A state refused five times for itself is left out until it changes, on new connections too")
    func givenUp() {
        var bench = SessionBench.settled(maxInflight: 1)
        var sent = bench.session.setRetained(state("a", "bad"), at: bench.now)
        for _ in 1...5 {
            #expect(sent.published == ["root/a=bad"])
            sent = bench.answer(sent, .payloadFormatInvalid)
            if bench.session.nextWake < .distantFuture { sent = bench.wake() }
        }
        #expect(sent.notices == [.retainedGivenUp(topic: "root/a", .payloadFormatInvalid)])
        #expect(bench.accept(bench.reconnect()).published.isEmpty)
        #expect(bench.session.setRetained(state("a", "good"), at: bench.now).published == ["root/a=good"])
    }

    @Test("Beyond the limit a new topic is refused, counted and logged once, and existing ones stay")
    func limit() {
        var bench = SessionBench(maxRetainedTopics: 2)
        _ = bench.session.setRetained(state("a", "1"), at: bench.now)
        #expect(bench.session.setRetained(state("b", "1"), at: bench.now).notices == [.tooManyRetainedTopics(limit: 2)])
        #expect(bench.session.setRetained(state("c", "1"), at: bench.now).isEmpty)
        #expect(bench.session.counters.retainedTopicsRefused == 2)
        #expect(bench.connect().published == ["root/status=online", "root/a=1"])
    }

    @Test("All configurable instances have their state, beside as many that are to be cleared")
    func room() {
        let parameters = DeliverySession.Parameters(host: "broker", port: 1883, maxInflight: 20)
        var session = DeliverySession(
            online: SessionBench.retained(SessionBench.status, "online"), parameters: parameters, seed: 7)
        // The most that `[regions] max_instances` can be, and `health`.
        for number in 0..<(2 * 262_144 + 1) { _ = session.setRetained(state("\(number)", "1"), at: .origin) }
        #expect(session.counters.retainedTopicsRefused == 0)
        _ = session.setRetained(state("one more", "1"), at: .origin)
        #expect(session.counters.retainedTopicsRefused == 1)
    }

    @Test("Goodbye sends the offline status before all waiting messages, and disconnects on its PUBACK")
    func goodbye() {
        var bench = SessionBench.settled(maxInflight: 1)
        let sent = bench.session.setRetained(state("a", "1"), at: bench.now)
        _ = bench.session.setRetained(state("b", "1"), at: bench.now)
        let offline = SessionBench.retained(SessionBench.status, "offline")
        #expect(bench.session.close(offline: offline, until: bench.now + .seconds(5), at: bench.now).isEmpty)
        let last = bench.accept(sent)
        #expect(last.published == ["root/status=offline"])
        #expect(bench.accept(last) == [.disconnect])
        #expect(bench.session.isClosed)
    }

    @Test("A goodbye without an acknowledgement in time closes without DISCONNECT, so that the will is published")
    func goodbyeTooLate() {
        var bench = SessionBench.settled()
        let offline = SessionBench.retained(SessionBench.status, "offline")
        _ = bench.register(bench.session.close(offline: offline, until: bench.now + .seconds(5), at: bench.now))
        bench.advance(5)
        #expect(bench.session.tick(at: bench.now) == [.drop])
        #expect(bench.session.isClosed)
    }

    @Test("Ranging is never kept: without a connection or with a full socket it is dropped and counted")
    func ephemeral() {
        var bench = SessionBench()
        let offline = bench.session.admitsEphemeral(isBackedUp: false)
        bench.settle()
        let backedUp = bench.session.admitsEphemeral(isBackedUp: true)
        let free = bench.session.admitsEphemeral(isBackedUp: false)
        #expect([offline, backedUp, free] == [false, false, true])
        #expect(bench.session.counters.ephemeralDroppedOffline == 1)
        #expect(bench.session.counters.ephemeralDroppedBackedUp == 1)
        #expect(bench.session.counters.ephemeralPublished == 1)
    }
}
