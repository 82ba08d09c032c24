import Foundation
import Logging
import Loopback
import Synchronization

@testable import Agent
@testable import Core

/// Events that wait in memory, with a record of their fate.
struct MemorySource: OutgoingSource {
    var waiting: [OutgoingMessage] = []
    var acknowledged: [UInt64] = []
    var parked: [UInt64] = []
    /// The last one that was supplied.
    private var supplied: UInt64 = 0

    mutating func next(limit: Int) -> [OutgoingMessage] {
        let page = Array(waiting.filter { $0.sequence > supplied }.prefix(limit))
        supplied = page.last?.sequence ?? supplied
        return page
    }

    mutating func nextOfFormerGateway(limit: Int) -> [OutgoingMessage] { [] }

    mutating func acknowledge(_ sequences: [UInt64]) {
        acknowledged += sequences
        waiting.removeAll { sequences.contains($0.sequence) }
    }

    mutating func park(_ sequence: UInt64) {
        parked.append(sequence)
        waiting.removeAll { $0.sequence == sequence }
    }

    mutating func giveUp(_ sequence: UInt64) {}
}

/// A publisher and its event source, driven by the test.
final class Agent {
    static let status = "beacons/store/gateway/status"
    static let event = "beacons/store/gateway/region/door/event"
    static let state = "beacons/store/gateway/region/door/state"

    let publisher: Publisher
    var outgoing = MemorySource()
    let log = LogLines()

    init(_ settings: BrokerSettings, clientID: String = "gateway", requestFilters: [String] = []) {
        var logger = Logger(label: "test") { [log] _ in log }
        logger.logLevel = .info
        publisher = Publisher(
            settings: settings, link: BrokerLink(settings: settings, clientID: clientID),
            online: retained(Self.status, "online"), will: retained(Self.status, "offline"),
            requestFilters: requestFilters, seed: 1, logger: logger)
    }

    func addEvents(_ sequences: ClosedRange<UInt64>) {
        for sequence in sequences {
            outgoing.waiting.append(
                OutgoingMessage(
                    sequence: sequence,
                    message: Message(topic: Self.event, payload: Array("\(sequence)".utf8), .durable(.events))))
        }
        publisher.outgoingAvailable()
    }

    /// Runs rounds until `condition` holds.
    func run(until what: String, _ condition: () -> Bool) throws {
        let clock = ContinuousClock()
        let deadline = clock.now + patience
        while !condition() {
            guard clock.now < deadline else {
                throw TestFailure(description: "waited in vain for \(what); log: \(log.lines)")
            }
            publisher.run(for: .milliseconds(20), wake: -1, outgoing: &outgoing)
        }
    }

    func connect() throws {
        try run(until: "a connection") { publisher.counters.isConnected }
    }
}

func retained(_ topic: String, _ text: String) -> Message {
    Message(topic: topic, payload: Array(text.utf8), .retained)
}

extension BrokerSettings {
    static func test(port: UInt16, _ change: (inout BrokerSettings) -> Void = { _ in }) -> BrokerSettings {
        var settings = BrokerSettings(
            host: "127.0.0.1", port: port, usesTLS: false, username: "", passwordFile: "",
            caFile: "", certificateFile: "", keyFile: "", keepalive_s: 30, maxInflight: 20, protocolVersion: .v5,
            undeliveredHold: .zero)
        change(&settings)
        return settings
    }
}

/// A log handler that keeps its lines.
final class LogLines: LogHandler, Sendable {
    private let storage = Mutex<[String]>([])

    var lines: [String] { storage.withLock { $0 } }

    func count(_ part: String) -> Int { lines.filter { $0.contains(part) }.count }

    func log(event: LogEvent) {
        storage.withLock { $0.append("\(event.level): \(event.message)") }
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .info }
        set {}
    }
}
