/// Numbers events and writes each transition's messages: the event, if there is one, and the state that names it.
///
/// The numbers themselves come from the outbox, which alone knows what was committed. A transaction that has to be built
/// again, which happens where another epoch has begun meanwhile, is entered again: what is entered twice is as if it had
/// been entered once.
package struct EventLedger: Sendable {
    /// The messages of one transition. They are stored together and published in this order.
    package struct Entry: Hashable, Sendable {
        /// `nil` where nothing was crossed or nobody wants to know.
        package var event: NumberedMessage?
        package var state: Message
    }

    /// What subscribers know of an instance.
    private struct Known: Sendable {
        /// The number of its last event in the epoch, 0 before the first.
        var eventSeq: Int64 = 0
        /// `nil` where this process has told nothing yet.
        var told: ToldState?
    }

    package let composer: MessageComposer
    private var known: [RegionInstanceID: Known]
    /// The last events of instances that are monitored no more, in case they are again.
    private var departed = DepartedNumbers()
    /// Whose retained state still names the epoch before this one.
    private var outdated: Set<RegionInstanceID> = []

    /// - Parameter lastSeq: the last event of each instance, as far as it was stored.
    package init(_ composer: MessageComposer, lastSeq: [RegionInstanceID: Int64] = [:]) {
        self.composer = composer
        known = lastSeq.mapValues { Known(eventSeq: $0) }
    }

    /// The number of the last event of an instance; 0 before the first, and where it is not known any more.
    package func eventSeq(of instance: RegionInstanceID) -> Int64 {
        known[instance]?.eventSeq ?? departed.number(of: instance)
    }

    /// Writes a transition down.
    ///
    /// - Parameters:
    ///   - epoch: the outbox's.
    ///   - seq: what its event gets, if it has one; the entry says whether it was used up.
    package mutating func enter(
        _ transition: RegionTransition, epoch: String, seq: Int64, _ timebase: Timebase
    ) -> Entry {
        let instance = transition.instance
        let told = ToldState(
            transition.state, since: transition.since, at: transition.at, detail: transition.detail)
        outdated.remove(instance)
        recall(instance)
        known[instance]?.told = told
        if transition.event != nil { known[instance]?.eventSeq = seq }
        return Entry(
            event: transition.event.map {
                composer.event($0, of: instance, epoch: epoch, seq: seq, at: transition.at, timebase)
            },
            state: composer.state(told, of: instance, epoch: epoch, eventSeq: eventSeq(of: instance), timebase))
    }

    /// Writes down the exit of an instance that is monitored no more. There is no state to go with it.
    package mutating func end(
        _ instance: RegionInstanceID, with event: RegionEvent, epoch: String, seq: Int64, at instant: Instant,
        _ timebase: Timebase
    ) -> NumberedMessage {
        recall(instance)
        known[instance]?.eventSeq = seq
        return composer.event(event, of: instance, epoch: epoch, seq: seq, at: instant, timebase)
    }

    /// An instance is monitored no more.
    package mutating func forget(_ instance: RegionInstanceID) {
        if let seq = known.removeValue(forKey: instance)?.eventSeq, seq > 0 { departed.note(instance, seq) }
        outdated.remove(instance)
    }

    /// An instance is monitored, perhaps again.
    private mutating func recall(_ instance: RegionInstanceID) {
        if known[instance] == nil { known[instance] = Known(eventSeq: departed.take(instance)) }
    }

    /// A new epoch begins: numbers of the old one mean nothing in it, and the states that name it are outdated.
    package mutating func beginEpoch() {
        departed = DepartedNumbers()
        for instance in known.keys {
            known[instance]?.eventSeq = 0
            if known[instance]?.told != nil { outdated.insert(instance) }
        }
    }

    /// The states of the instances that have not changed since the epoch began, each once, by the time of their change.
    package mutating func takeOutdatedStates(epoch: String, _ timebase: Timebase) -> [Message] {
        defer { outdated.removeAll() }
        return outdated.compactMap { instance in known[instance]?.told.map { (instance, $0) } }
            .sorted { ($0.1.at, composer.topics.state($0.0)) < ($1.1.at, composer.topics.state($1.0)) }
            .map { composer.state($0.1, of: $0.0, epoch: epoch, eventSeq: eventSeq(of: $0.0), timebase) }
    }
}

/// The numbers of the last events of instances that are monitored no more, in case they are again: by request, or because one that made room
/// came back.
///
/// There are two generations. Where the younger one is full the older one is dropped, so the last `generationLimit` to go are always known,
/// and never more than twice as many are kept.
struct DepartedNumbers: Sendable {
    /// Half as many as there may be instances where the configuration says nothing of that.
    static let generationLimit = 8_192

    private let limit: Int
    private var younger: [RegionInstanceID: Int64] = [:]
    private var older: [RegionInstanceID: Int64] = [:]

    init(generationLimit limit: Int = Self.generationLimit) { self.limit = limit }

    package var count: Int { younger.count + older.count }

    /// 0 where none is known.
    func number(of instance: RegionInstanceID) -> Int64 { younger[instance] ?? older[instance] ?? 0 }

    /// An instance goes.
    mutating func note(_ instance: RegionInstanceID, _ seq: Int64) {
        older[instance] = nil
        if younger.count >= limit, younger[instance] == nil {
            older = younger
            younger = [:]
        }
        younger[instance] = seq
    }

    /// An instance is back; returns its number, 0 where none is known.
    mutating func take(_ instance: RegionInstanceID) -> Int64 {
        let number = number(of: instance)
        younger[instance] = nil
        older[instance] = nil
        return number
    }
}
