import Core

/// Searches, after a new epoch, for unknown retained states below the gateway's root: a machine that this one replaces
/// has left them, or a lost outbox. No other client would ever clear them.
///
/// Once the broker has all of this gateway's messages, the search subscribes to the gateway's regions for a moment. It
/// clears the unknown topics that come, and repeats until none does. The gateway's own status comes too, which proves
/// that the gateway may read: most brokers neither answer nor send where an access list forbids it.
struct LeftoverSearch: Sendable {
    /// The silence that ends a round; `longest` limits the round.
    static let quiet = TimeSpan.seconds(5)
    static let longest = TimeSpan.seconds(60)
    /// The most connections that may end because of the search: some brokers end the connection of a client that may
    /// not subscribe.
    static let mostConnections = 3
    /// The most topics to clear, far above what a gateway retains.
    static let mostTopics = 65_536

    private enum Phase {
        case off
        case due
        /// `unanswered` filters wait for the broker's answer.
        case listening(unanswered: Int, quietAt: BootInstant, until: BootInstant)
    }

    let filters: [String]
    private let statusTopic: String
    private let regionRoot: String
    private var phase = Phase.off
    private var connections = 0
    private var hasHeardAny = false
    private var hasFound = false
    private var cleared: Set<String> = []
    private var isRefusalLogged = false

    init(statusTopic: String) {
        self.statusTopic = statusTopic
        regionRoot = statusTopic.dropLast("status".count) + "region/"
        filters = [statusTopic, regionRoot + "#"]
    }

    /// Begins a search, after a new epoch.
    mutating func begin() {
        phase = .due
        connections = 0
        cleared = []
    }

    var isDue: Bool { if case .due = phase { true } else { false } }

    /// True if a search is due or under way.
    var isUnfinished: Bool { if case .off = phase { false } else { true } }

    /// The time at which `end` is due.
    var dueAt: BootInstant? {
        if case .listening(_, let quietAt, let until) = phase { min(quietAt, until) } else { nil }
    }

    /// Begins a round with a subscription.
    mutating func listen(at now: BootInstant) -> DeliveryAction {
        phase = .listening(unanswered: filters.count, quietAt: now + Self.longest, until: now + Self.longest)
        hasHeardAny = false
        hasFound = false
        return .subscribe(filters: filters)
    }

    /// Handles the broker's answer to one of the filters.
    mutating func answered(_ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        guard case .listening(let unanswered, _, let until) = phase else { return [] }
        guard reason.isSuccess else {
            phase = .off
            return [.unsubscribe(filters: filters)] + complain(reason)
        }
        let left = unanswered - 1
        phase = .listening(unanswered: left, quietAt: left > 0 ? until : now + Self.quiet, until: until)
        return []
    }

    /// Returns whether a message matches the search's filters.
    func expects(_ topic: String) -> Bool { topic == statusTopic || topic.utf8.starts(with: regionRoot.utf8) }

    /// Handles a message. Returns the topic to clear, if any.
    mutating func heard(_ message: IncomingMessage, isKnown: Bool, at now: BootInstant) -> String? {
        guard case .listening(let unanswered, _, let until) = phase else { return nil }
        guard message.isRetained, message.payload != .bytes([]) else { return nil }
        hasHeardAny = true
        phase = .listening(unanswered: unanswered, quietAt: unanswered > 0 ? until : now + Self.quiet, until: until)
        guard !isKnown, message.topic.utf8.starts(with: regionRoot.utf8), message.topic.hasSuffix("/state"),
            cleared.count < Self.mostTopics, cleared.insert(message.topic).inserted
        else { return nil }
        hasFound = true
        return message.topic
    }

    /// Ends a round. Where it found topics, another round checks that those were all.
    mutating func end() -> [DeliveryAction] {
        phase = hasFound ? .due : .off
        let actions: [DeliveryAction] = [.unsubscribe(filters: filters)]
        if hasFound { return actions }
        guard hasHeardAny else { return actions + complain(nil) }
        defer { cleared = [] }
        return actions + [.searched(cleared: cleared.count)]
    }

    /// The connection is gone; the search may succeed on the next one.
    mutating func connectionLost() {
        guard case .listening = phase else { return }
        connections += 1
        phase = connections < Self.mostConnections ? .due : .off
    }

    private mutating func complain(_ reason: ReasonCode?) -> [DeliveryAction] {
        defer { isRefusalLogged = true }
        return isRefusalLogged ? [] : [.log(.ownStatesUnreadable(filters: filters, reason))]
    }
}
