import Core
import DequeModule

/// The next few durable messages of the outbox, in order, on their way to the broker.
///
/// The source fills it, and it holds at most one supply at a time. It always sends the first message that is not under
/// way, so each message follows its predecessor. A refused message goes out again before any other, and alone.
struct OutgoingLine: Sendable {
    private struct Entry {
        var message: OutgoingMessage
        var isUnderWay = false
        var refusals = 0
        /// The time at which the broker first reported that no subscriber matches it.
        var unmatchedSince: BootInstant?
        /// The number of its companions that were sent on this connection.
        var companionsSent = 0
        /// True if a gap that reports its loss has gone out: the message may still arrive, but is not sent again.
        var isGivenUp = false
    }

    /// The next message to send.
    enum Step {
        case message(OutgoingMessage)
        /// A companion of the message with that sequence, for an integration.
        case companion(of: UInt64, index: Int, Message)
    }

    private var entries: Deque<Entry> = []
    /// True if companions are barred, because the broker ends connections on them.
    private var barsCompanions = false
    private var lastFetched: UInt64?
    /// True if the source has no more messages, as far as is known.
    private var isExhausted: Bool
    private var isFetching = false
    private var backoff: Backoff
    /// The end of the pause after a refusal.
    private(set) var retryAt: BootInstant?

    /// - Parameter isExhausted: whether the source has no messages until `outgoingAvailable`.
    init(seed: UInt64, isExhausted: Bool = false) {
        self.isExhausted = isExhausted
        backoff = Backoff(seed: seed)
    }

    /// True if no message waits, as far as is known.
    var isEmpty: Bool { entries.isEmpty && isExhausted && !isFetching }

    /// The number of messages to ask the source for, about two windows; `nil` where it is not asked now.
    mutating func request(window: Int) -> Int? {
        guard !isExhausted, !isFetching, entries.count < window else { return nil }
        isFetching = true
        return window * 2 - entries.count
    }

    /// Takes the source's messages. Messages that do not continue the order are ignored, because the source's numbers
    /// ascend.
    mutating func supply(_ messages: [OutgoingMessage]) {
        isFetching = false
        isExhausted = messages.isEmpty
        for message in messages where lastFetched.map({ message.sequence > $0 }) ?? true {
            entries.append(Entry(message: message))
            lastFetched = message.sequence
        }
    }

    mutating func outgoingAvailable() { isExhausted = false }

    /// The message to send now, which is then under way.
    mutating func takeNext(at now: BootInstant) -> Step? {
        if let retryAt, now < retryAt { return nil }
        retryAt = nil
        for index in entries.indices {
            guard entries[index].isUnderWay else {
                let message = entries[index].message
                let sent = entries[index].companionsSent
                if !barsCompanions, sent < message.companions.count {
                    entries[index].companionsSent += 1
                    return .companion(of: message.sequence, index: sent, message.companions[sent])
                }
                entries[index].isUnderWay = true
                for sequence in message.givesUp {
                    if let earlier = self.index(of: sequence), earlier < index { entries[earlier].isGivenUp = true }
                }
                return .message(message)
            }
            // A refused message goes alone. Otherwise the broker's rules could change between two messages, and the
            // successors be accepted while it is refused once more.
            if entries[index].refusals > 0 { return nil }
        }
        return nil
    }

    var underWay: [UInt64] { entries.filter(\.isUnderWay).map(\.message.sequence) }

    /// Removes an accepted message. Returns whether it had been refused before; `nil` for an unknown one.
    mutating func remove(_ sequence: UInt64) -> Bool? {
        guard let index = index(of: sequence) else { return nil }
        backoff.reset()
        return entries.remove(at: index).refusals > 0
    }

    /// Gives up a message that was refused for good, so that those behind it need not wait.
    mutating func giveUp(_ sequence: UInt64) {
        guard let index = index(of: sequence) else { return }
        entries.remove(at: index)
        retryAt = nil
    }

    /// Bars companions, after the broker has ended enough connections on one.
    mutating func barCompanions() { barsCompanions = true }

    /// Handles a refusal: the message waits in its place, and everything behind it that is not under way waits with it.
    /// Returns the message and the number of its refusals; `nil` for a message that is not sent again.
    mutating func refuse(_ sequence: UInt64, at now: BootInstant) -> (message: OutgoingMessage, refusals: Int)? {
        guard let index = index(of: sequence) else { return nil }
        if entries[index].isGivenUp {
            entries.remove(at: index)
            return nil
        }
        entries[index].isUnderWay = false
        entries[index].refusals += 1
        // A whole window refused at once counts as one occasion, not twenty.
        if (retryAt ?? .origin) <= now { retryAt = now + backoff.next() }
        return (entries[index].message, entries[index].refusals)
    }

    /// Holds an event that no subscriber matches: it waits in its place, at most for `span`, and everything behind it
    /// waits with it.
    ///
    /// Returns its topic; `nil` where it has waited long enough, and for a message that is no event or is not sent
    /// again.
    mutating func hold(_ sequence: UInt64, for span: TimeSpan, at now: BootInstant) -> String? {
        guard let index = index(of: sequence), !entries[index].isGivenUp,
            entries[index].message.message.delivery == .durable(.events)
        else { return nil }
        let since = entries[index].unmatchedSince ?? now
        guard now - since < span else { return nil }
        entries[index].unmatchedSince = since
        entries[index].isUnderWay = false
        entries[index].refusals += 1
        if (retryAt ?? .origin) <= now { retryAt = now + backoff.next() }
        return entries[index].message.message.topic
    }

    /// The connection is gone, with the messages under way.
    mutating func connectionLost() {
        for index in entries.indices {
            entries[index].isUnderWay = false
            entries[index].companionsSent = 0
            advance(index)
        }
        entries.removeAll(where: \.isGivenUp)
    }

    /// Moves a gap to the place of the first message whose loss it reports, so that no later message comes before it.
    private mutating func advance(_ index: Int) {
        let givenUp = entries[index].message.givesUp
        guard !givenUp.isEmpty, !entries[index].isGivenUp,
            let first = entries[..<index].firstIndex(where: { $0.isGivenUp && givenUp.contains($0.message.sequence) })
        else { return }
        entries.insert(entries.remove(at: index), at: first)
    }

    package func topic(of sequence: UInt64) -> String? { index(of: sequence).map { entries[$0].message.message.topic } }

    /// The retained topic with the present state, where the message's companions were of the past.
    func present(after sequence: UInt64) -> String? {
        index(of: sequence).flatMap { entries[$0].companionsSent > 0 ? entries[$0].message.present : nil }
    }

    package func topic(ofCompanion companion: Int, of sequence: UInt64) -> String? {
        guard let index = index(of: sequence), entries[index].message.companions.indices.contains(companion) else {
            return nil
        }
        return entries[index].message.companions[companion].topic
    }

    private func index(of sequence: UInt64) -> Int? { entries.firstIndex { $0.message.sequence == sequence } }
}
