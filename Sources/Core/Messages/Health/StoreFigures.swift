/// The figures of a store's gateways in its `health`.
package struct StoreFigures: Hashable, Sendable {
    /// The hearing of a gateway. The raw value is the word in the message.
    package enum Hearing: String, CaseIterable, Sendable {
        case hears
        /// The radio does not scan.
        case blind
        case offline
        /// The configuration lists the gateway, and no message has come from it yet.
        case silent
    }

    package struct Gateway: Hashable, Sendable {
        package var id: String
        package var hearing: Hearing
        /// The seconds by which its clock is ahead of the store's; `nil` where its clock is not synced, or no message
        /// came yet.
        package var clockAhead_s: Double?
    }

    /// Messages that came too late to change anything.
    package var late: UInt64
    /// Messages that could not be read.
    package var malformed: UInt64
    /// Sealed reports of people that were not taken; `nil` where the store counts no people.
    package var peopleRefused: UInt64?
    /// The gateways in the order of the configuration; those not listed follow in the order of appearance.
    package var gateways: [Gateway]
    /// The gateways whose links have changed; `nil` where the store does not learn.
    package var suspects: Int?

    package init(late: UInt64, malformed: UInt64, gateways: [Gateway]) {
        self.late = late
        self.malformed = malformed
        self.gateways = gateways
    }
}

extension StoreFigures {
    static let figures: [HealthFigure<StoreFigures>] = [
        .integer(
            "late", \.late,
            .counter("beacond_site_late_total", "Messages of gateways that came too late to change anything.")),
        .integer(
            "malformed", \.malformed,
            .counter("beacond_site_malformed_total", "Messages of gateways that could not be read.")),
        .integerIfPresent(
            "people_refused", \.peopleRefused,
            .counter("beacond_site_people_refused_total", "Sealed reports of people that were not taken.")),
        HealthFigure(
            "gateways", .gauge("beacond_site_gateway_hears", "Whether a gateway of the store can hear.")
        ) { figures, json in
            json.set("gateways", objectsFor: figures.gateways) { gateway, json in
                json.set("gateway", gateway.id)
                json.set("hearing", gateway.hearing)
                if let ahead_s = gateway.clockAhead_s { json.set("clock_ahead_s", ahead_s, decimals: 1) }
            }
        } samples: { figures in
            figures.gateways.map { .init($0.hearing == .hears, label: ("gateway", $0.id)) }
        },
        .integerIfPresent(
            "suspects", \.suspects,
            .gauge("beacond_site_suspects", "Gateways that seem to have been moved, turned or covered.")),
    ]
}
