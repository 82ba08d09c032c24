public import HCI

/// The figures of one `health` message.
public struct HealthReport: Sendable {
    /// What the process costs. A replay has no such figures, or two runs would differ.
    public struct Process: Hashable, Sendable {
        public var rss_kib: Int
        /// Of one core, since the last report.
        public var cpu_percent: Double

        public init(rss_kib: Int, cpu_percent: Double) {
            self.rss_kib = rss_kib
            self.cpu_percent = cpu_percent
        }
    }

    public var reportsPerSecond: Double
    public var rejects: RejectCounts
    /// Tracks listed now.
    public var tracks: Int
    /// Region instances held.
    public var instances: Int
    /// Events that wait for the broker.
    public var queueDepth: Int
    /// What was given up, by cause; in the order of the list.
    public var drops: [(cause: String, count: UInt64)]
    /// What was done about adapters that did not scan, by step; empty in a replay, which has none.
    public var recoveries: [(step: String, count: UInt64)]
    public var uptime_s: Double
    public var process: Process?
    /// What is wrong with the outbox, one line; empty where nothing is.
    public var outbox: String

    public init(
        reportsPerSecond: Double, rejects: RejectCounts, tracks: Int, instances: Int, queueDepth: Int,
        drops: [(cause: String, count: UInt64)], recoveries: [(step: String, count: UInt64)] = [], uptime_s: Double,
        process: Process?, outbox: String
    ) {
        self.reportsPerSecond = reportsPerSecond
        self.rejects = rejects
        self.tracks = tracks
        self.instances = instances
        self.queueDepth = queueDepth
        self.drops = drops
        self.recoveries = recoveries
        self.uptime_s = uptime_s
        self.process = process
        self.outbox = outbox
    }
}

extension MessageComposer {
    /// `health`, every 60 s.
    public func health(_ report: HealthReport, at instant: Instant, _ timebase: Timebase) -> Message {
        var json = payload(at: instant, timebase)
        json.set("reports_per_s", report.reportsPerSecond, decimals: 1)
        var rejects = JSONWriter()
        for reason in RejectReason.allCases { rejects.set(reason.rawValue, report.rejects[reason]) }
        json.set("rejected", object: rejects.object)
        json.set("tracks", report.tracks)
        json.set("instances", report.instances)
        json.set("queue_depth", report.queueDepth)
        var drops = JSONWriter()
        for drop in report.drops { drops.set(drop.cause, drop.count) }
        json.set("dropped", object: drops.object)
        if !report.recoveries.isEmpty {
            var recoveries = JSONWriter()
            for recovery in report.recoveries { recoveries.set(recovery.step, recovery.count) }
            json.set("recoveries", object: recoveries.object)
        }
        if let process = report.process {
            json.set("rss_kib", process.rss_kib)
            json.set("cpu_percent", process.cpu_percent, decimals: 2)
        }
        json.set("uptime_s", report.uptime_s, decimals: 0)
        json.set("outbox", report.outbox)
        return Message(topic: topics.health, payload: json.object, qos: .atLeastOnce, isRetained: true)
    }
}
