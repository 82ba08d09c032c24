import HCI
public import Regions

/// Numbers events and writes each transition's messages: the event, if there is one, and the state that names it.
///
/// The numbers themselves come from the outbox, which alone knows what was committed.
public struct EventLedger: Sendable {
    /// The messages of one transition. They are stored together and published in this order.
    public struct Entry: Hashable, Sendable {
        /// The number of the event; `nil` where nothing was crossed or nobody wants to know.
        public var seq: Int64?
        public var event: Message?
        public var state: Message
    }

    public let composer: MessageComposer
    /// The last event of each instance that has had one.
    private var lastSeq: [RegionInstanceID: Int64]
    /// What was told last of each instance that has had an event: told again where its number means nothing any more.
    private var lastTold: [RegionInstanceID: RegionTransition] = [:]
    /// What is to be told again because a new epoch has begun.
    private var outdated: [RegionInstanceID: RegionTransition] = [:]

    /// - Parameter lastSeq: the last event of each instance, as far as it was stored.
    public init(_ composer: MessageComposer, lastSeq: [RegionInstanceID: Int64] = [:]) {
        self.composer = composer
        self.lastSeq = lastSeq
    }

    /// The number of the last event of an instance, 0 before the first.
    public func eventSeq(of instance: RegionInstanceID) -> Int64 { lastSeq[instance] ?? 0 }

    /// Writes a transition down.
    ///
    /// - Parameters:
    ///   - epoch: the outbox's.
    ///   - seq: what its event gets, if it has one; the entry says whether it was used up.
    public mutating func enter(
        _ transition: RegionTransition, epoch: String, seq: Int64, _ timebase: Timebase
    ) -> Entry {
        outdated[transition.instance] = nil
        defer { noteTold(transition) }
        guard let event = transition.event else {
            let eventSeq = eventSeq(of: transition.instance)
            return Entry(seq: nil, event: nil, state: composer.state(transition, eventSeq: eventSeq, timebase))
        }
        lastSeq[transition.instance] = seq
        return Entry(
            seq: seq,
            event: composer.event(
                event, of: transition.instance, epoch: epoch, seq: seq, at: transition.at, timebase),
            state: composer.state(transition, eventSeq: seq, timebase))
    }

    /// An instance is monitored no more.
    public mutating func forget(_ instance: RegionInstanceID) {
        lastSeq[instance] = nil
        lastTold[instance] = nil
        outdated[instance] = nil
    }

    /// A new epoch begins: numbers of the old one mean nothing in it, and the states that name them are outdated.
    public mutating func beginEpoch() {
        lastSeq.removeAll()
        outdated.merge(lastTold) { _, told in told }
        lastTold.removeAll()
    }

    /// The states of the instances that have not changed since the epoch began, each once, by the time of their change.
    public mutating func takeOutdatedStates(_ timebase: Timebase) -> [Message] {
        defer { outdated.removeAll() }
        return outdated.values
            .sorted { ($0.at, composer.topics.state($0.instance)) < ($1.at, composer.topics.state($1.instance)) }
            .map { composer.state($0, eventSeq: 0, timebase) }
    }

    private mutating func noteTold(_ transition: RegionTransition) {
        guard lastSeq[transition.instance] != nil else { return }
        var told = transition
        told.event = nil
        lastTold[transition.instance] = told
    }
}
