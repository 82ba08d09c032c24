/// `status`: birth, will and every change.
package struct StatusPayload: ReadablePayload, Hashable {
    package var head: PayloadHead
    var isOnline: Bool
    package var version: String
    package var epoch: String
    /// The condition of the radio, never `stopped`: an agent that does not run is offline by its will.
    package var radio: CoveredRadio
    /// Advice for an installer about the radio; empty where no action is needed.
    var remedy: String
    /// `nil` without `[location]`.
    package var location: LocationStatus?
    /// `nil` in a replay and for a store.
    package var settings: SettingsInEffect?
    /// The frame that the gateway sends; `nil` without `[advertise]`.
    var advertises: IBeaconFrame?

    private enum State: String, CaseIterable {
        case online
        case offline
    }
}

extension StatusPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, isOnline: try fields.word("state") as State == .online, version: try fields.text("version"),
            epoch: try fields.epoch(), radio: try fields.radio(), remedy: try fields.text("remedy"),
            location: try fields.objectIfPresent("location") { fields throws(PayloadError) in
                LocationStatus(availability: try fields.word("availability"), isPaused: try fields.boolean("paused"))
            },
            settings: try fields.objectIfPresent("settings", SettingsInEffect.init),
            advertises: try fields.objectIfPresent("advertises") { fields throws(PayloadError) in
                IBeaconFrame(
                    identity: try fields.identity(),
                    measuredPower_dbm: try fields.integer("measured_power_dbm", -127...20))
            })
        if radio == .stopped { throw PayloadError("radio", .mustBeOneOf("what a radio does while the agent runs")) }
    }

    package func write(to json: inout JSONWriter) {
        json.set("state", isOnline ? State.online : .offline)
        json.set("version", version)
        json.set("epoch", epoch)
        json.set("radio", radio.word)
        json.set("remedy", remedy)
        if let location {
            json.set("location") { json in
                json.set("availability", location.availability)
                json.set("paused", location.isPaused)
            }
        }
        if let settings { json.set("settings") { json in settings.write(to: &json) } }
        if let advertises {
            json.set("advertises") { json in
                json.set(advertises.identity)
                json.set("measured_power_dbm", advertises.measuredPower_dbm)
            }
        }
    }
}

extension MessageComposer {
    /// The condition of the radio in `status`: an availability, or a capture in its place.
    package enum RadioStatus: Hashable, Sendable {
        case live(RadioCondition)
        case replay
        /// A store, which hears while any of its gateways does.
        case store(isHearing: Bool)

        package var word: String { covered.word }

        package var covered: CoveredRadio {
            switch self {
            case .live(let condition): .live(condition.availability)
            case .replay: .replay
            case .store(let isHearing): .live(isHearing ? .scanning : .absent)
            }
        }

        var remedy: String {
            switch self {
            case .live(let condition): condition.remedy
            case .replay, .store(isHearing: true): ""
            case .store(isHearing: false):
                "no gateway of the store can hear: see health.gateways, and what their own status says"
            }
        }
    }

    package func status(
        isOnline: Bool, epoch: String, radio: RadioStatus, location: LocationStatus? = nil, at instant: Instant,
        _ timebase: Timebase
    ) -> Message {
        let payload = StatusPayload(
            head: head(at: instant, timebase), isOnline: isOnline, version: version, epoch: epoch, radio: radio.covered,
            remedy: radio.remedy, location: location, settings: settings, advertises: advertises)
        return message(.status, on: topics.status, payload.encoded)
    }
}

/// `health`: the gateway's figures, every 60 s. `HealthReport.figures` declares them.
struct HealthPayload: Payload {
    package var head: PayloadHead
    var report: HealthReport
}

extension HealthPayload {
    func write(to json: inout JSONWriter) {
        for figure in HealthReport.figures { figure.write(report, &json) }
    }
}

extension MessageComposer {
    package func health(_ report: HealthReport, at instant: Instant, _ timebase: Timebase) -> Message {
        let payload = HealthPayload(head: head(at: instant, timebase), report: report)
        return message(.health, on: topics.health, payload.encoded)
    }

    /// Returns the figures of `health` as metrics, for node_exporter's textfile collector. UTF-8 text.
    ///
    /// - Parameter agent: the label `agent`, which distinguishes them from those of a gateway on one machine; `nil` for a
    ///   gateway.
    package func metrics(
        _ report: HealthReport, radio: RadioStatus, isClockSynced: Bool, agent: String? = nil
    ) -> [UInt8] {
        var text = PrometheusText(labelled: agent.map { ("agent", $0) })
        text.add("beacond_build_info", .gauge, "The agent's version.", [.init(1, label: ("version", version))])
        text.add("beacond_clock_synced", .gauge, "Whether the system clock is set by NTP.", [.init(isClockSynced)])
        text.add(
            "beacond_radio_availability", .gauge, "The condition of the adapter: 1 for the present one.",
            RadioAvailability.allCases.map { .init(radio.word == $0.rawValue, label: ("state", $0.rawValue)) })
        for figure in HealthReport.figures { figure.measure(report, &text) }
        return Array(text.text.utf8)
    }
}
