public import HCI
internal import Location

/// `health`: the gateway's figures, every 60 s.
package struct HealthPayload: Payload {
    package var head: PayloadHead
    package var report: HealthReport
}

extension HealthPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(head: head, report: try HealthReport(&fields))
    }

    package func write(to json: inout JSONWriter) {
        json.set("reports_per_s", report.reportsPerSecond, decimals: 1)
        json.set("rejected") { json in
            for reason in RejectReason.allCases { json.set(reason.rawValue, count: report.rejects[reason]) }
        }
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
        json.set("dropped") { json in for drop in report.drops { json.set(drop.cause, count: drop.count) } }
        if !report.recoveries.isEmpty {
            json.set("recoveries") { json in
                for recovery in report.recoveries { json.set(recovery.step, count: recovery.count) }
            }
        }
        if let location = report.location { json.set("location") { json in location.write(to: &json) } }
        if let process = report.process {
            json.set("rss_kib", process.rss_kib)
            json.set("cpu_percent", process.cpu_percent, decimals: 2)
        }
        json.set("uptime_s", report.uptime_s, decimals: 0)
        json.set("outbox", report.outbox)
        if let broker = report.broker { json.set("mqtt") { json in broker.write(to: &json) } }
    }
}

extension HealthReport {
    /// Counts of reasons that this version does not know are passed over; of those that the gateway does not know there are none.
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        let rate = 0...1e12
        reportsPerSecond = try fields.number("reports_per_s", rate)
        // The message says how many there were a second, not how many in all.
        reports = 0
        rejects = RejectCounts()
        for (name, count) in try fields.counts("rejected") {
            if let reason = RejectReason(rawValue: name) { rejects[reason] = count }
        }
        suspectedSpoofing = try fields.list("suspected_spoofing") { fields throws(PayloadError) in
            SuspectedSpoofing(kind: try fields.word("kind"), rate_per_s: try fields.number("rate_per_s", rate))
        }
        suspectReadings =
            try fields.has("suspect_readings")
            ? fields.list("suspect_readings") { fields throws(PayloadError) in
                SuspectReadings(adapter: try fields.text("adapter"), kind: try fields.word("kind"))
            } : []
        tracks = try fields.integer("tracks")
        instances = try fields.integer("instances")
        queueDepth = try fields.integer("queue_depth")
        drops = try fields.counts("dropped").map { (cause: $0.name, count: $0.count) }
        recoveries =
            try fields.has("recoveries") ? fields.counts("recoveries").map { (step: $0.name, count: $0.count) } : []
        location = try fields.objectIfPresent("location") { fields throws(PayloadError) in
            try LocationFigures(&fields)
        }
        if let rss_kib: Int = try fields.integerIfPresent("rss_kib") {
            process = Process(rss_kib: rss_kib, cpu_s: nil, cpu_percent: try fields.number("cpu_percent", rate))
        } else {
            process = nil
        }
        uptime_s = try fields.number("uptime_s", rate)
        outbox = try fields.text("outbox")
        broker = try fields.objectIfPresent("mqtt") { fields throws(PayloadError) in try Broker(&fields) }
    }
}

extension LocationFigures {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        var fixes = FixCounts()
        fixes.used = try fields.integer("used")
        for (name, count) in try fields.counts("rejected") {
            if let reason = FixRejection(rawValue: name) { fixes[reason] = Int(clamping: count) }
        }
        self.init(fixes: fixes, receiverOn: .seconds(try fields.number("receiver_on_s", 0...1e12)))
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("used", fixes.used)
        json.set("rejected") { json in
            for reason in FixRejection.allCases { json.set(reason.rawValue, count: UInt64(clamping: fixes[reason])) }
        }
        json.set("receiver_on_s", receiverOn.seconds, decimals: 1)
    }
}

extension HealthReport.Broker {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            isConnected: try fields.boolean("connected"), reconnects: try fields.integer("reconnects"),
            refused: try fields.counts("refused").map { (reason: $0.name, count: $0.count) },
            lastFailure: try fields.text("last_failure"))
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("connected", isConnected)
        json.set("reconnects", reconnects)
        json.set("refused") { json in for refusal in refused { json.set(refusal.reason, count: refusal.count) } }
        json.set("last_failure", lastFailure)
    }
}

extension MessageComposer {
    public func health(_ report: HealthReport, at instant: Instant, _ timebase: Timebase) -> Message {
        let payload = HealthPayload(head: head(at: instant, timebase), report: report)
        return message(.health, on: topics.health, payload.encoded)
    }
}
