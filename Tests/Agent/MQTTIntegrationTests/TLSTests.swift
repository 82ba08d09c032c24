import Foundation
import Loopback
import Testing

@testable import Agent
@testable import Core

/// An authority made by openssl for one test, in the broker's folder.
private struct Authority {
    let broker: Broker

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }

    func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = broker.folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure(description: "openssl \(arguments)") }
    }

    func makeAuthority(_ name: String) throws {
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) "
                + "-keyout \(name).key -out \(name).pem")
    }

    func makeCertificate(
        _ name: String, commonName: String, alternative: String? = nil, isAuthority: Bool = false, by authority: String
    ) throws {
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=\(commonName) "
                + "-keyout \(name).key -out \(name).csr")
        let kind = isAuthority ? "basicConstraints=critical,CA:TRUE\n" : "basicConstraints=CA:FALSE\n"
        let text = alternative.map { "subjectAltName=\($0)\n" } ?? kind
        try text.write(toFile: broker.path("\(name).ext"), atomically: true, encoding: .utf8)
        try openssl(
            "x509 -req -in \(name).csr -CA \(authority).pem -CAkey \(authority).key -CAcreateserial -days 2 "
                + "-extfile \(name).ext -out \(name).pem")
    }
}

@Suite(
    "TLS", .serialized,
    .enabled(if: Broker.isInstalled && Authority.isInstalled, "mosquitto, mosquitto_sub or openssl is not installed"))
struct TLSTests {
    /// A broker whose certificate is for `alternative`; with `asksForCertificate`, it admits only clients with one.
    func broker(for alternative: String, asksForCertificate: Bool = false) async throws -> Broker {
        let broker = try Broker(
            """
            allow_anonymous true
            certfile {folder}/server.pem
            keyfile {folder}/server.key
            cafile {folder}/authority.pem
            require_certificate \(asksForCertificate)
            """)
        let authority = Authority(broker: broker)
        try authority.makeAuthority("authority")
        try authority.makeAuthority("other")
        try authority.makeCertificate("server", commonName: "server", alternative: alternative, by: "authority")
        try authority.makeCertificate("client", commonName: "client", by: "authority")
        try await broker.start()
        return broker
    }

    func settings(_ broker: Broker, _ change: (inout BrokerSettings) -> Void = { _ in }) -> BrokerSettings {
        .test(port: broker.port) {
            $0.usesTLS = true
            $0.caFile = broker.path("authority.pem")
            change(&$0)
        }
    }

    /// Runs until the first failure and returns it with its line in the log.
    func firstFailure(_ settings: BrokerSettings) throws -> (ConnectionFailure?, String) {
        let agent = Agent(settings)
        try agent.run(until: "the failure") { agent.publisher.counters.lastFailure != nil && !agent.log.lines.isEmpty }
        #expect(!agent.publisher.counters.isConnected)
        return (agent.publisher.counters.lastFailure, agent.log.lines.first ?? "")
    }

    @Test(
        "The right authority and the right name get through, and again after a restart",
        arguments: ["127.0.0.1", "localhost"])
    func right(host: String) async throws {
        let broker = try await broker(for: "IP:127.0.0.1,DNS:localhost")
        let agent = Agent(settings(broker) { $0.host = host })
        agent.addEvents(1...50)
        try agent.run(until: "the events") { agent.outgoing.acknowledged.count == 50 }
        broker.stop()
        try agent.run(until: "the loss") { !agent.publisher.counters.isConnected }
        try await broker.start()
        agent.addEvents(51...60)
        try agent.run(until: "the rest") { agent.outgoing.acknowledged.count == 60 }
    }

    @Test("A certificate for another name is refused, with a remedy")
    func wrongName() async throws {
        let broker = try await broker(for: "DNS:elsewhere.example")
        let (failure, line) = try firstFailure(settings(broker))
        #expect(failure == .certificateForAnotherHost(host: "127.0.0.1"))
        #expect(line.contains("mqtt.url"))
    }

    @Test("A certificate by another authority is refused, with a remedy")
    func untrusted() async throws {
        let broker = try await broker(for: "IP:127.0.0.1")
        let (failure, line) = try firstFailure(settings(broker) { $0.caFile = broker.path("other.pem") })
        #expect(failure == .certificateUntrusted(detail: "certificate verify failed"))
        #expect(line.contains("mqtt.ca_file"))
    }

    @Test("Below an intermediate authority, the root in ca_file and the chain in the broker's certfile are needed")
    func intermediate() async throws {
        let broker = try await broker(for: "IP:127.0.0.1")
        broker.stop()
        let authority = Authority(broker: broker)
        try authority.makeCertificate("between", commonName: "between", isAuthority: true, by: "authority")
        try authority.makeCertificate("server", commonName: "server", alternative: "IP:127.0.0.1", by: "between")
        let untrusted = BrokerCheck.Outcome.failed(.certificateUntrusted(detail: "certificate verify failed"))
        func outcome(_ file: String) -> BrokerCheck.Outcome {
            BrokerCheck.run(settings: settings(broker) { $0.caFile = broker.path(file) }, clientID: "check")
        }
        try await broker.start()
        #expect(outcome("authority.pem") == untrusted)
        broker.stop()
        let chain = try ["server.pem", "between.pem"].map {
            try String(contentsOfFile: broker.path($0), encoding: .utf8)
        }
        try chain.joined().write(toFile: broker.path("server.pem"), atomically: true, encoding: .utf8)
        try await broker.start()
        #expect(outcome("between.pem") == untrusted)
        #expect(outcome("authority.pem").remedy == nil)
    }

    @Test("Without ca_file the system's authorities count, and a private one is refused")
    func systemAuthorities() async throws {
        let broker = try await broker(for: "IP:127.0.0.1")
        let (failure, _) = try firstFailure(settings(broker) { $0.caFile = "" })
        #expect(failure == .certificateUntrusted(detail: "certificate verify failed"))
    }

    @Test("A certificate that changes to another name while we run is refused on reconnect")
    func changedName() async throws {
        let broker = try await broker(for: "IP:127.0.0.1")
        let agent = Agent(settings(broker))
        try agent.connect()
        broker.stop()
        let authority = Authority(broker: broker)
        try authority.makeCertificate("server", commonName: "x", alternative: "DNS:elsewhere.example", by: "authority")
        try await broker.start()
        try agent.run(until: "the refusal") {
            agent.publisher.counters.lastFailure == .certificateForAnotherHost(host: "127.0.0.1")
        }
        #expect(!agent.publisher.counters.isConnected)
    }

    @Test("A broker that asks for a certificate gets the agent's, and refuses the agent without one")
    func clientCertificate() async throws {
        let broker = try await broker(for: "IP:127.0.0.1", asksForCertificate: true)
        let agent = Agent(
            settings(broker) {
                $0.certificateFile = broker.path("client.pem")
                $0.keyFile = broker.path("client.key")
            })
        try agent.connect()
        let (failure, line) = try firstFailure(settings(broker))
        guard case .tls = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
        #expect(line.contains("client certificate"))
    }

    @Test("A CA file that is missing stops the attempt, with its key and path")
    func missingFile() async throws {
        let (failure, _) = try firstFailure(
            .test(port: 1) {
                $0.usesTLS = true
                $0.caFile = "/nonexistent/ca.pem"
            })
        let expected = ConnectionFailure.fileUnusable(
            key: "ca_file", path: "/nonexistent/ca.pem", detail: "No such file or directory")
        #expect(failure == expected)
    }

    @Test("Without a broker, TLS fails with the same message as plain MQTT")
    func noBroker() async throws {
        let broker = try await broker(for: "IP:127.0.0.1")
        let port = try freePort()
        let outcome = BrokerCheck.run(settings: settings(broker) { $0.port = port }, clientID: "check")
        #expect(outcome == .failed(.unreachable(host: "127.0.0.1", port: port, detail: "Connection refused")))
    }

    @Test("A key of another certificate is named in the message")
    func otherKey() async throws {
        let broker = try await broker(for: "IP:127.0.0.1", asksForCertificate: true)
        let outcome = BrokerCheck.run(
            settings: settings(broker) {
                $0.certificateFile = broker.path("client.pem")
                $0.keyFile = broker.path("server.key")
            }, clientID: "check")
        let path = broker.path("server.key")
        #expect(outcome == .failed(.fileUnusable(key: "key_file", path: path, detail: "key values mismatch")))
        #expect(outcome.remedy?.contains("mqtt.key_file is the key of another certificate") == true)
    }

    @Test("Waiting for a silent peer to finish the handshake costs no spinning")
    func noSpin() async throws {
        let broker = try await broker(for: "IP:127.0.0.1")
        broker.freeze()
        defer { broker.thaw() }
        let agent = Agent(settings(broker))
        // By then the agent has sent all that it has to send.
        for _ in 0..<30 { agent.publisher.run(for: .milliseconds(20), wake: -1, outgoing: &agent.outgoing) }
        let waited = ContinuousClock().measure {
            for _ in 0..<10 { agent.publisher.run(for: .milliseconds(50), wake: -1, outgoing: &agent.outgoing) }
        }
        // Each wait lasts until its time is up, and longer where the machine is busy.
        #expect(waited > .milliseconds(400))
        #expect(!agent.publisher.counters.isConnected)
    }

    @Test("TLS spoken to a plain port, and plain MQTT to a TLS port, end in a remedy that names the port")
    func mixedUp() async throws {
        let plain = try Broker()
        try await plain.start()
        let secure = try await broker(for: "IP:127.0.0.1")
        let outcomes = [
            BrokerCheck.run(settings: .test(port: plain.port) { $0.usesTLS = true }, clientID: "check"),
            BrokerCheck.run(settings: .test(port: secure.port), clientID: "check"),
        ]
        for outcome in outcomes {
            guard case .failed = outcome else {
                Issue.record("connected: \(outcome)")
                continue
            }
            #expect(outcome.remedy?.contains("port") == true)
        }
    }
}
