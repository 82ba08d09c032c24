import Core
import DequeModule

/// The latest retained message of every topic, and the topics that the broker does not have yet.
///
/// A state that changes while it waits is sent once, with its latest content. On a new connection everything is sent
/// again: first the status, then the other topics in the order of their first appearance. A topic that an empty message
/// clears is forgotten once the broker has that message.
struct RetainedStates: Sendable {
    private struct Entry {
        var message: Message
        /// Topics are sent again in the order of this number.
        var number: UInt64
        var isUnderWay = false
        /// True if it has changed, or was refused, since it was last sent.
        var isPending = true
        var refusals = 0
        /// True if it was refused because of its content: it is left out until it changes.
        var isGivenUp = false
    }

    let statusTopic: String
    private let maxTopics: Int
    private var entries: [String: Entry] = [:]
    private var lastNumber: UInt64 = 0
    /// Topics to send; a topic that can't be sent any more is skipped.
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

    /// True if no topic waits to be sent. Topics under way are not counted.
    var isEmpty: Bool { waiting.isEmpty && resting.isEmpty }

    var isStatusDelivered: Bool { entries[statusTopic].map { !$0.isUnderWay && !$0.isPending } ?? true }

    /// Returns whether a topic has a message to send, now or on the next connection.
    func keeps(_ topic: String) -> Bool { entries[topic] != nil }

    /// Returns whether a topic's message clears it.
    func clears(_ topic: String) -> Bool { entries[topic]?.message.clearsTopic ?? false }

    /// Returns `false` where there are too many topics for a new one.
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

    /// Removes a topic, even if it was to be cleared.
    mutating func remove(_ topic: String) {
        guard topic != statusTopic else { return }
        entries[topic] = nil
        resting.removeAll { $0 == topic }
        if resting.isEmpty { retryAt = nil }
    }

    /// Sends a topic's message once more, where the broker has it already.
    mutating func publishAgain(_ topic: String) {
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

    /// Handles an accepted topic. Returns whether it had been refused before.
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

    /// Handles a refused topic, which is tried again after a pause. Returns the number of refusals of its present
    /// message.
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
        // The connection may have ended because of this topic, so it is not under way any more.
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

    var underWay: [String] { entries.filter(\.value.isUnderWay).map(\.key) }

    /// The broken rules among those that hold between two calls, a sentence for each.
    func checkInvariants() -> [String] {
        let queued = Set(waiting).union(resting)
        let forgotten = entries.filter {
            $0.value.isPending && !$0.value.isUnderWay && !$0.value.isGivenUp && !queued.contains($0.key)
        }
        return forgotten.map { "\($0.key) waits in no queue" }
            + (resting.isEmpty == (retryAt == nil) ? [] : ["\(resting.count) topics rest until \(retryAt as Any)"])
            + (entries.count <= maxTopics ? [] : ["there are \(entries.count) retained topics"])
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

    /// Puts a topic into the queue; the status goes to the front.
    private mutating func enqueue(_ topic: String) {
        if topic == statusTopic { waiting.prepend(topic) } else { waiting.append(topic) }
    }
}
