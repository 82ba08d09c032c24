import Loopback
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Birth and will", .serialized, .enabled(if: Broker.isInstalled, "mosquitto and mosquitto_sub are not installed"))
struct BirthAndWillTests {
    @Test("The first message of a connection is the retained status online, QoS 1")
    func birth() async throws {
        let broker = try await Broker.running()
        let subscriber = try await Subscriber(broker)
        let agent = Agent(.test(port: broker.port))
        agent.publisher.setRetained(retained(Agent.state, "inside"))
        agent.addEvents(1...1)
        try agent.run(until: "everything delivered") { subscriber.received.count == 3 }
        #expect(subscriber.received.map(\.topic) == [Agent.status, Agent.state, Agent.event])
        #expect(subscriber.received.map(\.payload) == ["online", "inside", "1"])
        #expect(subscriber.received.map(\.qos) == [1, 1, 1])
        #expect(subscriber.received.map(\.isRetained) == [true, true, false])
    }

    @Test("A connection that breaks without goodbye leaves the retained status offline behind", arguments: [5, 3])
    func will(version: Int) async throws {
        let broker = try await Broker.running()
        let subscriber = try await Subscriber(broker)
        var agent: Agent? = Agent(.test(port: broker.port) { $0.protocolVersion = version == 5 ? .v5 : .v3 })
        try agent?.run(until: "birth") { subscriber.payloads(Agent.status) == ["online"] }
        // Like a killed process: the socket closes without a DISCONNECT.
        agent = nil
        try await wait("the will") { subscriber.payloads(Agent.status) == ["online", "offline"] }
        #expect(subscriber.received.last?.isRetained == true)
        #expect(subscriber.received.last?.qos == 1)
    }

    @Test("A broker without retained messages still gets events, states and the will, none of them retained")
    func withoutRetained() async throws {
        let broker = try await Broker.running("allow_anonymous true\nretain_available false")
        let subscriber = try await Subscriber(broker)
        var agent: Agent? = Agent(.test(port: broker.port))
        agent?.publisher.setRetained(retained(Agent.state, "inside"))
        agent?.addEvents(1...3)
        try agent?.run(until: "everything delivered") { subscriber.received.count == 5 }
        #expect(agent?.log.count("keeps no retained messages") == 1)
        #expect(agent?.log.lines.count == 1)
        agent = nil
        try await wait("the will") { subscriber.payloads(Agent.status) == ["online", "offline"] }
        #expect(subscriber.payloads(Agent.event) == ["1", "2", "3"])
        #expect(subscriber.received.holdForAll { !$0.isRetained })
    }

    @Test("A polite end publishes the offline status itself, after which no will follows")
    func close() async throws {
        let broker = try await Broker.running()
        let subscriber = try await Subscriber(broker)
        let agent = Agent(.test(port: broker.port))
        try agent.connect()
        let isDone = agent.publisher.close(
            offline: retained(Agent.status, "goodbye"), timeout: .seconds(5), outgoing: &agent.outgoing)
        #expect(isDone)
        try publish(broker, ["-t", "end", "-m", "end"])
        try await wait("what came after") { subscriber.payloads("end") == ["end"] }
        #expect(subscriber.payloads(Agent.status) == ["online", "goodbye"])
    }

    @Test("Closing with a frozen broker still ends, and reports the failure")
    func closeFrozen() async throws {
        let broker = try await Broker.running()
        let agent = Agent(.test(port: broker.port))
        try agent.connect()
        try agent.run(until: "birth") { agent.publisher.isDrained }
        broker.freeze()
        defer { broker.thaw() }
        let isDone = agent.publisher.close(
            offline: retained(Agent.status, "goodbye"), timeout: .milliseconds(300), outgoing: &agent.outgoing)
        #expect(!isDone)
    }
}
