/// How often something happened that has a name.
package struct NamedCount: Hashable, Sendable {
    package var name: String
    package var count: UInt64

    package init(_ name: String, _ count: UInt64) {
        self.name = name
        self.count = count
    }
}

/// The figures of one `health` message, and of the metrics that say the same. `HealthReport.figures` declares how each is told.
package struct HealthReport: Sendable {
    /// What the process costs. A replay has no such figures, or two runs would differ.
    package struct Process: Hashable, Sendable {
        /// Resident memory, KiB.
        var rss_kib: Int
        /// Since the start; `nil` in a report that was read from a message, which does not say it.
        var cpu_s: Double?
        /// Of one core, since the last report.
        var cpu_percent: Double

        package init(rss_kib: Int, cpu_s: Double?, cpu_percent: Double) {
            self.rss_kib = rss_kib
            self.cpu_s = cpu_s
            self.cpu_percent = cpu_percent
        }
    }

    /// The connection to the broker. A replay has none to speak of.
    package struct Broker: Sendable {
        var isConnected: Bool
        /// Connections that stood after the first.
        var reconnects: UInt64
        /// Messages that a PUBACK refused, by a word for its reason; only reasons that occurred, in the order of the list.
        var refused: [NamedCount]
        /// Numbered messages that the broker took although no subscriber matched their topic.
        var noSubscribers: UInt64
        /// Why there is no connection, or why the last one ended, on one line; empty before the first failure.
        var lastFailure: String

        package init(
            isConnected: Bool, reconnects: UInt64, refused: [NamedCount], noSubscribers: UInt64 = 0, lastFailure: String
        ) {
            self.isConnected = isConnected
            self.reconnects = reconnects
            self.refused = refused
            self.noSubscribers = noSubscribers
            self.lastFailure = lastFailure
        }
    }

    /// Advertising reports, iBeacon or not, since the start; 0 in a report that was read from a message, which does not say it.
    package var reports: UInt64
    /// Advertising reports, iBeacon or not, since the last `health`.
    package var reportsPerSecond: Double
    /// What was skipped since the start.
    var rejects: RejectCounts
    /// Floods of the last minute; empty where there is none.
    var suspectedSpoofing: [SuspectedSpoofing]
    /// Adapters whose signal strengths are none; empty where all are in order.
    var suspectReadings: [SuspectReadings]
    /// Tracks listed now.
    var tracks: Int
    /// Region instances held.
    var instances: Int
    /// Events that wait for the broker.
    var queueDepth: Int
    /// What was given up, by cause; in the order of the list.
    package var drops: [NamedCount]
    /// What was done about adapters that did not scan, by step; empty in a replay, which has none.
    package var recoveries: [NamedCount]
    /// What was made of fixes, and how long the receiver was on; `nil` where the configuration says nothing of the place.
    package var location: LocationFigures?
    /// Of the gateways that a store is made of; `nil` in a gateway.
    package var store: StoreFigures?
    /// Seconds since the start.
    package var uptime_s: Double
    /// `nil` in a replay.
    package var process: Process?
    /// What is wrong with the outbox, one line; empty where nothing is.
    package var outbox: String
    /// `nil` in a replay.
    package var broker: Broker?

    package init(
        reports: UInt64, reportsPerSecond: Double, rejects: RejectCounts,
        suspectedSpoofing: [SuspectedSpoofing], suspectReadings: [SuspectReadings] = [], tracks: Int, instances: Int,
        queueDepth: Int,
        drops: [NamedCount], recoveries: [NamedCount] = [],
        location: LocationFigures? = nil, store: StoreFigures? = nil, uptime_s: Double,
        process: Process?, outbox: String, broker: Broker?
    ) {
        self.reports = reports
        self.reportsPerSecond = reportsPerSecond
        self.rejects = rejects
        self.suspectedSpoofing = suspectedSpoofing
        self.suspectReadings = suspectReadings
        self.tracks = tracks
        self.instances = instances
        self.queueDepth = queueDepth
        self.drops = drops
        self.recoveries = recoveries
        self.location = location
        self.store = store
        self.uptime_s = uptime_s
        self.process = process
        self.outbox = outbox
        self.broker = broker
    }

    /// What is filled as a message is read.
    static let blank = HealthReport(
        reports: 0, reportsPerSecond: 0, rejects: RejectCounts(), suspectedSpoofing: [], tracks: 0, instances: 0,
        queueDepth: 0, drops: [], uptime_s: 0, process: nil, outbox: "", broker: nil)
}
