import Core

/// Composes the figures of `health`, for a live agent and for a replay.
package struct HealthReporter {
    /// The time from one `health` to the next.
    package static let interval = TimeSpan.seconds(60)

    /// Figures that only a live agent has, beside those of engine and outbox.
    struct Live {
        var delivery: DeliveryCounters
        var process: HealthReport.Process?
        var certificate: HealthReport.OwnCertificate?
    }

    private let start: Instant
    private var lastReports: UInt64 = 0
    private var lastReport: Instant

    package init(at now: Instant) {
        start = now
        lastReport = now
    }

    /// Excludes the time until then from rates: no report could come in it.
    mutating func skip(to instant: Instant) { lastReport = max(lastReport, instant) }

    /// A summary of all reports, for the last line of the log.
    static func closingLine(_ figures: EngineFigures?) -> String {
        "reports=\(figures?.engine.reports ?? 0) ibeacons=\(figures?.engine.beacons ?? 0) "
            + "dropped=\(figures?.radio.dropped ?? 0)"
    }

    /// - Parameters:
    ///   - latest: the engine's figures; `nil` where there are none yet.
    ///   - outbox: the outbox's figures; `nil` to leave them out.
    ///   - live: `nil` for a replay.
    mutating func report(
        _ latest: EngineFigures?, _ outbox: OutboxHealth?, _ live: Live?, at now: Instant
    ) -> HealthReport {
        let figures = latest?.engine ?? GatewayFigures()
        let elapsed_s = max(1, (now - lastReport).seconds)
        defer { (lastReports, lastReport) = (figures.reports, now) }
        var report = HealthReport()
        report.engine = figures
        report.reportsPerSecond = Double(figures.reports - min(lastReports, figures.reports)) / elapsed_s
        report.queueDepth = Int(outbox?.queuedEvents ?? 0)
        report.drops =
            Self.drops(figures) + (live.map { Self.drops($0, latest) } ?? []) + (outbox.map(Self.drops) ?? [])
        report.uptime_s = (now - start).seconds
        report.outbox = outbox?.condition.map { "\($0)" } ?? ""
        guard let live else { return report }
        let recoveries = latest?.radio.recoveries
        report.recoveries = RecoveryStep.allCases.map { NamedCount($0.rawValue, recoveries?[$0] ?? 0) }
        report.radio = latest?.radio.receiver.map {
            HealthReport.Radio(batch_s: $0.period?.seconds, malformed: $0.malformed)
        }
        report.process = live.process
        report.broker = Self.broker(live.delivery)
        report.certificate = live.certificate
        return report
    }

    /// The state of delivery, in the words of `health`.
    private static func broker(_ delivery: DeliveryCounters) -> HealthReport.Broker {
        HealthReport.Broker(
            isConnected: delivery.isConnected, reconnects: UInt64(delivery.reconnects),
            refused: delivery.refused.map { NamedCount($0.key.word, UInt64($0.value)) }.sorted { $0.name < $1.name },
            noSubscribers: UInt64(delivery.unmatched), lastFailure: delivery.lastFailure.map { "\($0)" } ?? "")
    }

    // MARK: Losses, by cause

    private static func drops(_ figures: GatewayFigures) -> [NamedCount] {
        [
            NamedCount("max_transmitters", figures.refusedTransmitters),
            NamedCount("max_instances", figures.refusedEntries.maxInstances),
            NamedCount("max_newcomers_per_minute", figures.refusedEntries.maxNewcomersPerMinute),
        ] + (figures.store == nil ? [] : [NamedCount("max_gateways", figures.refusedGateways)])
    }

    private static func drops(_ live: Live, _ figures: EngineFigures?) -> [NamedCount] {
        [
            NamedCount("radio_queue", figures?.radio.dropped ?? 0),
            NamedCount("ranging_queue", figures?.queue.ranging ?? 0),
            NamedCount("transition_queue", figures?.queue.transitions ?? 0),
            NamedCount("ranging_offline", UInt64(live.delivery.ephemeralDroppedOffline)),
            NamedCount("ranging_backed_up", UInt64(live.delivery.ephemeralDroppedBackedUp)),
            NamedCount("request_flood", (figures?.requestFlood ?? 0) + UInt64(live.delivery.incomingDropped)),
            NamedCount("answers", UInt64(live.delivery.answersDropped)),
        ]
    }

    private static func drops(_ outbox: OutboxHealth) -> [NamedCount] {
        OutboxGap.Cause.allCases.map {
            NamedCount("outbox_\($0.rawValue)", UInt64(clamping: outbox.droppedEvents[$0] ?? 0))
        }
    }
}

/// The line that `systemctl status` shows.
struct StatusLine {
    private var logged = LogOnce<String>(limit: 1)

    /// The line, where it has changed.
    ///
    /// - Parameter radio: the word of `status`.
    mutating func line(radio: String, _ delivery: DeliveryCounters, _ outbox: OutboxHealth) -> String? {
        var line = "radio \(radio), broker \(delivery.isConnected ? "connected" : "away")"
        if let condition = outbox.condition { line += ", outbox: \(condition)" }
        return logged.isNew(line) ? line : nil
    }
}
