/// All figures of `health`, in the order of the message.
extension HealthReport {
    package static let figures: [HealthFigure<HealthReport>] = [
        .metric(.counter("beacond_advertising_reports_total", "Advertising reports heard, iBeacon or not.")) {
            [.init($0.reports)]
        },
        .number("reports_per_s", \.reportsPerSecond, decimals: 1),
        .counts(
            "rejected", \.rejected, label: "reason",
            .counter("beacond_rejected_total", "What was skipped of what came from the air, by reason.")),
        suspectedSpoofingFigure,
        suspectReadingsFigure,
        .integer("tracks", \.tracks, .gauge("beacond_tracks", "Physical beacons in the air now.")),
        .integer("instances", \.instances, .gauge("beacond_region_instances", "Region instances held.")),
        .integer(
            "queue_depth", \.queueDepth, .gauge("beacond_outbox_queued_events", "Events that wait for the broker.")),
        .counts("dropped", \.drops, label: "cause", .counter("beacond_dropped_total", "What was given up, by cause.")),
        .counts(
            "recoveries", \.recoveries, onlyIfAny: true, label: "step",
            .counter("beacond_radio_recoveries_total", "What was done about adapters that did not scan, by step.")),
        .group(
            "location", \.location, blank: LocationFigures(fixes: FixCounts(), receiverOn: .zero),
            LocationFigures.figures),
        .group(nil, \.store, blank: StoreFigures(late: 0, malformed: 0, gateways: []), StoreFigures.figures),
        .group(nil, \.process, blank: Process(rss_kib: 0, cpu_s: nil, cpu_percent: 0), Process.figures),
        .number(
            "uptime_s", \.uptime_s, decimals: 0, .gauge("beacond_uptime_seconds", "Time since the agent started.")),
        .fault(
            "outbox", \.outbox, .gauge("beacond_outbox_healthy", "Whether what is committed reaches the disk.")),
        .group(
            "mqtt", \.broker, blank: Broker(isConnected: false, reconnects: 0, refused: [], lastFailure: ""),
            Broker.figures),
    ]

    private static let suspectedSpoofingFigure = HealthFigure<HealthReport>(
        "suspected_spoofing",
        .gauge("beacond_suspected_spoofing_per_second", "Floods that no shop makes, by kind; 0 for none.")
    ) { report, json in
        json.set("suspected_spoofing", objectsFor: report.suspectedSpoofing) { flood, json in
            json.set("kind", flood.kind.rawValue)
            json.set("rate_per_s", flood.rate_per_s, decimals: 1)
        }
    } read: { report, fields throws(PayloadError) in
        report.suspectedSpoofing = try fields.list("suspected_spoofing") { fields throws(PayloadError) in
            SuspectedSpoofing(kind: try fields.word("kind"), rate_per_s: try fields.number("rate_per_s", 0...1e12))
        }
    } samples: { report in
        SuspectedSpoofing.Kind.allCases.map { kind in
            .init(report.suspectedSpoofing.first { $0.kind == kind }?.rate_per_s ?? 0, label: ("kind", kind.rawValue))
        }
    }

    private static let suspectReadingsFigure = HealthFigure<HealthReport>(
        "suspect_readings",
        .gauge("beacond_suspect_readings", "Adapters whose signal strengths are none, by what is wrong with them.")
    ) { report, json in
        if report.suspectReadings.isEmpty { return }
        json.set("suspect_readings", objectsFor: report.suspectReadings) { suspect, json in
            json.set("adapter", suspect.adapter)
            json.set("kind", suspect.kind.rawValue)
        }
    } read: { report, fields throws(PayloadError) in
        guard fields.has("suspect_readings") else { return }
        report.suspectReadings = try fields.list("suspect_readings") { fields throws(PayloadError) in
            SuspectReadings(adapter: try fields.text("adapter"), kind: try fields.word("kind"))
        }
    } samples: { report in
        SuspectReadings.Kind.allCases.map { kind in
            .init(report.suspectReadings.count { $0.kind == kind }, label: ("kind", kind.rawValue))
        }
    }

    /// By name. Reasons that this version does not know are passed over; of those that the gateway does not know there are none.
    private var rejected: [NamedCount] {
        get { RejectReason.allCases.map { NamedCount($0.rawValue, rejects[$0]) } }
        set {
            rejects = RejectCounts()
            for count in newValue {
                if let reason = RejectReason(rawValue: count.name) { rejects[reason] = count.count }
            }
        }
    }
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
            .counter("beacond_mqtt_reconnects_total", "Connections that stood after the first.")),
        .counts(
            "refused", \.refused, label: "reason",
            .counter("beacond_mqtt_refused_total", "Messages that the broker refused in its PUBACK, by reason.")),
        .integer(
            "no_subscribers", \.noSubscribers,
            .counter(
                "beacond_mqtt_no_subscribers_total",
                "Numbered messages that the broker took although no subscriber matched their topic."), isLater: true),
        .fault("last_failure", \.lastFailure),
    ]
}

extension StoreFigures {
    fileprivate static let figures: [HealthFigure<StoreFigures>] = [
        .integer(
            "late", \.late,
            .counter("beacond_site_late_total", "Messages of gateways that came too late to change anything.")),
        .integer(
            "malformed", \.malformed,
            .counter("beacond_site_malformed_total", "Messages of gateways that could not be read.")),
        HealthFigure(
            "gateways", .gauge("beacond_site_gateway_hears", "Whether a gateway of the store can hear.")
        ) { figures, json in
            json.set("gateways", objectsFor: figures.gateways) { gateway, json in
                json.set("gateway", gateway.id)
                json.set("hearing", gateway.hearing.rawValue)
                if let ahead_s = gateway.clockAhead_s { json.set("clock_ahead_s", ahead_s, decimals: 1) }
            }
        } read: { figures, fields throws(PayloadError) in
            figures.gateways = try fields.list("gateways") { fields throws(PayloadError) in
                StoreFigures.Gateway(
                    id: try fields.level("gateway"), hearing: try fields.word("hearing"),
                    clockAhead_s: try fields.numberIfPresent("clock_ahead_s"))
            }
        } samples: { figures in
            figures.gateways.map { .init($0.hearing == .hears, label: ("gateway", $0.id)) }
        },
    ]
}

extension LocationFigures {
    fileprivate static let figures: [HealthFigure<LocationFigures>] = [
        .integer("used", \.fixes.used, .counter("beacond_location_fixes_used_total", "Fixes that were used.")),
        .counts(
            "rejected", \.rejected, label: "reason",
            .counter("beacond_location_fixes_rejected_total", "Fixes that were not used, by reason.")),
        .number(
            "receiver_on_s", \.receiverOn_s, decimals: 1,
            .counter("beacond_location_receiver_on_seconds_total", "For how long the receiver was on.")),
    ]

    private var receiverOn_s: Double {
        get { receiverOn.seconds }
        set { receiverOn = .seconds(newValue) }
    }

    private var rejected: [NamedCount] {
        get { FixRejection.allCases.map { NamedCount($0.rawValue, UInt64(clamping: fixes[$0])) } }
        set {
            for count in newValue {
                if let reason = FixRejection(rawValue: count.name) { fixes[reason] = Int(clamping: count.count) }
            }
        }
    }
}
