import Testing

@testable import Agent
@testable import Core

@Suite("Events: order, window, retry")
struct EventOrderTests {
    @Test("At most the window is in flight, and each PUBACK releases the next message, in order")
    func window() {
        var bench = SessionBench.settled(maxInflight: 2)
        #expect(bench.session.outgoingAvailable(at: bench.now) == [.fetch(limit: 4)])
        let sent = bench.session.supply((1...4).map(SessionBench.event), at: bench.now)
        #expect(sent.published == ["#1", "#2"])
        let mids = bench.register(sent)
        let next = bench.session.acknowledged(mids[0], .success, at: bench.now)
        #expect(next.acknowledged == [1])
        #expect(next.published == ["#3"])
    }

    @Test("The broker's receive maximum lowers the window")
    func receiveMaximum() {
        var bench = SessionBench(maxInflight: 20)
        let actions = bench.connect(BrokerLimits(receiveMaximum: 3))
        let supplied = bench.session.supply((1...10).map(SessionBench.event), at: bench.now)
        #expect(actions.published.count + supplied.published.count == 3)
    }

    @Test("The outbox is asked once at a time, and an empty one not again until it has news")
    func fetching() {
        var bench = SessionBench.settled(maxInflight: 1)
        #expect(bench.session.outgoingAvailable(at: bench.now) == [.fetch(limit: 2)])
        #expect(bench.session.outgoingAvailable(at: bench.now).isEmpty)
        let sent = bench.session.supply([SessionBench.event(5)], at: bench.now)
        let done = bench.accept(sent)
        #expect(done == [.acknowledge(sequence: 5), .fetch(limit: 2)])
        #expect(bench.session.supply([], at: bench.now).isEmpty)
        #expect(bench.session.tick(at: bench.now).isEmpty)
        #expect(bench.session.isDrained)
        #expect(bench.session.outgoingAvailable(at: bench.now) == [.fetch(limit: 2)])
    }

    @Test("No matching subscribers is a success, and such numbered messages are counted, and no others")
    func unmatched() {
        var bench = SessionBench.settled(maxInflight: 3)
        #expect(bench.answer(bench.supply(1...2), .noMatchingSubscribers).acknowledged == [1, 2])
        #expect(bench.session.counters.unmatched == 2 && bench.session.counters.refused.isEmpty)
    }

    @Test(
        "With undelivered_hold_s an event without a subscriber is sent again, before later ones, until its time ends"
    )
    func held() {
        var bench = SessionBench.settled(maxInflight: 1, undeliveredHold: .seconds(100))
        let sent = bench.supply(1...2)
        let held = bench.answer(sent, .noMatchingSubscribers)
        #expect(held.acknowledged == [] && held.published == [])
        let again = bench.pass(.seconds(61))
        #expect(again.published == ["#1"])
        #expect(bench.answer(again, .noMatchingSubscribers).acknowledged == [])
        let last = bench.pass(.seconds(61))
        #expect(last.published == ["#1"])
        let done = bench.answer(last, .noMatchingSubscribers)
        #expect(done.acknowledged == [1] && done.published == ["#2"])
    }

    @Test("A held event is delivered once a subscriber is there, and the next follows")
    func heldAndDelivered() {
        var bench = SessionBench.settled(maxInflight: 1, undeliveredHold: .seconds(1_000))
        _ = bench.answer(bench.supply(1...2), .noMatchingSubscribers)
        let again = bench.pass(.seconds(61))
        let done = bench.answer(again, .success)
        #expect(done.acknowledged == [1] && done.published == ["#2"])
    }

    @Test(
        "A refused event stays, is logged once, and goes out again after a pause, alone and before its successors",
        arguments: [ReasonCode.notAuthorized, .quotaExceeded, .unspecifiedError])
    func refused(reason: ReasonCode) {
        var bench = SessionBench.settled(maxInflight: 2)
        var sent = bench.supply(1...3)
        let refusal = bench.answer(sent, reason)
        #expect(refusal.acknowledged.isEmpty)
        #expect(refusal.published.isEmpty)
        #expect(refusal.notices == [.eventRefused(topic: "root/event", reason)])
        let pause = bench.session.nextWake - bench.now
        #expect(pause >= .seconds(0.5) && pause <= .seconds(1))
        for _ in 0..<20 {
            sent = bench.wake()
            #expect(sent.published == ["#1"])
            #expect(bench.answer(sent, reason).notices.isEmpty)
        }
        #expect(bench.session.nextWake - bench.now >= .seconds(30))
        var accepted = bench.accept(bench.wake())
        #expect(accepted.acknowledged == [1])
        #expect(accepted.published == ["#2"])
        accepted = bench.accept(accepted)
        #expect(accepted.acknowledged == [2])
        #expect(accepted.published == ["#3"])
        #expect(bench.session.counters.refused[reason] == 22)
    }

    @Test(
        "An event refused five times for itself is parked, and the next one goes; a message that others need not wait for is parked for any reason",
        arguments: [(NumberSeries.events, ReasonCode.payloadFormatInvalid), (.spans, .notAuthorized)])
    func parked(series: NumberSeries, reason: ReasonCode) {
        var bench = SessionBench.settled(maxInflight: 1)
        let first = OutgoingMessage(sequence: 1, message: Message(topic: "root/a", payload: [1], .durable(series)))
        var sent = bench.supply([first, SessionBench.event(2)])
        for _ in 1...4 {
            #expect(sent.published == ["#1"])
            _ = bench.answer(sent, reason)
            sent = bench.wake()
        }
        #expect(bench.answer(sent, reason).contains(.park(sequence: 1)))
        #expect(bench.session.counters.parked == 1)
        #expect(bench.wake().published == ["#2"])
    }

    @Test("A refused event does not go out again after the gap that gives it up")
    func givenUp() {
        var bench = SessionBench.settled(maxInflight: 3)
        let gap = OutgoingMessage(
            sequence: 2, message: Message(topic: "root/gap", payload: [2], .durable(nil)), givesUp: [1])
        let mids = bench.register(bench.supply([SessionBench.event(1), gap]))
        _ = bench.session.acknowledged(mids[1], .success, at: bench.now)
        _ = bench.session.acknowledged(mids[0], .unspecifiedError, at: bench.now)
        #expect(bench.session.supply([SessionBench.event(3)], at: bench.now).published == ["#3"])
    }

    @Test("An event whose connection broke before its answer does not go out again either: the gap replaces it")
    func givenUpOffline() {
        var bench = SessionBench.settled(maxInflight: 3)
        let gap = OutgoingMessage(
            sequence: 3, message: Message(topic: "root/event", payload: [3], .durable(nil)), givesUp: [1])
        _ = bench.register(bench.supply([SessionBench.event(1), SessionBench.event(2), gap]))
        #expect(bench.reconnect().published == ["root/status=online", "#3", "#2"])
    }

    @Test("Messages in flight when the connection broke go out again in order, without acknowledged ones")
    func reconnect() {
        var bench = SessionBench.settled(maxInflight: 3)
        let mids = bench.register(bench.supply(1...5))
        #expect(bench.session.acknowledged(mids[0], .success, at: bench.now).published == ["#4"])
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        #expect(bench.session.acknowledged(mids[1], .success, at: bench.now).isEmpty)
        _ = bench.wake()
        let sent = bench.session.connected(BrokerLimits(), at: bench.now)
        #expect(sent.published == ["root/status=online", "#2", "#3"])
        #expect(bench.accept(sent).published == ["#4", "#5"])
    }

    @Test(
        "If a broker disconnects on a message, they go one at a time until the culprit is found and parked")
    func culprit() {
        var bench = SessionBench.settled(maxInflight: 3)
        var sent = bench.supply(1...3)
        #expect(sent.published == ["#1", "#2", "#3"])
        var parked: [DeliveryAction] = []
        var rounds = 0
        // The broker of this test takes everything but event 2, on which it disconnects.
        while parked.isEmpty, rounds < 10 {
            rounds += 1
            parked = bench.session.connectionLost(.disconnected(.packetTooLarge), at: bench.now)
                .filter { if case .park = $0 { true } else { false } }
            _ = bench.wake()
            sent = bench.session.connected(BrokerLimits(), at: bench.now)
            while !sent.published.isEmpty, sent.published != ["#2"] {
                #expect(sent.published.count == 1)
                sent = bench.accept(sent)
            }
        }
        #expect(parked == [.park(sequence: 2)])
        #expect(rounds == 6)
        #expect(bench.session.messages.suspicion.suspects.isEmpty)
    }

    @Test("An unexpected packet identifier changes nothing")
    func unknownIdentifier() {
        var bench = SessionBench.settled()
        let before = bench.session.counters
        #expect(bench.session.acknowledged(999, .success, at: bench.now).isEmpty)
        #expect(bench.session.counters == before)
    }

    @Test("A source whose numbers go back gets no message sent twice")
    func disorder() {
        var bench = SessionBench.settled(maxInflight: 9)
        let sent = bench.supply([1, 2, 2, 1, 3].map(SessionBench.event))
        #expect(sent.published == ["#1", "#2", "#3"])
    }
}
