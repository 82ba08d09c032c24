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
    }

    /// A new epoch begins: numbers of the old one mean nothing in it.
    public mutating func beginEpoch() {
        lastSeq.removeAll()
    }
}
