import Testing

@testable import Agent
@testable import Core

@Suite("Events in other formats: companions")
struct CompanionTests {
    private func event(_ sequence: UInt64, companions: Int) -> OutgoingMessage {
        var event = SessionBench.event(sequence)
        event.companions = (0..<companions).map { index in
            Message(topic: "others/\(sequence)/\(index)", payload: [1], .durable(nil))
        }
        return event
    }

    private func topics(_ actions: [DeliveryAction]) -> [String] {
        actions.compactMap { if case .publish(_, let message) = $0 { message.topic } else { nil } }
    }

    private func bench(_ events: [OutgoingMessage], maxInflight: Int = 4) -> (SessionBench, [DeliveryAction]) {
        var bench = SessionBench.settled(maxInflight: maxInflight)
        let actions = bench.supply(events)
        return (bench, actions)
    }

    @Test("Companions go out before their event, and count in the window")
    func order() {
        var (bench, actions) = bench([event(1, companions: 2), event(2, companions: 1)])
        #expect(topics(actions) == ["others/1/0", "others/1/1", "root/event", "others/2/0"])
        actions = bench.accept(actions)
        #expect(actions.acknowledged == [1])
        #expect(topics(actions) == ["root/event"])
    }

    @Test("On the next connection they go out again with an event that was not accepted, and not with an accepted one")
    func again() {
        var (bench, actions) = bench([event(1, companions: 1), event(2, companions: 1)])
        let mids = bench.register(actions)
        for mid in mids.prefix(3) { _ = bench.session.acknowledged(mid, .success, at: bench.now) }
        actions = bench.reconnect(after: .keepaliveExpired)
        #expect(topics(actions) == ["root/status", "others/2/0", "root/event"])
    }

    @Test("A refused companion is logged and delays nothing")
    func refused() {
        var (bench, actions) = bench([event(1, companions: 1), event(2, companions: 1)])
        let mids = bench.register(actions)
        let first = bench.session.acknowledged(mids[0], .notAuthorized, at: bench.now)
        #expect(first.notices == [.companionRefused(topic: "others/1/0", .notAuthorized)])
        let second = bench.session.acknowledged(mids[2], .notAuthorized, at: bench.now)
        #expect(second.notices == [.companionRefused(topic: "others/2/0", .notAuthorized)])
        actions = [mids[1], mids[3]].flatMap { bench.session.acknowledged($0, .success, at: bench.now) }
        #expect(actions.acknowledged == [1, 2])
        #expect(bench.session.counters.parked == 0)
    }

    @Test("If the broker disconnects on a companion five times, none goes out any more, and the events do")
    func hungUpOn() {
        var (bench, actions) = bench([event(1, companions: 1), event(2, companions: 1)], maxInflight: 1)
        for _ in 1...5 {
            #expect(topics(actions) == ["others/1/0"])
            _ = bench.register(actions)
            actions = bench.hangUp(.disconnected(.protocolError))
        }
        #expect(actions.notices.contains(.companionsBarred(topic: "others/1/0", .protocolError)))
        actions = actions.filter { if case .publish = $0 { true } else { false } }
        #expect(actions.published == ["#1"])
        #expect(bench.accept(actions).published == ["#2"])
    }

    @Test("After companions about the past, the present is sent once more, when no message waits any more")
    func present() {
        var bench = SessionBench.settled(maxInflight: 4)
        _ = bench.accept(bench.session.setRetained(SessionBench.retained("others/place", "here"), at: bench.now))
        let events = (1...2).map { sequence in
            var event = event(UInt64(sequence), companions: 1)
            event.present = "others/place"
            return event
        }
        var actions = bench.accept(bench.supply(events))
        #expect(actions.acknowledged == [1, 2])
        #expect(actions.published.isEmpty)
        actions = bench.session.supply([], at: bench.now)
        #expect(actions.published == ["others/place=here"])
    }

    @Test("A refused topic is logged once, however many others are accepted")
    func refusedOnce() {
        var (bench, actions) = bench([event(1, companions: 2)], maxInflight: 8)
        let mids = bench.register(actions)
        var notices: [DeliveryNotice] = []
        for (mid, reason) in zip(mids, [ReasonCode.notAuthorized, .success, .success]) {
            notices += bench.session.acknowledged(mid, reason, at: bench.now).notices
        }
        var again = event(2, companions: 1)
        again.companions = [Message(topic: "others/1/0", payload: [1], .durable(nil))]
        actions = bench.supply([again])
        for mid in bench.register(actions) {
            notices +=
                bench.session.acknowledged(mid, mid == bench.lastMid ? .success : .notAuthorized, at: bench.now)
                .notices
        }
        #expect(notices == [.companionRefused(topic: "others/1/0", .notAuthorized)])
    }
}
