import Core
import DequeModule

/// The latest retained message of every topic, and which of them the broker has yet to get.
///
/// A state that changes while it waits is sent once, as it is then. On a new connection everything is sent again, the
/// status first, then in the order in which the topics first appeared. A topic that is cleared, by an empty message, is
/// forgotten once the broker has that.
struct RetainedStates: Sendable {
    private struct Entry {
        var message: Message
        /// Topics are sent again in the order of this number.
        var number: UInt64
        var isUnderWay = false
        /// It changed, or was refused, since it was last sent.
        var isPending = true
        var refusals = 0
        /// Refused for what it is: left out until it changes.
        var isGivenUp = false
    }

    let statusTopic: String
    private let maxTopics: Int
    private var entries: [String: Entry] = [:]
    private var lastNumber: UInt64 = 0
    /// Topics to send; one that has become unsendable meanwhile is skipped.
    private var waiting: Deque<String> = []
    /// Topics that were refused and wait for `retryAt`.
    private var resting: [String] = []
    private(set) var retryAt: BootInstant?
    private var backoff: Backoff

    init(status: Message, maxTopics: Int, seed: UInt64) {
        statusTopic = status.topic
        self.maxTopics = maxTopics
        backoff = Backoff(seed: seed)
        _ = set(status)
    }

    /// Whether nothing waits to be sent. What is under way is not counted.
    var isEmpty: Bool { waiting.isEmpty && resting.isEmpty }

    /// Whether the broker has the status as it is now.
    var isStatusDelivered: Bool {
        entries[statusTopic].map { !$0.isUnderWay && !$0.isPending } ?? true
    }

    /// Whether there is anything to say on a topic, now or on the next connection.
    func keeps(_ topic: String) -> Bool { entries[topic] != nil }

    /// Whether what is said on a topic clears it.
    func clears(_ topic: String) -> Bool { entries[topic]?.message.clearsTopic ?? false }

    /// `false` where there are too many topics for a new one.
    mutating func set(_ message: Message) -> Bool {
        let topic = message.topic
        guard var entry = entries[topic] else {
            guard entries.count < maxTopics else { return false }
            lastNumber += 1
            entries[topic] = Entry(message: message, number: lastNumber)
            enqueue(topic)
            return true
        }
        let isQueued = entry.isPending && !entry.isUnderWay && !entry.isGivenUp
        entry.message = message
        entry.isPending = true
        entry.refusals = 0
        entry.isGivenUp = false
        entries[topic] = entry
        if !isQueued && !entry.isUnderWay { enqueue(topic) }
        return true
    }

    /// Nothing is said on a topic any more, not even that it is cleared.
    mutating func forget(_ topic: String) {
        guard topic != statusTopic else { return }
        entries[topic] = nil
        resting.removeAll { $0 == topic }
        if resting.isEmpty { retryAt = nil }
    }

    /// What a topic says goes out once more, where the broker has it already.
    mutating func sayAgain(_ topic: String) {
        guard let entry = entries[topic], !entry.isPending, !entry.isUnderWay, !entry.isGivenUp else { return }
        entries[topic]?.isPending = true
        enqueue(topic)
    }

    /// The message to send now, which is then under way; with `onlyStatus`, the status or nothing.
    mutating func takeNext(at now: BootInstant, onlyStatus: Bool) -> Message? {
        wakeResting(at: now)
        if onlyStatus {
            guard waiting.contains(statusTopic) else { return nil }
            waiting.removeAll { $0 == statusTopic }
            return takeUnderWay(statusTopic)
        }
        while let topic = waiting.popFirst() {
            if let message = takeUnderWay(topic) { return message }
        }
        return nil
    }

    /// Accepted. Returns whether it had been refused before.
    mutating func delivered(_ topic: String) -> Bool {
        guard var entry = entries[topic] else { return false }
        let hadBeenRefused = entry.refusals > 0
        entry.isUnderWay = false
        entry.refusals = 0
        entries[topic] = entry
        backoff.reset()
        if entry.isPending {
            enqueue(topic)
        } else if entry.message.payload.isEmpty {
            entries[topic] = nil
        }
        return hadBeenRefused
    }

    /// Refused; it is tried again after a pause. Returns how often it has been, as it is now.
    mutating func refuse(_ topic: String, at now: BootInstant) -> Int {
        guard var entry = entries[topic] else { return 0 }
        entry.isUnderWay = false
        entry.refusals += 1
        entry.isPending = true
        entries[topic] = entry
        resting.append(topic)
        if (retryAt ?? .origin) <= now { retryAt = now + backoff.next() }
        return entry.refusals
    }

    mutating func giveUp(_ topic: String) {
        if entries[topic]?.message.payload.isEmpty == true { entries[topic] = nil }
        entries[topic]?.isGivenUp = true
        // It may be the connection that ended over it: nothing else would say that it isn't under way any more.
        entries[topic]?.isUnderWay = false
        entries[topic]?.isPending = false
        resting.removeAll { $0 == topic }
        if resting.isEmpty { retryAt = nil }
    }

    /// The connection is gone; the next one gets everything.
    mutating func connectionLost() {
        waiting = []
        for (topic, entry) in entries.sorted(by: { $0.value.number < $1.value.number }) where !entry.isGivenUp {
            entries[topic]?.isUnderWay = false
            entries[topic]?.isPending = true
            waiting.append(topic)
        }
        resting = []
        retryAt = nil
    }

    private mutating func takeUnderWay(_ topic: String) -> Message? {
        guard let entry = entries[topic], entry.isPending, !entry.isUnderWay, !entry.isGivenUp else { return nil }
        entries[topic]?.isUnderWay = true
        entries[topic]?.isPending = false
        return entry.message
    }

    private mutating func wakeResting(at now: BootInstant) {
        guard let due = retryAt, now >= due else { return }
        retryAt = nil
        for topic in resting { enqueue(topic) }
        resting = []
    }

    /// The status goes ahead of everything else.
    private mutating func enqueue(_ topic: String) {
        if topic == statusTopic { waiting.prepend(topic) } else { waiting.append(topic) }
    }
}
