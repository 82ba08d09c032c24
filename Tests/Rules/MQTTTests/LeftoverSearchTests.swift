import Testing

@testable import Agent
@testable import Core

@Suite("Orphaned states at the broker are cleared once an epoch has begun")
struct LeftoverSearchTests {
    private var bench = SessionBench(maxInflight: 5)
    private static let filters = ["root/status", "root/region/#"]

    init() { bench.settle() }

    /// An epoch has begun, and the broker takes the subscriptions.
    private mutating func listen() {
        #expect(bench.session.searchLeftovers(at: bench.now) == [.subscribe(filters: Self.filters)])
        accept()
    }

    private mutating func accept() {
        for filter in Self.filters { _ = bench.session.subscribed(filter, [.success], at: bench.now) }
    }

    private mutating func hear(_ topic: String, _ text: String = "{}", isRetained: Bool = true) -> [DeliveryAction] {
        let message = IncomingMessage(topic: topic, payload: .bytes(Array(text.utf8)), isRetained: isRetained)
        return bench.session.heardOwnTopic(message, at: bench.now)
    }

    /// No more messages come; returns the actions once that is clear.
    private mutating func fallSilent() -> [DeliveryAction] {
        return bench.wake()
    }

    private func isSearched(_ actions: [DeliveryAction]) -> Bool {
        actions.contains { if case .searched = $0 { true } else { false } }
    }

    @Test("Without a new epoch the session does not subscribe")
    func notAsked() {
        #expect(bench.session.nextWake == .distantFuture)
    }

    @Test("The search begins when all own messages are at the broker, so that the own status is received")
    mutating func afterOwn() {
        let state = bench.session.setRetained(SessionBench.retained("root/region/a/state", "1"), at: bench.now)
        #expect(bench.session.searchLeftovers(at: bench.now).isEmpty)
        #expect(bench.accept(state).contains(.subscribe(filters: Self.filters)))
    }

    @Test("An unknown state is cleared, a known one stays")
    mutating func cleared() {
        let own = bench.session.setRetained(SessionBench.retained("root/region/a/state", "1"), at: bench.now)
        _ = bench.accept(own)
        listen()
        #expect(hear("root/region/a/state").isEmpty)
        #expect(hear("root/region/a/3/state").published == ["root/region/a/3/state="])
        #expect(hear("root/region/b/1/2/state").published == ["root/region/b/1/2/state="])
    }

    @Test("Only retained states below the gateway's regions are cleared")
    mutating func nothingElse() {
        listen()
        #expect(hear("root/status").isEmpty)
        #expect(hear("root/region/a/event").isEmpty)
        #expect(hear("root/region/a/state", isRetained: false).isEmpty)
        // The own clearing, as the broker sends it to its subscribers.
        #expect(hear("root/region/a/state", "").isEmpty)
        #expect(hear("rootless/region/a/state").isEmpty && hear("other/region/a/state").isEmpty)
    }

    @Test("Five seconds of silence end the search: it unsubscribes and is done")
    mutating func done() {
        listen()
        _ = hear("root/status")
        bench.advance(3)
        _ = hear("root/region/a/state")
        #expect(bench.session.nextWake == bench.now + .seconds(5))
        _ = fallSilent()
    }

    @Test("If states were found, the search is repeated once they are cleared, until none is found")
    mutating func again() {
        listen()
        _ = hear("root/status")
        let clearing = hear("root/region/a/state")
        let first = fallSilent()
        #expect(first.contains(.unsubscribe(filters: Self.filters)) && !isSearched(first))
        #expect(!first.contains(.subscribe(filters: Self.filters)))
        #expect(bench.accept(clearing).contains(.subscribe(filters: Self.filters)))
        accept()
        _ = hear("root/status")
        #expect(fallSilent() == [.unsubscribe(filters: Self.filters), .searched(cleared: 1)])
    }

    @Test("A state that returns after it was cleared is not cleared for ever")
    mutating func stubborn() {
        listen()
        let clearing = hear("root/region/a/state")
        _ = fallSilent()
        _ = bench.accept(clearing)
        accept()
        #expect(hear("root/region/a/state").isEmpty)
        #expect(isSearched(fallSilent()))
    }

    @Test("A topic that is never silent is listened to for a minute")
    mutating func busy() {
        listen()
        let begin = bench.now
        while bench.session.nextWake > bench.now + .seconds(1) {
            bench.advance(1)
            _ = hear("root/status")
        }
        #expect(isSearched(fallSilent()))
        #expect(bench.now - begin == .seconds(60))
    }

    @Test("A refused subscription is logged once, with the remedy, and the search is not done")
    mutating func refused() {
        _ = bench.session.searchLeftovers(at: bench.now)
        let actions = bench.session.subscribed("root/region/#", [.notAuthorized], at: bench.now)
        #expect(actions.notices == [.ownStatesUnreadable(filters: Self.filters, .notAuthorized)])
        #expect(actions.notices.first?.description.contains("allow this user to read root/status") == true)
        #expect(actions.contains(.unsubscribe(filters: Self.filters)))
        #expect(bench.session.nextWake == .distantFuture)
    }

    @Test("A broker that grants it but does not send the own status allows no reading: the log tells so")
    mutating func silent() {
        listen()
        let actions = fallSilent()
        #expect(actions.notices == [.ownStatesUnreadable(filters: Self.filters, nil)])
        #expect(!isSearched(actions))
    }

    @Test("A connection that ends meanwhile restarts the search on the next one, at most three times")
    mutating func connections() {
        listen()
        for attempt in 1...3 {
            let birth = bench.reconnect()
            _ = bench.session.supply([], at: bench.now)
            #expect(bench.accept(birth).contains(.subscribe(filters: Self.filters)) == (attempt < 3))
        }
    }

    @Test("Without retained messages at the broker there is no search")
    func withoutRetained() {
        var bench = SessionBench(maxInflight: 5)
        let birth = bench.connect(BrokerLimits(isRetainAvailable: false))
        _ = bench.session.searchLeftovers(at: bench.now)
        _ = bench.session.supply([], at: bench.now)
        #expect(!bench.accept(birth).contains(.subscribe(filters: Self.filters)))
    }
}
