internal import HCI
internal import Location

extension MessageComposer {
    /// The figures of `health` as metrics, for node_exporter's textfile collector. UTF-8 text.
    public func metrics(_ report: HealthReport, radio: RadioStatus, isClockSynced: Bool) -> [UInt8] {
        var text = PrometheusText()
        text.add("beacond_build_info", .gauge, "The agent's version.", [.init(1, label: ("version", version))])
        text.add("beacond_uptime_seconds", .gauge, "Time since the agent started.", [.init(report.uptime_s)])
        text.add("beacond_clock_synced", .gauge, "Whether the system clock is set by NTP.", [.init(isClockSynced)])
        text.add(
            "beacond_radio_availability", .gauge, "What stands between the adapter and scanning: 1 for what holds.",
            RadioAvailability.allCases.map { .init(radio.word == $0.rawValue, label: ("state", $0.rawValue)) })
        addAir(report, to: &text)
        addDelivery(report, to: &text)
        if let process = report.process {
            text.add(
                "beacond_resident_memory_bytes", .gauge, "Memory that the agent holds.",
                [.init(process.rss_kib &* 1024)])
            text.add("beacond_cpu_seconds_total", .counter, "Processor time used.", [.init(process.cpu_s ?? 0)])
        }
        return Array(text.text.utf8)
    }

    private func addAir(_ report: HealthReport, to text: inout PrometheusText) {
        text.add(
            "beacond_advertising_reports_total", .counter, "Advertising reports heard, iBeacon or not.",
            [.init(report.reports)])
        text.add(
            "beacond_rejected_total", .counter, "What was skipped of what came from the air, by reason.",
            RejectReason.allCases.map { .init(report.rejects[$0], label: ("reason", $0.rawValue)) })
        text.add(
            "beacond_suspected_spoofing_per_second", .gauge, "Floods that no shop makes, by kind; 0 for none.",
            SuspectedSpoofing.Kind.allCases.map { kind in
                .init(
                    report.suspectedSpoofing.first { $0.kind == kind }?.rate_per_s ?? 0, label: ("kind", kind.rawValue))
            })
        text.add(
            "beacond_suspect_readings", .gauge, "Adapters whose signal strengths are none, by what is wrong with them.",
            SuspectReadings.Kind.allCases.map { kind in
                .init(report.suspectReadings.count { $0.kind == kind }, label: ("kind", kind.rawValue))
            })
        if !report.recoveries.isEmpty {
            text.add(
                "beacond_radio_recoveries_total", .counter, "What was done about adapters that did not scan, by step.",
                report.recoveries.map { .init($0.count, label: ("step", $0.step)) })
        }
        if let location = report.location { addLocation(location, to: &text) }
        text.add("beacond_tracks", .gauge, "Physical beacons in the air now.", [.init(report.tracks)])
        text.add("beacond_region_instances", .gauge, "Region instances held.", [.init(report.instances)])
    }

    private func addLocation(_ location: LocationFigures, to text: inout PrometheusText) {
        text.add(
            "beacond_location_fixes_used_total", .counter, "Fixes that were used.", [.init(location.fixes.used)])
        text.add(
            "beacond_location_fixes_rejected_total", .counter, "Fixes that were not used, by reason.",
            FixRejection.allCases.map { .init(location.fixes[$0], label: ("reason", $0.rawValue)) })
        text.add(
            "beacond_location_receiver_on_seconds_total", .counter, "For how long the receiver was on.",
            [.init(location.receiverOn.seconds)])
    }

    private func addDelivery(_ report: HealthReport, to text: inout PrometheusText) {
        text.add(
            "beacond_outbox_queued_events", .gauge, "Events that wait for the broker.", [.init(report.queueDepth)])
        text.add(
            "beacond_outbox_healthy", .gauge, "Whether what is committed reaches the disk.",
            [.init(report.outbox.isEmpty)])
        text.add(
            "beacond_dropped_total", .counter, "What was given up, by cause.",
            report.drops.map { .init($0.count, label: ("cause", $0.cause)) })
        guard let broker = report.broker else { return }
        text.add("beacond_mqtt_connected", .gauge, "Whether the broker is connected.", [.init(broker.isConnected)])
        text.add(
            "beacond_mqtt_reconnects_total", .counter, "Connections that stood after the first.",
            [.init(broker.reconnects)])
        text.add(
            "beacond_mqtt_refused_total", .counter, "Messages that the broker refused in its PUBACK, by reason.",
            broker.refused.map { .init($0.count, label: ("reason", $0.reason)) })
    }
}
