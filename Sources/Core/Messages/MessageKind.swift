/// The kinds of messages that a gateway publishes, by their word in a topic.
///
/// A new kind is declared here, with its scope and its delivery. Its fields are in a file of its own in `Payloads`.
package enum MessageKind: String, CaseIterable, Sendable {
    /// The online state of the gateway, and the condition of its radio.
    case status
    /// The gateway's figures, every minute.
    case health
    /// A time in which the radio was in one condition.
    case coverage
    /// Entries that a limit held back.
    case surge
    /// The time that beacons spent in each cell of a store's floor plan.
    case heat
    /// The visits of a region of people.
    case count
    /// Numbers that will not come any more.
    case gap
    /// A crossing of a region's boundary.
    case event
    /// The state of a region instance.
    case state
    /// The beacons in range of a region.
    case ranging
    /// The gateway's place.
    case location
    /// The gateway's deferred fixes, in one batch.
    case track = "location/track"
    /// A store's day so far.
    case today
    /// The offsets that a store has learned.
    case learned
    /// The zone map of a walk through the store. Its sender is `beacond site walk`, and the store reads it.
    case zones
    /// The outcome of settings that an operator has published.
    case settings = "settings/reported"
    /// A page of the list of beacons.
    case beacons
    /// The answer to a request.
    case response

    /// The subject of a kind's topics, which decides the place of its word.
    enum Scope: Sendable {
        /// `{root}/{kind}`
        case gateway
        /// `{root}/{kind}` of a store alone.
        case store
        /// `{root}/{kind}/{page}`
        case page
        /// `{root}/region/{id}/{kind}`. An expanded region has its major, and its minor, before the last level.
        case region
        /// `{root}/{kind}/{verb}`, or a topic chosen by the requester.
        case request
    }

    var scope: Scope {
        switch self {
        case .status, .health, .coverage, .surge, .heat, .count, .gap, .location, .track, .settings: .gateway
        case .today, .learned, .zones: .store
        case .beacons: .page
        case .event, .state, .ranging: .region
        case .response: .request
        }
    }

    /// True for a topic of the root and the kind's word alone.
    var isAboutGateway: Bool { scope == .gateway || scope == .store }

    /// True for a kind that a store, or a gateway whose operator has turned it on, publishes alone.
    var isOptional: Bool { scope == .store || scope == .page || self == .settings }

    package var delivery: MessageDelivery {
        switch self {
        case .event: .durable(.events)
        case .coverage: .durable(.spans)
        case .surge: .durable(.surges)
        case .heat: .durable(.sheets)
        case .count: .durable(.counts)
        case .track: .durable(.batches)
        case .gap: .durable(nil)
        case .status, .health, .state, .location, .today, .learned, .zones, .settings, .beacons: .retained
        case .ranging: .ephemeral
        case .response: .answer
        }
    }
}

/// The series that numbers a durable message. Each series has its own numbers within an epoch, from 1, without gaps.
///
/// The outbox's file has the raw value, and columns that are named after `gapKeys`. So a series keeps both for ever, and a
/// new series takes the next raw value.
package enum NumberSeries: Int64, CaseIterable, Sendable {
    /// Region events: `seq`.
    case events = 0
    /// Spans of coverage: `span`.
    case spans = 1
    /// Deferred fixes in one batch: `batch`.
    case batches = 2
    /// Entries that were held back, by minute and region: `surge`.
    case surges = 3
    /// Sheets of a store's heat map: `sheet`.
    case sheets = 4
    /// Counts of the visits of regions of people: `count`.
    case counts = 5

    /// True if events may overtake a message that the broker refuses: an access list may be older than the series.
    var isOptional: Bool { self != .events }

    /// True if `max_events` limits the queued messages of this series. For the other series their number means little:
    /// spans are few, and a batch of fixes is as large as hundreds of events. `max_mib` limits all series.
    package var isCounted: Bool { self == .events }

    /// The field of a message for its number.
    var key: StaticString {
        switch self {
        case .events: "seq"
        case .spans: "span"
        case .batches: "batch"
        case .surges: "surge"
        case .sheets: "sheet"
        case .counts: "count"
        }
    }

    /// The fields of a `gap` for the first and the last number.
    package var gapKeys: (from: StaticString, to: StaticString) {
        switch self {
        case .events: ("from_seq", "to_seq")
        case .spans: ("from_span", "to_span")
        case .batches: ("from_batch", "to_batch")
        case .surges: ("from_surge", "to_surge")
        case .sheets: ("from_sheet", "to_sheet")
        case .counts: ("from_count", "to_count")
        }
    }
}
