/// The number of occurrences under a name.
package struct NamedCount: Hashable, Sendable {
    package var name: String
    package var count: UInt64

    package init(_ name: String, _ count: UInt64) {
        self.name = name
        self.count = count
    }
}

/// The figures of one `health` message and of its metrics. `HealthReport.figures` declares the form of each.
package struct HealthReport: Sendable {
    /// The resources of the process. A replay has none, because they would differ between two runs.
    package struct Process: Hashable, Sendable {
        /// Resident memory, KiB.
        var rss_kib: Int
        /// The CPU time since the start; `nil` in a report read from a message, which does not contain it.
        var cpu_s: Double?
        /// The share of one core since the last report.
        var cpu_percent: Double

        package init(rss_kib: Int, cpu_s: Double?, cpu_percent: Double) {
            self.rss_kib = rss_kib
            self.cpu_s = cpu_s
            self.cpu_percent = cpu_percent
        }
    }

    /// The receiver that is the radio.
    package struct Radio: Hashable, Sendable {
        /// The measured time between two of its batches; `nil` before it is known, and where it publishes packet by
        /// packet.
        var batch_s: Double?
        /// Messages that could not be read, or not wholly.
        var malformed: UInt64

        package init(batch_s: Double?, malformed: UInt64) {
            self.batch_s = batch_s
            self.malformed = malformed
        }
    }

    /// The connection to the broker. A replay has none.
    package struct Broker: Sendable {
        var isConnected: Bool
        /// Connections established after the first.
        var reconnects: UInt64
        /// Messages refused by a PUBACK, by the word of its reason. Only reasons that occurred, in the order of the
        /// list.
        var refused: [NamedCount]
        /// Numbered messages that the broker took although no subscriber matched their topic.
        var noSubscribers: UInt64
        /// The reason for which there is no connection, or the last one ended, in one line; empty before the first
        /// failure.
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

    /// The certificate with which the agent logs in at the broker.
    package struct OwnCertificate: Sendable {
        var expires: WallTime
        /// The seconds until then, negative after it; `nil` in a report read from a message, which does not contain it.
        var remaining_s: Double?
    }

    /// The counts of the engine. A report read from a message has those of the message.
    package var engine = GatewayFigures()
    /// Advertising reports per second, iBeacon or not, since the last `health`.
    package var reportsPerSecond = 0.0
    /// Events that wait for the broker.
    package var queueDepth = 0
    /// Losses by cause, in the order of the list.
    package var drops: [NamedCount] = []
    /// Recovery steps for adapters that did not scan; empty in a replay, which has none.
    package var recoveries: [NamedCount] = []
    /// Seconds since the start.
    package var uptime_s = 0.0
    /// `nil` where adapters are the radio, and in a replay.
    package var radio: Radio?
    /// `nil` in a replay.
    package var process: Process?
    /// The fault of the outbox, one line; empty where there is none.
    package var outbox = ""
    /// `nil` in a replay.
    package var broker: Broker?
    /// `nil` without `[mqtt] cert_file`, and where that file can't be read.
    package var certificate: OwnCertificate?

    package init() {}
}

extension HealthReport.OwnCertificate {
    /// - Parameter now: the time of the report.
    package init(_ certificate: Certificate, at now: WallTime) {
        self.init(expires: certificate.expires, remaining_s: (certificate.expires - now).seconds)
    }
}

/// All figures of `health`, in the order of the message.
extension HealthReport {
    package static let figures: [HealthFigure<HealthReport>] =
        [
            .metric(.counter("beacond_advertising_reports_total", "Advertising reports heard, iBeacon or not.")) {
                [.init($0.engine.reports)]
            },
            .number("reports_per_s", \.reportsPerSecond, decimals: 1),
        ] + GatewayFigures.first.map { $0.of(\.engine) } + [
            .integer(
                "queue_depth", \.queueDepth, .gauge("beacond_outbox_queued_events", "Events that wait for the broker.")),
            .counts("dropped", \.drops, label: "cause", .counter("beacond_dropped_total", "Losses, by cause.")),
            .counts(
                "recoveries", \.recoveries, onlyIfAny: true, label: "step",
                .counter("beacond_radio_recoveries_total", "Recovery steps for adapters that did not scan, by step.")),
        ] + GatewayFigures.optional.map { $0.of(\.engine) } + [
            .group("radio", \.radio, Radio.figures),
            .group(nil, \.process, Process.figures),
            .number(
                "uptime_s", \.uptime_s, decimals: 0, .gauge("beacond_uptime_seconds", "Time since the agent started.")),
            .fault("outbox", \.outbox, .gauge("beacond_outbox_healthy", "Whether commits reach the disk.")),
            .group("mqtt", \.broker, Broker.figures),
            .group("certificate", \.certificate, OwnCertificate.figures),
        ]
}

extension HealthReport.Radio {
    fileprivate static let figures: [HealthFigure<HealthReport.Radio>] = [
        HealthFigure(
            "batch_s", .gauge("beacond_receiver_batch_seconds", "The time between two batches of the receiver.")
        ) {
            radio, json in
            if let batch_s = radio.batch_s { json.set("batch_s", batch_s, decimals: 2) }
        } samples: { radio in
            radio.batch_s.map { [.init($0)] } ?? []
        },
        .integer(
            "malformed", \.malformed,
            .counter(
                "beacond_receiver_malformed_total", "Messages of the receiver that could not be read, or not wholly.")),
    ]
}

extension HealthReport.Process {
    fileprivate static let figures: [HealthFigure<HealthReport.Process>] = [
        .integer(
            "rss_kib", \.rss_kib, .gauge("beacond_resident_memory_bytes", "Memory that the agent holds."), unit: 1024),
        .number("cpu_percent", \.cpu_percent, decimals: 2),
        .metric(.counter("beacond_cpu_seconds_total", "Processor time used.")) { [.init($0.cpu_s ?? 0)] },
    ]
}

extension HealthReport.Broker {
    fileprivate static let figures: [HealthFigure<HealthReport.Broker>] = [
        .flag("connected", \.isConnected, .gauge("beacond_mqtt_connected", "Whether the broker is connected.")),
        .integer(
            "reconnects", \.reconnects,
            .counter("beacond_mqtt_reconnects_total", "Connections established after the first.")),
        .counts(
            "refused", \.refused, label: "reason",
            .counter("beacond_mqtt_refused_total", "Messages that the broker refused in its PUBACK, by reason.")),
        .integer(
            "no_subscribers", \.noSubscribers,
            .counter(
                "beacond_mqtt_no_subscribers_total",
                "Numbered messages that the broker took although no subscriber matched their topic.")),
        .fault("last_failure", \.lastFailure),
    ]
}

extension HealthReport.OwnCertificate {
    fileprivate static let figures: [HealthFigure<HealthReport.OwnCertificate>] = [
        HealthFigure("expires_at", nil) { certificate, json in
            json.set("expires_at", certificate.expires)
        },
        .metric(
            .gauge(
                "beacond_certificate_expires_seconds",
                "The time until the agent's certificate expires; negative after it.")
        ) { certificate in
            certificate.remaining_s.map { [.init($0)] } ?? []
        },
    ]
}
