import Core
import DequeModule

/// The next few durable messages of the outbox, in order, on their way to the broker.
///
/// It is filled from the source and never holds more than it was given at once. Sending always takes the first
/// message that is not under way, so a message goes out after its predecessor, and one that was refused goes out again
/// before any other, and by itself.
struct OutgoingLine: Sendable {
    private struct Entry {
        var message: OutgoingMessage
        var isUnderWay = false
        var refusals = 0
        /// When the broker first said that no subscriber matches it.
        var unmatchedSince: BootInstant?
        /// How many of its companions have gone out on this connection.
        var companionsSent = 0
        /// A message that states its loss has gone out: it may still arrive, but does not go out again.
        var isGivenUp = false
    }

    /// What goes out next.
    package enum Step {
        case message(OutgoingMessage)
        /// The message of that sequence in the words of others.
        case companion(of: UInt64, index: Int, Message)
    }

    private var entries: Deque<Entry> = []
    /// The broker hangs up on companions: there are none any more.
    private var barsCompanions = false
    private var lastFetched: UInt64?
    /// The source has no more than what was fetched, as far as we know.
    private var isExhausted: Bool
    private var isFetching = false
    private var backoff: Backoff
    /// Set while a refusal is waited out.
    private(set) var retryAt: BootInstant?

    /// - Parameter isExhausted: the source has nothing until `outgoingAvailable` says so.
    init(seed: UInt64, isExhausted: Bool = false) {
        self.isExhausted = isExhausted
        backoff = Backoff(seed: seed)
    }

    /// Nothing waits, as far as we know.
    var isEmpty: Bool { entries.isEmpty && isExhausted && !isFetching }

    /// What to ask the source for, so that about two windows are at hand.
    mutating func request(window: Int) -> (after: UInt64?, limit: Int)? {
        guard !isExhausted, !isFetching, entries.count < window else { return nil }
        isFetching = true
        return (lastFetched, window * 2 - entries.count)
    }

    /// Takes what the source had. What does not continue the order is left out: the source's numbers ascend.
    mutating func supply(_ messages: [OutgoingMessage]) {
        isFetching = false
        isExhausted = messages.isEmpty
        for message in messages where lastFetched.map({ message.sequence > $0 }) ?? true {
            entries.append(Entry(message: message))
            lastFetched = message.sequence
        }
    }

    mutating func outgoingAvailable() {
        isExhausted = false
    }

    /// What to send now. A message is then under way.
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
            // One that was refused goes alone: were its successors with it, those could be let in while it is refused once
            // more, when the broker's rules change between two of them.
            if entries[index].refusals > 0 { return nil }
        }
        return nil
    }

    /// Accepted: it leaves the line. Returns whether it had been refused before, or `nil` for one that isn't here.
    mutating func remove(_ sequence: UInt64) -> Bool? {
        guard let index = index(of: sequence) else { return nil }
        backoff.reset()
        return entries.remove(at: index).refusals > 0
    }

    /// Refused for good, and what is behind it need not wait for that.
    mutating func giveUp(_ sequence: UInt64) {
        guard let index = index(of: sequence) else { return }
        entries.remove(at: index)
        retryAt = nil
    }

    /// The broker has hung up on one often enough.
    mutating func barCompanions() { barsCompanions = true }

    /// Refused: it waits in its place, and everything behind it that is not under way waits with it.
    /// Returns the message and how often it has been refused; `nil` for one that does not go out again.
    mutating func refuse(_ sequence: UInt64, at now: BootInstant) -> (message: OutgoingMessage, refusals: Int)? {
        guard let index = index(of: sequence) else { return nil }
        if entries[index].isGivenUp {
            entries.remove(at: index)
            return nil
        }
        entries[index].isUnderWay = false
        entries[index].refusals += 1
        // A whole window refused at once is one occasion, not twenty.
        if (retryAt ?? .origin) <= now { retryAt = now + backoff.next() }
        return (entries[index].message, entries[index].refusals)
    }

    /// No subscriber matches an event: it waits in its place, for so long at most, and everything behind it waits with it.
    ///
    /// Returns its topic; `nil` where it has waited long enough, and for a message that is no event or does not go out again.
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

    /// The connection is gone, and with it what it carried.
    mutating func connectionLost() {
        for index in entries.indices {
            entries[index].isUnderWay = false
            entries[index].companionsSent = 0
            advance(index)
        }
        entries.removeAll(where: \.isGivenUp)
    }

    /// What states the loss of messages that don't go out again goes in place of the first of them, so that nothing which
    /// follows those comes before it.
    private mutating func advance(_ index: Int) {
        let givenUp = entries[index].message.givesUp
        guard !givenUp.isEmpty, !entries[index].isGivenUp,
            let first = entries[..<index].firstIndex(where: { $0.isGivenUp && givenUp.contains($0.message.sequence) })
        else { return }
        entries.insert(entries.remove(at: index), at: first)
    }

    package func topic(of sequence: UInt64) -> String? {
        index(of: sequence).map { entries[$0].message.message.topic }
    }

    /// What says the present, where the companions of that message told of what is past.
    func present(after sequence: UInt64) -> String? {
        index(of: sequence).flatMap { entries[$0].companionsSent > 0 ? entries[$0].message.present : nil }
    }

    package func topic(ofCompanion companion: Int, of sequence: UInt64) -> String? {
        guard let index = index(of: sequence), entries[index].message.companions.indices.contains(companion) else {
            return nil
        }
        return entries[index].message.companions[companion].topic
    }

    private func index(of sequence: UInt64) -> Int? {
        entries.firstIndex { $0.message.sequence == sequence }
    }
}
