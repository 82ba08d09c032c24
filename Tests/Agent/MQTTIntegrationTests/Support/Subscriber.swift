import Foundation
import Loopback

/// A real mosquitto_sub, which prints what it received with every MQTT 5 property, as JSON lines.
final class Subscriber {
    struct Received {
        var topic: String
        var payload: String
        var qos: Int
        var isRetained: Bool
        var properties: [String: Any]
    }

    static let executable: String? = ["/usr/bin/mosquitto_sub", "/usr/local/bin/mosquitto_sub"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let process = Process()
    private let output: URL

    /// Live messages carry the retain flag as it was published ("retain as published").
    init(_ broker: Broker, _ filter: String = "#", arguments: [String] = []) async throws {
        output = broker.folder.appending(path: "sub-\(UUID().uuidString).jsonl")
        try Data().write(to: output)
        process.executableURL = URL(filePath: Self.executable ?? "/usr/bin/mosquitto_sub")
        process.arguments =
            [
                "-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "5", "-q", "1", "-t", filter, "-t", Self.ready, "-F",
                "%j",
                "--retain-as-published",
            ] + arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Once it receives a message, it has subscribed. The message is not retained: not every broker retains.
        try await wait("mosquitto_sub to subscribe") {
            try publish(broker, ["-t", Self.ready, "-m", "ready", "-q", "1"] + arguments)
            return !all.isEmpty
        }
    }

    deinit {
        process.killAndWait()
    }

    var received: [Received] { all.filter { $0.topic != Self.ready } }

    private static let ready = "subscriber/ready"

    private var all: [Received] {
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        let complete = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return complete.filter { $0.hasPrefix("{") }.compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let topic = object["topic"] as? String, let payload = object["payload"] as? String
            else { return nil }
            return Received(
                topic: topic, payload: payload, qos: object["qos"] as? Int ?? -1,
                isRetained: object["retain"] as? Int == 1, properties: object["properties"] as? [String: Any] ?? [:])
        }
    }

    func payloads(_ topic: String) -> [String] { received.filter { $0.topic == topic }.map(\.payload) }
}

/// Publishes once with mosquitto_pub and waits for its end.
func publish(_ broker: Broker, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/mosquitto_pub")
    process.arguments = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "5"] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
}
