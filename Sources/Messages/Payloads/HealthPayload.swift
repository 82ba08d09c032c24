public import HCI

extension MessageComposer {
    /// `health`, every 60 s.
    public func health(_ report: HealthReport, at instant: Instant, _ timebase: Timebase) -> Message {
        var json = payload(at: instant, timebase)
        json.set("reports_per_s", report.reportsPerSecond, decimals: 1)
        var rejects = JSONWriter()
        for reason in RejectReason.allCases { rejects.set(reason.rawValue, count: report.rejects[reason]) }
        json.set("rejected", object: rejects.object)
        json.set("suspected_spoofing", objectsFor: report.suspectedSpoofing) { flood, json in
            json.set("kind", flood.kind.rawValue)
            json.set("rate_per_s", flood.rate_per_s, decimals: 1)
        }
        if !report.suspectReadings.isEmpty {
            json.set("suspect_readings", objectsFor: report.suspectReadings) { suspect, json in
                json.set("adapter", suspect.adapter)
                json.set("kind", suspect.kind.rawValue)
            }
        }
        json.set("tracks", report.tracks)
        json.set("instances", report.instances)
        json.set("queue_depth", report.queueDepth)
        var drops = JSONWriter()
        for drop in report.drops { drops.set(drop.cause, count: drop.count) }
        json.set("dropped", object: drops.object)
        if !report.recoveries.isEmpty {
            var recoveries = JSONWriter()
            for recovery in report.recoveries { recoveries.set(recovery.step, count: recovery.count) }
            json.set("recoveries", object: recoveries.object)
        }
        if let process = report.process {
            json.set("rss_kib", process.rss_kib)
            json.set("cpu_percent", process.cpu_percent, decimals: 2)
        }
        json.set("uptime_s", report.uptime_s, decimals: 0)
        json.set("outbox", report.outbox)
        if let broker = report.broker { json.set("mqtt", object: object(broker)) }
        return Message(topic: topics.health, payload: json.object, qos: .atLeastOnce, isRetained: true)
    }

    private func object(_ broker: HealthReport.Broker) -> [UInt8] {
        var json = JSONWriter()
        json.set("connected", broker.isConnected)
        json.set("reconnects", broker.reconnects)
        var refused = JSONWriter()
        for refusal in broker.refused { refused.set(refusal.reason, count: refusal.count) }
        json.set("refused", object: refused.object)
        json.set("last_failure", broker.lastFailure)
        return json.object
    }
}
