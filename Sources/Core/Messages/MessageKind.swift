/// Every kind of message that a gateway publishes, by its word in a topic.
///
/// A new kind is declared here, with its scope and its delivery; its fields stand in a file of its own under `Payloads`.
package enum MessageKind: String, CaseIterable, Sendable {
    /// Whether the gateway is there, and what its radio does.
    case status
    /// Its figures, every minute.
    case health
    /// A time in which its radio was in one condition.
    case coverage
    /// Entries that a limit held back.
    case surge
    /// Numbers that will not come any more.
    case gap
    /// A crossing of a region's boundary.
    case event
    /// Whether a region is inside.
    case state
    /// The beacons in range of a region.
    case ranging
    /// Where the gateway is.
    case location
    /// Where it has been, as it was told together.
    case track = "location/track"
    /// A store's day so far.
    case today
    /// What became of a request.
    case response

    /// What a topic of the kind is about, which says where its word stands.
    enum Scope: Sendable {
        /// `{root}/{kind}`
        case gateway
        /// `{root}/region/{id}/{kind}`; an expanded region has its major, and its minor, before the last level.
        case region
        /// `{root}/{kind}/{verb}`, or wherever the requester wants it.
        case request
    }

    var scope: Scope {
        switch self {
        case .status, .health, .coverage, .surge, .gap, .location, .track, .today: .gateway
        case .event, .state, .ranging: .region
        case .response: .request
        }
    }

    /// How its messages reach those who want them.
    package var delivery: MessageDelivery {
        switch self {
        case .event: .durable(.events)
        case .coverage: .durable(.spans)
        case .surge: .durable(.surges)
        case .track: .durable(.batches)
        case .gap: .durable(nil)
        case .status, .health, .state, .location, .today: .retained
        case .ranging: .ephemeral
        case .response: .answer
        }
    }

    /// What its payloads are.
    package var payload: any Payload.Type {
        switch self {
        case .status: StatusPayload.self
        case .health: HealthPayload.self
        case .coverage: CoveragePayload.self
        case .surge: SurgePayload.self
        case .gap: GapPayload.self
        case .event: EventPayload.self
        case .state: StatePayload.self
        case .ranging: RangingPayload.self
        case .location: LocationPayload.self
        case .track: TrackPayload.self
        case .today: TodayPayload.self
        case .response: ResponsePayload.self
        }
    }
}

/// What a durable message is counted with. Each series has numbers of its own within an epoch, from 1, without gaps.
///
/// The raw value stands in the outbox's file, and the outbox names its columns after `gapKeys`. So a series keeps both for ever, and a
/// new series takes the next raw value.
package enum NumberSeries: Int64, CaseIterable, Sendable {
    /// Region events: `seq`.
    case events = 0
    /// Spans of coverage: `span`.
    case spans = 1
    /// Deferred fixes, told together: `batch`.
    case batches = 2
    /// Entries that were held back, by minute and region: `surge`.
    case surges = 3

    /// Whether the events don't wait for one that the broker refuses: an access list may have been written before there were any.
    var isOptional: Bool { self != .events }

    /// The fields of a `gap` that have the first number and the last.
    package var gapKeys: (from: StaticString, to: StaticString) {
        switch self {
        case .events: ("from_seq", "to_seq")
        case .spans: ("from_span", "to_span")
        case .batches: ("from_batch", "to_batch")
        case .surges: ("from_surge", "to_surge")
        }
    }
}
