import Testing

@testable import Agent
@testable import Core

@Suite("Unsent messages of a previous gateway delay none of the new one's")
struct FormerGatewayTests {
    private var bench = SessionBench.settled(maxInflight: 5)

    private func event(_ sequence: UInt64) -> OutgoingMessage {
        OutgoingMessage(
            sequence: sequence,
            message: Message(topic: "former/event", payload: [UInt8(truncatingIfNeeded: sequence)], .durable(.events)))
    }

    private let clearing = Message(topic: "former/a", payload: [], .retained)

    /// The source is asked, and has these events of the previous gateway.
    private mutating func leave(_ sequences: ClosedRange<UInt64>) -> [DeliveryAction] {
        _ = bench.session.formerEventsAvailable(at: bench.now)
        return bench.session.supplyFormer(sequences.map(event), at: bench.now)
    }

    /// Lets time pass until a message is sent, and has the broker refuse all; returns the effects.
    private mutating func refuseNext(_ reason: ReasonCode = .notAuthorized) -> [DeliveryAction] {
        bench.answer(bench.wake(), reason)
    }

    private func givenUp(_ actions: [DeliveryAction]) -> [UInt64] {
        actions.compactMap { if case .giveUp(let sequence) = $0 { sequence } else { nil } }
    }

    @Test("The source is asked for the previous gateway's events only where it says that it has some")
    func asked() {
        var bench = SessionBench(maxInflight: 5)
        #expect(!bench.connect().contains { $0.isFetchOfFormer })
        #expect(!bench.session.outgoingAvailable(at: bench.now).contains { $0.isFetchOfFormer })
        #expect(bench.session.formerEventsAvailable(at: bench.now).contains { $0.isFetchOfFormer })
    }

    @Test("The previous gateway's events go one at a time and in order, and leave the outbox when acknowledged")
    mutating func oneAtATime() {
        var actions = leave(1...3)
        var sent: [[String]] = []
        while !actions.published.isEmpty {
            sent.append(actions.published)
            actions = bench.accept(actions)
            #expect(actions.acknowledged.count == 1)
        }
        #expect(sent == [["#1"], ["#2"], ["#3"]])
    }

    @Test("The new gateway's events go first, and beside one of the previous gateway's in flight")
    mutating func ownFirst() {
        let own = bench.supply(1...2)
        #expect(own.published == ["#1", "#2"])
        #expect(leave(3...4).published.isEmpty)
        let next = bench.accept(own)
        #expect(next.published == ["#3"])
        #expect(bench.supply(5...5).published == ["#5"])
    }

    @Test("A refused event of the previous gateway is retried after growing pauses, while the new ones go on")
    mutating func refused() {
        let refused = bench.answer(leave(1...2), .notAuthorized)
        #expect(refused.published.isEmpty && givenUp(refused).isEmpty)
        let own = bench.supply(3...3)
        #expect(own.published == ["#3"])
        #expect(bench.accept(own).acknowledged == [3])
        let again = bench.wake()
        #expect(again.published == ["#1"])
        #expect(bench.accept(again).published == ["#2"])
    }

    @Test("After five refusals it is given up, and later ones after one refusal, without a pause")
    mutating func givenUp() {
        var followed = bench.answer(leave(1...4), .notAuthorized)
        for _ in 0..<4 {
            #expect(givenUp(followed).isEmpty)
            followed = refuseNext()
        }
        #expect(givenUp(followed) == [1] && followed.published == ["#2"])
        followed = bench.answer(followed, .notAuthorized)
        #expect(givenUp(followed) == [2] && followed.published == ["#3"])
        followed = bench.answer(followed, .notAuthorized)
        #expect(givenUp(followed) == [3])
        // The rights are back.
        #expect(bench.accept(followed).acknowledged == [4])
        #expect(givenUp(bench.answer(leave(5...5), .notAuthorized)).isEmpty)
    }

    @Test("Its refusal is logged once, with the topic and the remedy, apart from the new gateway's")
    mutating func said() throws {
        var followed = bench.answer(leave(1...3), .notAuthorized)
        var notices = followed.notices
        for _ in 0..<4 {
            followed = refuseNext()
            notices += followed.notices
        }
        notices += bench.answer(followed, .notAuthorized).notices
        #expect(notices == [.formerRefused(topic: "former/event", .notAuthorized)])
        #expect(notices.first?.description.contains("allow this user to write below") == true)
        // A refusal of a new event is still logged.
        let own = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        #expect(bench.answer(own, .notAuthorized).notices == [.retainedRefused(topic: "root/a", .notAuthorized)])
    }

    @Test("A topic of the previous gateway that may not be cleared is left alone after five refusals, and not reported")
    mutating func topicLeftAlone() {
        var followed = bench.answer(bench.session.setRetained(clearing, at: bench.now), .notAuthorized)
        for _ in 0..<4 { followed += refuseNext() }
        #expect(!followed.contains { if case .cleared = $0 { true } else { false } })
        #expect(bench.session.isDrained)
        #expect(bench.reconnect().published == ["root/status=online"])
    }

    @Test("A state of the new gateway that may not be written is retried for ever")
    mutating func ownTopic() {
        let own = bench.session.setRetained(SessionBench.retained("root/a", "1"), at: bench.now)
        _ = bench.answer(own, .notAuthorized)
        for _ in 0..<20 { _ = refuseNext() }
        #expect(!bench.session.isDrained)
    }

    @Test("An event in flight when the connection ended goes out again on the next one")
    mutating func again() {
        #expect(leave(1...1).published == ["#1"])
        let sent = bench.reconnect()
        _ = bench.session.supply([], at: bench.now)
        #expect(bench.accept(sent).published == ["#1"])
    }
}

extension DeliveryAction {
    fileprivate var isFetchOfFormer: Bool { if case .fetchOfFormerGateway = self { true } else { false } }
}
