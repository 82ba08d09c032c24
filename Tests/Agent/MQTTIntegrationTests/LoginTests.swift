import Foundation
import Loopback
import Testing

@testable import Agent
@testable import Core

@Suite("Login", .serialized, .enabled(if: Broker.isInstalled, "mosquitto and mosquitto_sub are not installed"))
struct LoginTests {
    /// A broker with the user `gateway` and the password `right`.
    func brokerWithPassword() async throws -> Broker {
        let broker = try Broker(
            "allow_anonymous false\npassword_file {folder}/users",
            files: ["users": "", "right": "right\n", "wrong": "wrong\n"])
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", broker.path("users"), "gateway", "right"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try await broker.start()
        return broker
    }

    @Test(
        "A wrong password is retried for ever, and logged once, with the remedy and without the password",
        arguments: [5, 3])
    func wrongPassword(version: Int) async throws {
        let broker = try await brokerWithPassword()
        let settings = BrokerSettings.test(port: broker.port) {
            $0.username = "gateway"
            $0.passwordFile = broker.path("password")
            $0.protocolVersion = version == 5 ? .v5 : .v3
        }
        try "wrong\n".write(toFile: broker.path("password"), atomically: true, encoding: .utf8)
        let agent = Agent(settings)
        try agent.run(until: "a refusal") { agent.publisher.counters.lastFailure == .refused(.notAuthorized) }
        try agent.run(until: "its line in the log") { !agent.log.lines.isEmpty }
        #expect(agent.log.count("Not authorized") == 1)
        #expect(agent.log.count("mqtt.username") == 1)
        #expect(agent.log.count("wrong") == 0)
        // Every attempt reads the file anew.
        try "right\n".write(toFile: broker.path("password"), atomically: true, encoding: .utf8)
        try agent.connect()
    }

    @Test("A password file that is missing stops the attempt, with a remedy")
    func missingPassword() async throws {
        let agent = Agent(
            .test(port: 1) {
                $0.username = "gateway"
                $0.passwordFile = "/nonexistent/password"
            })
        try agent.run(until: "the failure") { agent.publisher.counters.lastFailure != nil }
        try agent.run(until: "its line in the log") { agent.log.count("mqtt.password_file") == 1 }
    }

    @Test("When another client takes this identifier, the agent logs it and stays away")
    func takeOver() throws {
        let peer = try ScriptedPeer()
        let agent = Agent(.test(port: peer.port))
        // CONNACK, reason 0; then DISCONNECT, reason 0x8E: Session taken over.
        let script: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00, 0xE0, 0x02, 0x8E, 0x00]
        try agent.run(until: "the notice") {
            peer.answer(script)
            return agent.log.count("another agent uses this gateway's id") == 1
        }
        #expect(agent.publisher.counters.lastFailure == .disconnected(.sessionTakenOver))
        #expect(peer.connections == 1)
    }

    @Test("A broker takes the session over without a reason: the log line names the possibility")
    func silentTakeOver() async throws {
        let broker = try await Broker.running()
        let first = Agent(.test(port: broker.port))
        try first.connect()
        let second = Agent(.test(port: broker.port))
        try second.connect()
        try first.run(until: "the notice") {
            first.log.count("another agent may use this gateway.id") == 1
                || first.log.count("another agent uses this gateway's id") == 1
        }
    }

    @Test("The check distinguishes a good login from a bad one, a closed port and an unknown host")
    func check() async throws {
        let broker = try await brokerWithPassword()
        func outcome(_ change: (inout BrokerSettings) -> Void) -> BrokerCheck.Outcome {
            BrokerCheck.run(settings: .test(port: broker.port, change), clientID: "check")
        }
        let good = outcome {
            $0.username = "gateway"
            $0.passwordFile = broker.path("right")
        }
        #expect(good.remedy == nil)
        guard case .reachable = good else {
            Issue.record("the login was refused: \(good)")
            return
        }
        let bad = outcome {
            $0.username = "gateway"
            $0.passwordFile = broker.path("wrong")
        }
        #expect(bad == .failed(.refused(.notAuthorized)))
        #expect(bad.remedy?.contains("mqtt.username") == true)
        #expect(outcome { _ in } == .failed(.loginMissing(.username, .notAuthorized)))
        #expect(outcome { $0.username = "gateway" } == .failed(.loginMissing(.password, .notAuthorized)))
        let port = try freePort()
        let closed = outcome { $0.port = port }
        #expect(closed == .failed(.unreachable(host: "127.0.0.1", port: port, detail: "Connection refused")))
        guard case .failed(.hostNotFound(host: "broker.invalid", _)) = outcome({ $0.host = "broker.invalid" }) else {
            Issue.record("a name that can't exist was found")
            return
        }
    }

    @Test("The check publishes once where the agent would, and reports a refusal with its topic and remedy")
    func checkPublishes() async throws {
        let broker = try await Broker.running(
            "allow_anonymous true\nacl_file {folder}/acl", files: ["acl": "topic readwrite beacons/store/gw/#\n"])
        func outcome(_ topic: String) -> BrokerCheck.Outcome {
            let message = Message(topic: topic, payload: [], .retained)
            return BrokerCheck.run(settings: .test(port: broker.port), clientID: "check", publishing: message)
        }
        #expect(outcome("beacons/store/gw/region/none/state").remedy == nil)
        let refused = outcome("beacons/store/other/region/none/state")
        #expect(refused == .refused(topic: "beacons/store/other/region/none/state", .notAuthorized))
        #expect(refused.remedy?.contains("allow this user to write") == true)
    }

    @Test("An agent that had no connection reports that, and no will")
    func noGoodbye() throws {
        let agent = Agent(.test(port: try freePort()))
        try agent.run(until: "the failure") { agent.publisher.counters.lastFailure != nil }
        let offline = Message(topic: "a", payload: [], .retained)
        #expect(!agent.publisher.close(offline: offline, timeout: .seconds(1), outgoing: &agent.outgoing))
        #expect(agent.publisher.complaintOfClose == "no goodbye: there was no connection to the broker")
    }

    @Test("Requests over MQTT 3.1.1 are warned about: only MQTT 5 bounds what a broker passes on")
    func requestsOfAnySize() {
        func warnings(_ version: BrokerSettings.ProtocolVersion, _ filters: [String]) -> Int {
            let agent = Agent(.test(port: 1) { $0.protocolVersion = version }, requestFilters: filters)
            return agent.log.count("message_size_limit")
        }
        #expect(warnings(.v3, ["root/request/+"]) == 1)
        #expect(warnings(.v3, []) == 0)
        #expect(warnings(.v5, ["root/request/+"]) == 0)
    }

    @Test("A keepalive that the broker names is read from its CONNACK")
    func serverKeepalive() async throws {
        let broker = try await Broker.running("allow_anonymous true\nmax_keepalive 20")
        let outcome = BrokerCheck.run(settings: .test(port: broker.port), clientID: "check")
        guard case .reachable(let limits) = outcome else {
            Issue.record("the login was refused: \(outcome)")
            return
        }
        #expect(limits.keepalive_s == 20)
    }

    @Test("The check finds a broker whose packet limit is too small for events")
    func shortPackets() async throws {
        func remedy(_ longest_bytes: Int) async throws -> String? {
            let broker = try await Broker.running("allow_anonymous true\nmax_packet_size \(longest_bytes)")
            return BrokerCheck.run(settings: .test(port: broker.port), clientID: "check").remedy
        }
        #expect(try await remedy(4_095)?.contains("max_packet_size") == true)
        #expect(try await remedy(4_096) == nil)
    }

    @Test("A broker that accepts and says nothing is given up in time")
    func silence() async throws {
        let broker = try await Broker.running()
        broker.freeze()
        defer { broker.thaw() }
        let outcome = BrokerCheck.run(
            settings: .test(port: broker.port), clientID: "check", timeout: .milliseconds(500))
        #expect(outcome == .failed(.connectTimedOut(host: "127.0.0.1", port: broker.port)))
    }
}
