/// `health`: the gateway's figures, every 60 s. They are declared in `HealthReport.figures`.
struct HealthPayload: Payload {
    package var head: PayloadHead
    package var report: HealthReport
}

extension HealthPayload {
    init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(head: head, report: .blank)
        for figure in HealthReport.figures { try figure.read(&report, &fields) }
    }

    func write(to json: inout JSONWriter) {
        for figure in HealthReport.figures { figure.write(report, &json) }
    }
}

extension MessageComposer {
    package func health(_ report: HealthReport, at instant: Instant, _ timebase: Timebase) -> Message {
        let payload = HealthPayload(head: head(at: instant, timebase), report: report)
        return message(.health, on: topics.health, payload.encoded)
    }

    /// The figures of `health` as metrics, for node_exporter's textfile collector. UTF-8 text.
    ///
    /// - Parameter agent: what tells them apart from those of a gateway on the same machine, as the label `agent`; `nil` for a gateway.
    package func metrics(
        _ report: HealthReport, radio: RadioStatus, isClockSynced: Bool, agent: String? = nil
    ) -> [UInt8] {
        var text = PrometheusText(labelled: agent.map { ("agent", $0) })
        text.add("beacond_build_info", .gauge, "The agent's version.", [.init(1, label: ("version", version))])
        text.add("beacond_clock_synced", .gauge, "Whether the system clock is set by NTP.", [.init(isClockSynced)])
        text.add(
            "beacond_radio_availability", .gauge, "What stands between the adapter and scanning: 1 for what holds.",
            RadioAvailability.allCases.map { .init(radio.word == $0.rawValue, label: ("state", $0.rawValue)) })
        for figure in HealthReport.figures { figure.measure(report, &text) }
        return Array(text.text.utf8)
    }
}
