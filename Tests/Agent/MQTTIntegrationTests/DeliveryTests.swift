import Foundation
import Testing

@testable import Agent
@testable import Core

@Suite("Delivery", .serialized, .enabled(if: Broker.isInstalled, "mosquitto and mosquitto_sub are not installed"))
struct DeliveryTests {
    @Test("MQTT 5 messages carry their content type and expiry")
    func properties() async throws {
        let broker = try await Broker.running()
        let subscriber = try await Subscriber(broker)
        let agent = Agent(.test(port: broker.port))
        try agent.connect()
        agent.publisher.publishEphemeral(
            Message(topic: "ranging", payload: Array("{}".utf8), .ephemeral, expiry_s: 30))
        try agent.run(until: "ranging") { subscriber.payloads("ranging") == ["{}"] }
        let ranging = try #require(subscriber.received.last)
        #expect(ranging.qos == 0)
        #expect(!ranging.isRetained)
        #expect(ranging.properties["content-type"] as? String == "application/json")
        #expect(ranging.properties["message-expiry-interval"] as? Int == 30)
        let status = try #require(subscriber.received.first)
        #expect(status.properties["content-type"] as? String == "application/json")
        #expect(status.properties["message-expiry-interval"] == nil)
    }

    @Test("Through a restart of the broker every event comes, in order, and none that was acknowledged comes again")
    func restart() async throws {
        let broker = try await Broker.running()
        var subscriber: Subscriber? = try await Subscriber(broker)
        let agent = Agent(.test(port: broker.port))
        agent.addEvents(1...50)
        try agent.run(until: "the first fifty") {
            agent.outgoing.acknowledged.count == 50 && subscriber?.payloads(Agent.event).count ?? 0 >= 50
        }
        #expect(subscriber?.payloads(Agent.event) == (1...50).map(String.init))
        subscriber = nil
        broker.stop()
        agent.addEvents(51...120)
        try agent.run(until: "the loss to be seen") { !agent.publisher.counters.isConnected }
        try await broker.start()
        let second = try await Subscriber(broker)
        try agent.run(until: "the rest") {
            agent.outgoing.acknowledged.count == 120 && second.payloads(Agent.event).count >= 70
        }
        #expect(second.payloads(Agent.event) == (51...120).map(String.init))
        #expect(second.payloads(Agent.status) == ["online"])
        #expect(agent.outgoing.acknowledged == Array(1...120))
        #expect(agent.publisher.counters.reconnects == 1)
        #expect(agent.publisher.isDrained)
    }

    @Test("A broker that freezes with a window under way gets that window again, and nothing is lost")
    func frozen() async throws {
        let broker = try await Broker.running()
        let agent = Agent(.test(port: broker.port) { $0.maxInflight = 5 })
        try agent.run(until: "birth") { agent.publisher.isDrained }
        broker.freeze()
        agent.addEvents(1...20)
        try agent.run(until: "a full window") { agent.publisher.counters.published == 1 + 5 }
        #expect(agent.outgoing.acknowledged.isEmpty)
        broker.stop()
        try await broker.start()
        let subscriber = try await Subscriber(broker)
        try agent.run(until: "all of them") {
            agent.outgoing.acknowledged.count == 20 && subscriber.payloads(Agent.event).count >= 20
        }
        #expect(subscriber.payloads(Agent.event) == (1...20).map(String.init))
    }

    @Test("The broker's receive maximum is honoured where it is below max_inflight")
    func receiveMaximum() async throws {
        let broker = try await Broker.running("allow_anonymous true\nmax_inflight_messages 3")
        let agent = Agent(.test(port: broker.port))
        try agent.run(until: "birth") { agent.publisher.isDrained }
        broker.freeze()
        defer { broker.thaw() }
        agent.addEvents(1...20)
        try agent.run(until: "a full window") { agent.publisher.counters.published == 1 + 3 }
        for _ in 0..<10 { agent.publisher.run(for: .milliseconds(5), wake: -1, outgoing: &agent.outgoing) }
        #expect(agent.publisher.counters.published == 1 + 3)
    }

    @Test("A state that changes often without a broker is published once, with its last content")
    func collapse() async throws {
        let broker = try Broker()
        let agent = Agent(.test(port: broker.port))
        for count in 1...100 { agent.publisher.setRetained(retained(Agent.state, "\(count)")) }
        try agent.run(until: "a failed attempt") { agent.publisher.counters.lastFailure != nil }
        #expect(agent.log.count("Connection refused") == 1)
        try await broker.start()
        let subscriber = try await Subscriber(broker)
        try agent.run(until: "the state") { subscriber.payloads(Agent.state) == ["100"] }
    }

    @Test("An event that an access list denies is kept, logged once, and delivered once it is allowed")
    func denied() async throws {
        let everything = "topic readwrite #\n"
        let broker = try await Broker.running(
            "allow_anonymous true\nacl_file {folder}/acl",
            files: ["acl": "topic read #\ntopic write subscriber/#\ntopic write \(Agent.status)\n"])
        let agent = Agent(.test(port: broker.port))
        agent.addEvents(1...3)
        try agent.run(until: "refusals") { agent.publisher.counters.refused[.notAuthorized, default: 0] >= 6 }
        #expect(agent.outgoing.acknowledged.isEmpty)
        #expect(agent.outgoing.parked.isEmpty)
        #expect(agent.log.count("Not authorized (0x87)") == 1)
        broker.stop()
        try everything.write(toFile: broker.path("acl"), atomically: true, encoding: .utf8)
        try await broker.start()
        let subscriber = try await Subscriber(broker)
        try agent.run(until: "the events") {
            agent.outgoing.acknowledged == [1, 2, 3] && subscriber.payloads(Agent.event).count >= 3
        }
        #expect(subscriber.payloads(Agent.event) == ["1", "2", "3"])
    }

    @Test("An event too large for the broker is set aside after five refusals, and its successor delivered")
    func poison() async throws {
        let broker = try await Broker.running("allow_anonymous true\nmessage_size_limit 1000")
        let agent = Agent(.test(port: broker.port) { $0.maxInflight = 1 })
        let large = OutgoingMessage(
            sequence: 1,
            message: Message(topic: Agent.event, payload: [UInt8](repeating: 0x20, count: 2_000), .durable(.events))
        )
        agent.outgoing.waiting = [large]
        agent.addEvents(2...2)
        try agent.run(until: "the successor") { agent.outgoing.acknowledged == [2] }
        #expect(agent.outgoing.parked == [1])
        #expect(agent.publisher.counters.parked == 1)
        #expect(agent.log.count("set aside") == 1)
    }

    @Test("Ranging is dropped and counted without a broker, and against one that reads nothing")
    func ephemeral() async throws {
        let broker = try await Broker.running()
        let agent = Agent(.test(port: broker.port))
        let ranging = Message(topic: "ranging", payload: [UInt8](repeating: 0x20, count: 60_000), .ephemeral)
        agent.publisher.publishEphemeral(ranging)
        #expect(agent.publisher.counters.ephemeralDroppedOffline == 1)
        try agent.run(until: "birth") { agent.publisher.isDrained }
        broker.freeze()
        defer { broker.thaw() }
        for _ in 0..<400 { agent.publisher.publishEphemeral(ranging) }
        #expect(agent.publisher.counters.ephemeralDroppedBackedUp > 0)
        #expect(agent.publisher.counters.isConnected)
    }

    @Test("Requests come with their response topic; a long one is marked as too long, and a huge one never arrives")
    func incoming() async throws {
        let broker = try await Broker.running()
        let agent = Agent(.test(port: broker.port), requestFilters: ["request/+"])
        try agent.connect()
        try agent.run(until: "birth") { agent.publisher.isDrained }
        for length in [70_000, 5_000] {
            let file = broker.path("payload")
            try String(repeating: "x", count: length).write(toFile: file, atomically: true, encoding: .utf8)
            try publish(broker, ["-t", "request/state", "-q", "1", "-f", file])
        }
        try publish(
            broker,
            ["-t", "request/range", "-m", "{}", "-D", "publish", "response-topic", "answer"]
                + ["-D", "publish", "correlation-data", "42"])
        var messages: [IncomingMessage] = []
        try agent.run(until: "the requests") {
            messages += agent.publisher.takeIncoming()
            return messages.count >= 2
        }
        #expect(messages.map(\.topic) == ["request/state", "request/range"])
        #expect(messages.first?.payload == .oversize(length: 5_000))
        #expect(messages.last?.payload == .bytes(Array("{}".utf8)))
        #expect(messages.last?.responseTopic == "answer")
        #expect(messages.last?.correlationData == Array("42".utf8))
        #expect(messages.last?.isRetained == false)
    }
}
