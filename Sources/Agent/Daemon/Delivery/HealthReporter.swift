import Core

/// Puts the figures of `health` together, for a live agent and for a replay.
package struct HealthReporter {
    /// From one `health` to the next.
    package static let interval = TimeSpan.seconds(60)

    /// What a live agent has beside the engine and the outbox.
    package struct Live {
        var delivery: DeliveryCounters
        /// What the queue between the loops has shed and lost.
        var queue: (ranging: UInt64, transitions: UInt64)
        var requestFlood: UInt64
        var process: HealthReport.Process?
    }

    private let start: Instant
    private var figures: GatewayFigures?
    private var radio = RadioCounters()
    private var lastReports: UInt64 = 0
    private var lastReport: Instant

    package init(at now: Instant) {
        start = now
        lastReport = now
    }

    /// Whether anybody has told any.
    var hasFigures: Bool { figures != nil }

    /// The latest of the engine and of the radio loop, which a replay has none of.
    package mutating func note(_ figures: GatewayFigures, _ radio: RadioCounters = RadioCounters()) {
        self.figures = figures
        self.radio = radio
    }

    /// The time until then does not count for rates: there was nothing to hear in it.
    package mutating func skip(to instant: Instant) { lastReport = max(lastReport, instant) }

    /// Everything that was heard, for the last line of the log.
    var closingLine: String {
        "reports=\(figures?.reports ?? 0) ibeacons=\(figures?.beacons ?? 0) dropped=\(radio.dropped)"
    }

    /// - Parameter outbox: `nil` where it is not to be told of.
    package mutating func report(_ outbox: OutboxHealth?, at now: Instant) -> HealthReport {
        report(outbox, nil, at: now)
    }

    mutating func report(_ outbox: OutboxHealth?, _ live: Live?, at now: Instant) -> HealthReport {
        let reports = figures?.reports ?? 0
        let elapsed_s = max(1, (now - lastReport).seconds)
        defer { (lastReports, lastReport) = (reports, now) }
        return HealthReport(
            reports: reports, reportsPerSecond: Double(reports - lastReports) / elapsed_s,
            rejects: figures?.rejects ?? RejectCounts(), suspectedSpoofing: figures?.suspectedSpoofing ?? [],
            suspectReadings: figures?.suspectReadings ?? [], tracks: figures?.listedTracks ?? 0,
            instances: figures?.instances ?? 0, queueDepth: Int(outbox?.queuedEvents ?? 0),
            drops: engineDrops + (live.map(drops) ?? []) + (outbox.map(drops) ?? []),
            recoveries: live == nil ? [] : RecoveryStep.allCases.map { NamedCount($0.rawValue, radio.recoveries[$0]) },
            location: figures?.location, store: figures?.store, uptime_s: (now - start).seconds, process: live?.process,
            outbox: outbox?.condition.map { "\($0)" } ?? "",
            broker: live.map { Self.broker($0.delivery) })
    }

    /// How delivery goes, in the words of `health`.
    private static func broker(_ delivery: DeliveryCounters) -> HealthReport.Broker {
        HealthReport.Broker(
            isConnected: delivery.isConnected, reconnects: UInt64(delivery.reconnects),
            refused: delivery.refused.map { NamedCount($0.key.word, UInt64($0.value)) }.sorted { $0.name < $1.name },
            noSubscribers: UInt64(delivery.unmatched), lastFailure: delivery.lastFailure.map { "\($0)" } ?? "")
    }

    // MARK: What was given up, by cause

    private var engineDrops: [NamedCount] {
        [
            NamedCount("max_transmitters", figures?.refusedTransmitters ?? 0),
            NamedCount("max_instances", figures?.refusedEntries.maxInstances ?? 0),
            NamedCount("max_newcomers_per_minute", figures?.refusedEntries.maxNewcomersPerMinute ?? 0),
        ] + (figures?.store == nil ? [] : [NamedCount("max_gateways", figures?.refusedGateways ?? 0)])
    }

    private func drops(_ live: Live) -> [NamedCount] {
        [
            NamedCount("radio_queue", radio.dropped),
            NamedCount("ranging_queue", live.queue.ranging),
            NamedCount("transition_queue", live.queue.transitions),
            NamedCount("ranging_offline", UInt64(live.delivery.ephemeralDroppedOffline)),
            NamedCount("ranging_backed_up", UInt64(live.delivery.ephemeralDroppedBackedUp)),
            NamedCount("request_flood", live.requestFlood + UInt64(live.delivery.incomingDropped)),
            NamedCount("answers", UInt64(live.delivery.answersDropped)),
        ]
    }

    private func drops(_ outbox: OutboxHealth) -> [NamedCount] {
        OutboxGap.Cause.allCases.map {
            NamedCount("outbox_\($0.rawValue)", UInt64(clamping: outbox.droppedEvents[$0] ?? 0))
        }
    }
}

/// The line that `systemctl status` shows.
struct StatusLine {
    private var said = SaidOnce<String>(limit: 1)

    /// The line, where it is another one than before.
    ///
    /// - Parameter radio: the word of `status`.
    mutating func news(radio: String, _ delivery: DeliveryCounters, _ outbox: OutboxHealth) -> String? {
        var line = "radio \(radio), broker \(delivery.isConnected ? "connected" : "away")"
        if let condition = outbox.condition { line += ", outbox: \(condition)" }
        return said.isNew(line) ? line : nil
    }
}
