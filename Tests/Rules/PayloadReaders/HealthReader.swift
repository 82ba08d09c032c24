@testable import Core

extension HealthPayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        var report = HealthReport()
        report.engine = try GatewayFigures(&fields)
        report.reportsPerSecond = try fields.number("reports_per_s", 0...1e12)
        report.queueDepth = try fields.integer("queue_depth")
        report.drops = try fields.counts("dropped")
        if fields.has("recoveries") { report.recoveries = try fields.counts("recoveries") }
        report.radio = try fields.objectIfPresent("radio") { fields throws(PayloadError) in
            HealthReport.Radio(
                batch_s: try fields.numberIfPresent("batch_s"), malformed: try fields.integer("malformed"))
        }
        if fields.has("rss_kib") {
            report.process = HealthReport.Process(
                rss_kib: try fields.integer("rss_kib"), cpu_s: nil,
                cpu_percent: try fields.number("cpu_percent", 0...1e12))
        }
        report.uptime_s = try fields.number("uptime_s", 0...1e12)
        report.outbox = try fields.text("outbox")
        report.broker = try fields.objectIfPresent("mqtt") { fields throws(PayloadError) in
            HealthReport.Broker(
                isConnected: try fields.boolean("connected"), reconnects: try fields.integer("reconnects"),
                refused: try fields.counts("refused"),
                noSubscribers: try fields.integerIfPresent("no_subscribers") ?? 0,
                lastFailure: try fields.text("last_failure"))
        }
        report.certificate = try fields.objectIfPresent("certificate") { fields throws(PayloadError) in
            HealthReport.OwnCertificate(expires: try fields.time("expires_at"))
        }
        self.init(head: head, report: report)
    }
}

extension GatewayFigures {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init()
        // Reasons unknown to this version are ignored, and those unknown to the gateway are 0.
        for count in try fields.counts("rejected") {
            if let reason = RejectReason(rawValue: count.name) { rejects[reason] = count.count }
        }
        suspectedSpoofing = try fields.list("suspected_spoofing") { fields throws(PayloadError) in
            SuspectedSpoofing(kind: try fields.word("kind"), rate_per_s: try fields.number("rate_per_s", 0...1e12))
        }
        if fields.has("suspect_readings") {
            suspectReadings = try fields.list("suspect_readings") { fields throws(PayloadError) in
                SuspectReadings(adapter: try fields.text("adapter"), kind: try fields.word("kind"))
            }
        }
        if fields.has("implausible_power") {
            implausiblePowers = try fields.list("implausible_power") { fields throws(PayloadError) in
                ImplausiblePower(
                    identity: try fields.identity(),
                    measuredPower_dbm: try fields.integer("measured_power_dbm", -128...127))
            }
        }
        listedTracks = try fields.integer("tracks")
        instances = try fields.integer("instances")
        beaconLists = try fields.objectIfPresent("beacons") { fields throws(PayloadError) in
            var lists = BeaconListFigures()
            lists.listed = try fields.integer("listed")
            lists.displaced = try fields.integer("displaced")
            lists.frames = try fields.integer("frames")
            lists.encrypted = try fields.integer("encrypted")
            lists.contradictory = try fields.integer("contradictory")
            return lists
        }
        location = try fields.objectIfPresent("location") { fields throws(PayloadError) in
            var fixes = FixCounts()
            fixes.used = try fields.integer("used")
            for count in try fields.counts("rejected") {
                if let reason = FixRejection(rawValue: count.name) { fixes[reason] = Int(clamping: count.count) }
            }
            return LocationFigures(fixes: fixes, receiverOn: .seconds(try fields.number("receiver_on_s", 0...1e12)))
        }
        guard fields.has("late") else { return }
        store = StoreFigures(
            late: try fields.integer("late"), malformed: try fields.integer("malformed"),
            gateways: try fields.list("gateways") { fields throws(PayloadError) in
                StoreFigures.Gateway(
                    id: try fields.level("gateway"), hearing: try fields.word("hearing"),
                    clockAhead_s: try fields.numberIfPresent("clock_ahead_s"))
            })
        store?.peopleRefused = try fields.integerIfPresent("people_refused", 0...UInt64.max)
        store?.suspects = try fields.integerIfPresent("suspects", 0...64)
    }
}

extension PayloadFields {
    /// Reads counts under names that are not known beforehand, in their order.
    fileprivate mutating func counts(_ key: StaticString) throws(PayloadError) -> [NamedCount] {
        try object(key) { fields throws(PayloadError) in
            var counts: [NamedCount] = []
            var index = fields.first
            while index + 1 < fields.end {
                let name = fields.document.text(at: index) ?? ""
                let value = fields.document.nodes[index + 1]
                guard case .integer(let integer) = value, let count = UInt64(exactly: integer) else {
                    throw PayloadError(name, .mustBe("a count", not: fields.document.kind(at: index + 1)))
                }
                counts.append(NamedCount(name, count))
                index = fields.document.end(of: index + 1)
            }
            return counts
        }
    }

    /// Reads a list of integers from 0, or `null`.
    mutating func integersOrNull(_ key: StaticString, limit: Int) throws(PayloadError) -> [Int64]? {
        if isNull(key) { return nil }
        return try integers(key, limit: limit)
    }

    /// Reads a list of integers from 0.
    mutating func integers(_ key: StaticString, limit: Int) throws(PayloadError) -> [Int64] {
        let index = try required(key)
        guard case .array(let end) = document.nodes[index] else { throw wrongType(key, "a list", at: index) }
        guard end - index - 1 <= limit else { throw PayloadError("\(key)", .tooLong(limit: limit)) }
        var integers: [Int64] = []
        for element in (index + 1)..<end { integers.append(try integer(key, 0...Int64.max, at: element)) }
        return integers
    }
}
