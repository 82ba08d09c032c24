import Core

/// Looks, once an epoch has begun, for retained states below the gateway's own root that it does not know: a machine that
/// it replaces has left them, or an outbox that is lost. Nobody else would ever take them back.
///
/// It subscribes to its own regions for a moment, once everything of its own is at the broker, and has everything cleared
/// that comes and is unknown; again, until nothing does. The gateway's own status comes too, which shows that the broker
/// lets us read: where its access list does not, most brokers say nothing and send nothing.
struct LeftoverSearch: Sendable {
    /// A round is over when nothing has come for so long, or after `longest`.
    static let quiet = TimeSpan.seconds(5)
    static let longest = TimeSpan.seconds(60)
    /// So many connections may end over it: some brokers hang up on who may not subscribe.
    static let mostConnections = 3
    /// More than this is not cleared: it is far beyond what a gateway has retained.
    static let mostTopics = 65_536

    private enum Phase {
        case off
        case due
        /// `unanswered` filters wait for the broker's word.
        case listening(unanswered: Int, quietAt: BootInstant, until: BootInstant)
    }

    /// What to subscribe to.
    let filters: [String]
    private let statusTopic: String
    private let regionRoot: String
    private var phase = Phase.off
    private var connections = 0
    private var hasHeardAny = false
    private var hasFound = false
    private var cleared: Set<String> = []
    private var isRefusalSaid = false

    init(statusTopic: String) {
        self.statusTopic = statusTopic
        regionRoot = statusTopic.dropLast("status".count) + "region/"
        filters = [statusTopic, regionRoot + "#"]
    }

    /// An epoch has begun.
    mutating func begin() {
        phase = .due
        connections = 0
        cleared = []
    }

    var isDue: Bool { if case .due = phase { true } else { false } }

    /// Whether it is due or under way.
    var isUnfinished: Bool { if case .off = phase { false } else { true } }

    /// When `end` is due.
    var dueAt: BootInstant? {
        if case .listening(_, let quietAt, let until) = phase { min(quietAt, until) } else { nil }
    }

    /// A round begins with a subscription.
    mutating func listen(at now: BootInstant) -> DeliveryAction {
        phase = .listening(unanswered: filters.count, quietAt: now + Self.longest, until: now + Self.longest)
        hasHeardAny = false
        hasFound = false
        return .subscribe(filters: filters)
    }

    /// The broker's answer to one of the filters.
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

    /// Whether a message is one of those that it has asked for.
    func expects(_ topic: String) -> Bool { topic == statusTopic || topic.utf8.starts(with: regionRoot.utf8) }

    /// Something came. Returns the topic to clear, where there is one.
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

    /// The round is over. Where it found something, another one shows whether that was all.
    mutating func end() -> [DeliveryAction] {
        phase = hasFound ? .due : .off
        let actions: [DeliveryAction] = [.unsubscribe(filters: filters)]
        if hasFound { return actions }
        guard hasHeardAny else { return actions + complain(nil) }
        defer { cleared = [] }
        return actions + [.searched(cleared: cleared.count)]
    }

    /// The connection is gone; the next one may do.
    mutating func connectionLost() {
        guard case .listening = phase else { return }
        connections += 1
        phase = connections < Self.mostConnections ? .due : .off
    }

    private mutating func complain(_ reason: ReasonCode?) -> [DeliveryAction] {
        defer { isRefusalSaid = true }
        return isRefusalSaid ? [] : [.say(.ownStatesUnreadable(filters: filters, reason))]
    }
}

/// What the gateway that this one was before it was moved has left to be sent: events under its topics, and retained
/// topics of its own to be cleared. The broker may refuse all of it, so nothing of ours waits for any of it.
struct FormerGateway: Sendable {
    /// `{prefix}/{site}/{gateway}/` of the gateway that this one is.
    private let ownRoot: String
    package var line: OutgoingLine
    /// The broker refuses what it says, so far as was tried.
    var isRefusedForGood = false
    var saidRefusals = SaidOnce<ReasonCode>()

    /// - Parameter statusTopic: of the gateway that this one is.
    init(statusTopic: String, seed: UInt64) {
        ownRoot = String(statusTopic.dropLast("status".count))
        line = OutgoingLine(seed: seed, isExhausted: true)
    }

    /// Whether a topic is not one of this gateway's own.
    func owns(_ topic: String) -> Bool { !topic.utf8.starts(with: ownRoot.utf8) }

    /// Accepted. Returns whether it is one of these.
    mutating func settle(_ sequence: UInt64) -> Bool {
        guard line.remove(sequence) != nil else { return false }
        isRefusedForGood = false
        saidRefusals.forget()
        return true
    }

    mutating func refuse(_ sequence: UInt64, at now: BootInstant) -> (message: OutgoingMessage, refusals: Int)? {
        line.refuse(sequence, at: now)
    }

    /// It won't be sent any more. Returns whether it is one of these.
    mutating func giveUp(_ sequence: UInt64) -> Bool {
        guard line.topic(of: sequence) != nil else { return false }
        line.giveUp(sequence)
        return true
    }
}
