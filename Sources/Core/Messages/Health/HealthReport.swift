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

/// What a store's `health` says of the gateways that it is made of.
package struct StoreFigures: Hashable, Sendable {
    /// Whether a gateway can hear. The raw value is the word in the message.
    package enum Hearing: String, CaseIterable, Sendable {
        case hears
        /// Its radio does not scan.
        case blind
        case offline
        /// It is listed, and nothing came from it yet.
        case silent
    }

    /// One gateway.
    package struct Gateway: Hashable, Sendable {
        package var id: String
        package var hearing: Hearing
        /// By how much its clock is ahead of the store's, seconds; `nil` where its clock is not synced, or nothing came yet.
        package var clockAhead_s: Double?

        init(id: String, hearing: Hearing, clockAhead_s: Double? = nil) {
            self.id = id
            self.hearing = hearing
            self.clockAhead_s = clockAhead_s
        }
    }

    /// Messages that came too late to change anything.
    package var late: UInt64
    /// Messages that could not be read.
    package var malformed: UInt64
    /// In the order of the configuration; those that it does not list as they came.
    package var gateways: [Gateway]

    package init(late: UInt64, malformed: UInt64, gateways: [Gateway]) {
        self.late = late
        self.malformed = malformed
        self.gateways = gateways
    }
}

/// A flood that no shop makes by itself: what `health` says under `suspected_spoofing`.
///
/// iBeacon proves nothing about its sender, so this is a suspicion. Nothing is filtered because of it.
package struct SuspectedSpoofing: Hashable, Sendable {
    /// What there is too much of.
    package enum Kind: String, CaseIterable, Sendable {
        /// Identities never heard before.
        case identities
        /// Addresses of one identity.
        case addresses
        /// Levels that no beacon beside a gateway reaches.
        case rssi
        /// Beacons that change their address at the same time.
        case rotations
    }

    var kind: Kind
    /// How much of it there was a second, on average over a minute.
    var rate_per_s: Double
}

/// An adapter whose signal strengths are none: what `health` says under `suspect_readings`.
///
/// It is told from the adapter's own readings, so only what no room makes is named. Nothing is filtered because of it.
package struct SuspectReadings: Hashable, Sendable {
    /// What is wrong with them.
    package enum Kind: String, CaseIterable, Sendable {
        /// One value, of whatever transmitter.
        case stuck
        /// A report has the strength of the one before it, which was another transmitter's.
        case repeated
        /// Some readings are 15 dB below the others of the same transmitter, as where one channel's are.
        case twoLevels = "two_levels"
    }

    /// As the configuration names it.
    package var adapter: String
    var kind: Kind
}
