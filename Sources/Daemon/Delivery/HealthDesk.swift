import Configuration
import Gateway
import HCI
import MQTT
import Messages
import Outbox
import Radio

/// Puts the figures of `health` together.
struct HealthDesk {
    private let start: Instant
    private var figures: GatewayFigures?
    private var radio = RadioCounters()
    private var lastReports: UInt64 = 0
    private var lastReport: Instant

    init(_ settings: Settings, at now: Instant) {
        start = now
        lastReport = now
    }

    /// Whether the radio loop has told any.
    var hasFigures: Bool { figures != nil }

    /// The radio loop's latest.
    mutating func note(_ figures: GatewayFigures, _ radio: RadioCounters) {
        self.figures = figures
        self.radio = radio
    }

    /// Everything that was heard, for the last line of the log.
    var closingLine: String {
        "reports=\(figures?.reports ?? 0) ibeacons=\(figures?.beacons ?? 0) dropped=\(radio.dropped)"
    }

    mutating func report(
        _ outbox: OutboxHealth, _ delivery: DeliveryCounters, _ queue: (ranging: UInt64, transitions: UInt64),
        requestFlood: UInt64, process: HealthReport.Process?, at now: Instant
    ) -> HealthReport {
        let reports = figures?.reports ?? 0
        let elapsed_s = max(1, (now - lastReport).seconds)
        defer { (lastReports, lastReport) = (reports, now) }
        return HealthReport(
            reports: reports, reportsPerSecond: Double(reports - lastReports) / elapsed_s,
            rejects: figures?.rejects ?? RejectCounts(), suspectedSpoofing: figures?.suspectedSpoofing ?? [],
            suspectReadings: figures?.suspectReadings ?? [], tracks: figures?.listedTracks ?? 0,
            instances: figures?.instances ?? 0, queueDepth: Int(outbox.queuedEvents),
            drops: drops(outbox, delivery, queue, requestFlood),
            recoveries: RecoveryStep.allCases.map { ($0.rawValue, radio.recoveries[$0]) },
            uptime_s: (now - start).seconds, process: process, outbox: outbox.condition.map { "\($0)" } ?? "",
            broker: Self.broker(delivery))
    }

    /// How delivery goes, in the words of `health`.
    private static func broker(_ delivery: DeliveryCounters) -> HealthReport.Broker {
        HealthReport.Broker(
            isConnected: delivery.isConnected, reconnects: UInt64(delivery.reconnects),
            refused: delivery.refused.map { ($0.key.word, UInt64($0.value)) }.sorted { $0.0 < $1.0 },
            lastFailure: delivery.lastFailure.map { "\($0)" } ?? "")
    }

    private func drops(
        _ outbox: OutboxHealth, _ delivery: DeliveryCounters, _ queue: (ranging: UInt64, transitions: UInt64),
        _ requestFlood: UInt64
    ) -> [(cause: String, count: UInt64)] {
        var drops = HealthDrops.list(figures)
        drops.append(("radio_queue", radio.dropped))
        drops.append(("ranging_queue", queue.ranging))
        drops.append(("transition_queue", queue.transitions))
        drops.append(("ranging_offline", UInt64(delivery.ephemeralDroppedOffline)))
        drops.append(("ranging_backed_up", UInt64(delivery.ephemeralDroppedBackedUp)))
        drops.append(("request_flood", requestFlood + UInt64(delivery.incomingDropped)))
        drops.append(("answers", UInt64(delivery.answersDropped)))
        return drops + HealthDrops.list(outbox)
    }
}
