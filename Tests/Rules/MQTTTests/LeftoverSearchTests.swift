import Testing

@testable import Agent
@testable import Core

@Suite("States at the broker that nobody knows any more are cleared once an epoch has begun")
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

    /// Nothing more comes; what follows once that is plain.
    private mutating func fallSilent() -> [DeliveryAction] {
        bench.now = bench.session.nextWake
        return bench.session.tick(at: bench.now)
    }

    private func isSearched(_ actions: [DeliveryAction]) -> Bool {
        actions.contains { if case .searched = $0 { true } else { false } }
    }

    @Test("Without a new epoch nothing is subscribed to")
    func notAsked() {
        #expect(bench.session.nextWake == .distantFuture)
    }

    @Test("It begins when everything of our own is at the broker, so that our status is among what comes")
    mutating func afterOwn() {
        let state = bench.session.setRetained(SessionBench.retained("root/region/a/state", "1"), at: bench.now)
        #expect(bench.session.searchLeftovers(at: bench.now).isEmpty)
        #expect(bench.accept(state).contains(.subscribe(filters: Self.filters)))
    }

    @Test("A state that we do not know is cleared, one that we know stays")
    mutating func cleared() {
        let own = bench.session.setRetained(SessionBench.retained("root/region/a/state", "1"), at: bench.now)
        _ = bench.accept(own)
        listen()
        #expect(hear("root/region/a/state").isEmpty)
        #expect(hear("root/region/a/3/state").published == ["root/region/a/3/state="])
        #expect(hear("root/region/b/1/2/state").published == ["root/region/b/1/2/state="])
    }

    @Test("Only states are cleared, only below our regions, and only what is retained")
    mutating func nothingElse() {
        listen()
        #expect(hear("root/status").isEmpty)
        #expect(hear("root/region/a/event").isEmpty)
        #expect(hear("root/region/a/state", isRetained: false).isEmpty)
        // Our own clearing, as the broker hands it on to its subscribers.
        #expect(hear("root/region/a/state", "").isEmpty)
        #expect(hear("rootless/region/a/state").isEmpty && hear("other/region/a/state").isEmpty)
    }

    @Test("Five seconds without anything end it: it is unsubscribed, and done")
    mutating func done() {
        listen()
        _ = hear("root/status")
        bench.advance(3)
        _ = hear("root/region/a/state")
        #expect(bench.session.nextWake == bench.now + .seconds(5))
        _ = fallSilent()
    }

    @Test("Where something was found it looks again once that is cleared, until nothing is")
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

    @Test("A state that is there again after it was cleared is not cleared for ever")
    mutating func stubborn() {
        listen()
        let clearing = hear("root/region/a/state")
        _ = fallSilent()
        _ = bench.accept(clearing)
        accept()
        #expect(hear("root/region/a/state").isEmpty)
        #expect(isSearched(fallSilent()))
    }

    @Test("What never falls silent is listened to for a minute")
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

    @Test("A subscription that is refused is said once, with the remedy, and it is not done")
    mutating func refused() {
        _ = bench.session.searchLeftovers(at: bench.now)
        let actions = bench.session.subscribed("root/region/#", [.notAuthorized], at: bench.now)
        #expect(actions.notices == [.ownStatesUnreadable(filters: Self.filters, .notAuthorized)])
        #expect(actions.notices.first?.description.contains("allow this user to read root/status") == true)
        #expect(actions.contains(.unsubscribe(filters: Self.filters)))
        #expect(bench.session.nextWake == .distantFuture)
    }

    @Test("A broker that grants it and sends not even our own status lets us read nothing: that is said")
    mutating func silent() {
        listen()
        let actions = fallSilent()
        #expect(actions.notices == [.ownStatesUnreadable(filters: Self.filters, nil)])
        #expect(!isSearched(actions))
    }

    @Test("A connection that ends meanwhile begins it anew on the next one, three times at most")
    mutating func connections() {
        listen()
        for attempt in 1...3 {
            _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
            bench.now = bench.session.nextWake
            _ = bench.session.tick(at: bench.now)
            let birth = bench.session.connected(BrokerLimits(), at: bench.now)
            _ = bench.session.supply([], at: bench.now)
            #expect(bench.accept(birth).contains(.subscribe(filters: Self.filters)) == (attempt < 3))
        }
    }

    @Test("Where the broker keeps no retained messages there is nothing to look for")
    func withoutRetained() {
        var bench = SessionBench(maxInflight: 5)
        let birth = bench.connect(BrokerLimits(isRetainAvailable: false))
        _ = bench.session.searchLeftovers(at: bench.now)
        _ = bench.session.supply([], at: bench.now)
        #expect(!bench.accept(birth).contains(.subscribe(filters: Self.filters)))
    }
}
