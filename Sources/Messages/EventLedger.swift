import HCI
public import Regions

/// Numbers events and writes each transition's messages: the event, if there is one, and the state that names it.
public struct EventLedger: Sendable {
    /// The messages of one transition. They are stored together and published in this order.
    public struct Entry: Hashable, Sendable {
        /// The number of the event; `nil` where nothing was crossed or nobody wants to know.
        public var seq: UInt64?
        public var event: Message?
        public var state: Message
    }

    public let composer: MessageComposer
    /// What the next event gets. From 1 in a new epoch, without gaps.
    public private(set) var nextSeq: UInt64
    /// The last event of each instance that has had one.
    private var lastSeq: [RegionInstanceID: UInt64]

    /// - Parameters:
    ///   - nextSeq: 1 in a new epoch.
    ///   - lastSeq: the last event of each instance, as far as it was stored.
    public init(_ composer: MessageComposer, nextSeq: UInt64 = 1, lastSeq: [RegionInstanceID: UInt64] = [:]) {
        self.composer = composer
        self.nextSeq = nextSeq
        self.lastSeq = lastSeq
    }

    /// The number of the last event of an instance, 0 before the first.
    public func eventSeq(of instance: RegionInstanceID) -> UInt64 { lastSeq[instance] ?? 0 }

    /// Writes a transition down. The event's number is used up, so the caller has to commit it.
    public mutating func enter(_ transition: RegionTransition, _ timebase: Timebase) -> Entry {
        var entry = Entry(
            seq: nil, event: nil,
            state: composer.state(transition, eventSeq: eventSeq(of: transition.instance), timebase))
        guard let event = transition.event else { return entry }
        let seq = nextSeq
        nextSeq += 1
        lastSeq[transition.instance] = seq
        entry.seq = seq
        entry.event = composer.event(event, of: transition.instance, seq: seq, at: transition.at, timebase)
        entry.state = composer.state(transition, eventSeq: seq, timebase)
        return entry
    }
}
