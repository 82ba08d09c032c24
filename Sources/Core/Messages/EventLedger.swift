/// Numbers events, and writes the messages of each transition: the event, if there is one, and the state that names it.
///
/// The numbers come from the outbox, which alone knows the committed ones. A transaction has to be built again where
/// another epoch has begun meanwhile; its entries are then repeated. Entering a transition twice has the effect of
/// entering it once.
package struct EventLedger: Sendable {
    /// The messages of one transition. They are stored together and published in this order.
    package struct Entry: Hashable, Sendable {
        /// The event; `nil` where no boundary was crossed, or the event is not wanted.
        package var event: NumberedMessage?
        package var state: Message
    }

    /// The state of an instance as subscribers know it.
    private struct Known: Sendable {
        /// The number of its last event in the epoch, 0 before the first.
        var eventSeq: Int64 = 0
        /// The announced state; `nil` before the first of this process.
        var published: PublishedState?
    }

    package let composer: MessageComposer
    private var known: [RegionInstanceID: Known]
    /// The last event numbers of instances that are not monitored any more, in case they return.
    private var departed = DepartedNumbers()
    /// The instances whose retained state still names the previous epoch.
    private var outdated: Set<RegionInstanceID> = []

    /// - Parameter lastSeq: the stored number of each instance's last event.
    package init(_ composer: MessageComposer, lastSeq: [RegionInstanceID: Int64] = [:]) {
        self.composer = composer
        known = lastSeq.mapValues { Known(eventSeq: $0) }
    }

    /// Returns the number of the last event of an instance; 0 before the first, and where it is not known any more.
    package func eventSeq(of instance: RegionInstanceID) -> Int64 {
        known[instance]?.eventSeq ?? departed.number(of: instance)
    }

    /// Enters a transition.
    ///
    /// - Parameter seq: the number for its event, if there is one. The entry shows whether it was used.
    package mutating func enter(
        _ transition: RegionTransition, epoch: String, seq: Int64, _ timebase: Timebase
    ) -> Entry {
        let instance = transition.instance
        let published = PublishedState(
            transition.state, since: transition.since, at: transition.at, detail: transition.detail)
        outdated.remove(instance)
        recall(instance)
        known[instance]?.published = published
        if transition.event != nil { known[instance]?.eventSeq = seq }
        return Entry(
            event: transition.event.map {
                composer.event($0, of: instance, epoch: epoch, seq: seq, at: transition.at, timebase)
            },
            state: composer.state(published, of: instance, epoch: epoch, eventSeq: eventSeq(of: instance), timebase))
    }

    /// Enters an exit without a state: of an instance that is not monitored any more, or of a visit that became known
    /// late. No state names the latter.
    package mutating func exit(
        _ event: RegionEvent, of instance: RegionInstanceID, epoch: String, seq: Int64, at instant: Instant,
        _ timebase: Timebase
    ) -> NumberedMessage {
        if event.lateStay == nil {
            recall(instance)
            known[instance]?.eventSeq = seq
        }
        return composer.event(event, of: instance, epoch: epoch, seq: seq, at: instant, timebase)
    }

    /// Removes an instance that is not monitored any more.
    package mutating func remove(_ instance: RegionInstanceID) {
        if let seq = known.removeValue(forKey: instance)?.eventSeq, seq > 0 { departed.record(instance, seq) }
        outdated.remove(instance)
    }

    /// Adds an instance that is monitored, perhaps again.
    private mutating func recall(_ instance: RegionInstanceID) {
        if known[instance] == nil { known[instance] = Known(eventSeq: departed.take(instance)) }
    }

    /// Begins a new epoch. Numbers of the old one are invalid in it, and the states that name it are outdated.
    package mutating func beginEpoch() {
        departed = DepartedNumbers()
        for instance in known.keys {
            known[instance]?.eventSeq = 0
            if known[instance]?.published != nil { outdated.insert(instance) }
        }
    }

    /// Returns the states of the instances that have not changed since the epoch began, once each, with the times of
    /// their changes.
    package mutating func takeOutdatedStates(epoch: String, _ timebase: Timebase) -> [Message] {
        defer { outdated.removeAll() }
        return outdated.compactMap { instance in known[instance]?.published.map { (instance, $0) } }
            .sorted { ($0.1.at, composer.topics.state($0.0)) < ($1.1.at, composer.topics.state($1.0)) }
            .map { composer.state($0.1, of: $0.0, epoch: epoch, eventSeq: eventSeq(of: $0.0), timebase) }
    }
}

/// The last event numbers of instances that are not monitored any more. An instance may return by request, or because
/// it gave way and came back.
///
/// There are two generations. When the younger one is full, the older one is dropped. So the last `generationLimit`
/// instances are always known, and at most twice as many are kept.
struct DepartedNumbers: Sendable {
    /// Half of the default of `max_instances`.
    static let generationLimit = 8_192

    private let limit: Int
    private var younger: [RegionInstanceID: Int64] = [:]
    private var older: [RegionInstanceID: Int64] = [:]

    init(generationLimit limit: Int = Self.generationLimit) { self.limit = limit }

    var count: Int { younger.count + older.count }

    /// Returns the number; 0 where none is known.
    func number(of instance: RegionInstanceID) -> Int64 { younger[instance] ?? older[instance] ?? 0 }

    /// Records the number of an instance that is deleted.
    mutating func record(_ instance: RegionInstanceID, _ seq: Int64) {
        older[instance] = nil
        if younger.count >= limit, younger[instance] == nil {
            older = younger
            younger = [:]
        }
        younger[instance] = seq
    }

    /// Removes and returns the number of an instance that is back; 0 where none is known.
    mutating func take(_ instance: RegionInstanceID) -> Int64 {
        let number = number(of: instance)
        younger[instance] = nil
        older[instance] = nil
        return number
    }
}
