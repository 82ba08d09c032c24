@testable import Core

/// The undisturbed twin of a store: one process that receives all messages of the gateways, each at its own `at`.
///
/// The broker's subscriber collects events and states in the order in which they came. Statuses and lists are left out:
/// the twin's connections are never down, and no exit waits for a list. Once everything has arrived, the store must
/// have published the visits of its twin.
struct StoreTwin {
    /// One visit, as its exit has it.
    struct Visit: CustomStringConvertible {
        var instance: String
        var entered: WallTime
        var left: WallTime
        var lastHeard: WallTime
        /// True if an earlier event of a zone has the time of its exit: a region is not left before its zones are.
        var endsWithAZone = false

        var description: String {
            let times = [entered, lastHeard, left].map { ($0 - SimulatedMachine.begin).seconds }
            return "\(instance) entered \(times[0]), heard until \(times[1]), left \(times[2])"
        }

        /// Returns whether a visit that the store published is this visit of its twin. Times of two processes differ by
        /// rounding. From lists, the store may have heard the beacon later.
        func isMatched(by other: Visit) -> Bool {
            let left = other.endsWithAZone ? min(self.left, other.left) : other.left
            let differences = [
                entered - other.entered, self.left - left, max(lastHeard - other.lastHeard, .zero),
            ]
            return instance == other.instance && differences.allSatisfy { abs($0.seconds) < 0.05 }
        }
    }

    private struct Word {
        var at: WallTime
        /// Puts an event before a state of the same time, which may name it.
        var rank: Int
        var topic: String
        var octets: [UInt8]

        /// The gateway's region instance: the topic without its last level.
        var instance: Substring { topic[..<(topic.lastIndex(of: "/") ?? topic.endIndex)] }
    }

    private let scenario: StoreScenario
    private let topics: TopicTree
    private let timebase = Timebase(wallAtOrigin: SimulatedMachine.begin, isSynced: true)
    private var words: [Word] = []
    /// The visits that the store has published.
    private var published: [Visit] = []
    /// The last event of a zone of each region instance that the store has published.
    private var zoneEvents: [String: (at: WallTime, seq: Int64)] = [:]
    /// `health.late` of the store.
    private var late: UInt64 = 0

    init(_ scenario: StoreScenario, topics: TopicTree) {
        self.scenario = scenario
        self.topics = topics
    }

    mutating func receive(_ payload: any Payload, _ topic: Topic, _ message: Message) {
        if topic.gateway == topics {
            if let health = payload as? HealthPayload { late = max(late, health.report.engine.store?.late ?? 0) }
            return
        }
        let rank: Int? = payload is EventPayload ? 0 : payload is StatePayload ? 1 : nil
        guard let rank else { return }
        let word = Word(at: payload.head.at, rank: rank, topic: message.topic, octets: message.payload)
        // A gateway clears what it does not monitor before it publishes anything about it, and that clock is finer.
        for index in words.indices where words[index].octets.isEmpty && words[index].instance == word.instance {
            if words[index].at > word.at { (words[index].at, words[index].rank) = (word.at, -1) }
        }
        words.append(word)
    }

    /// The subscriber has received an event of the store; each number once.
    mutating func receiveEvent(_ event: EventPayload, _ instance: RegionInstanceID) {
        if instance.zone != nil { zoneEvents[instance.inZone(nil).name] = (event.head.at, event.seq) }
        guard instance.zone == nil, let exit = event.exit else { return }
        // The zone's exit that comes with the region's has the number before it.
        let endsWithAZone = zoneEvents[instance.name].map { $0.at == event.head.at && event.seq - $0.seq > 1 } ?? false
        published.append(
            Visit(
                instance: instance.name, entered: exit.enteredAt, left: event.head.at, lastHeard: exit.lastHeardAt,
                endsWithAZone: endsWithAZone))
    }

    /// A gateway has cleared a retained state, whose only time is its arrival.
    mutating func receiveCleared(_ message: Message, at now: Instant) {
        words.append(Word(at: SimulatedMachine.wall(now), rank: 2, topic: message.topic, octets: []))
    }

    /// Compares the store's visits with those of its twin.
    ///
    /// - Parameter now: the time at which both have nothing left to publish.
    func check(at now: Instant) throws(Violation) {
        let expected = visits(until: now)
        try checkOverlaps()
        let missing = expected.filter { visit in !published.contains { visit.isMatched(by: $0) } }
        let invented = published.filter { visit in !expected.contains { $0.isMatched(by: visit) } }
        guard !missing.isEmpty || !invented.isEmpty || late > 0 else { return }
        let detail =
            "the twin alone published \(missing.sorted { $0.left < $1.left }), the store alone published \(invented.sorted { $0.left < $1.left }), late: \(late)"
        throw Violation(invariant: .eventTime, detail: detail)
    }

    /// Checks that no two visits of one instance overlap.
    private func checkOverlaps() throws(Violation) {
        for (_, visits) in Dictionary(grouping: published, by: \.instance) {
            let inOrder = visits.sorted { ($0.entered, $0.left) < ($1.entered, $1.left) }
            for (one, next) in zip(inOrder, inOrder.dropFirst()) where next.entered < one.left {
                throw Violation(invariant: .eventTime, detail: "\(one) overlaps \(next)")
            }
        }
    }

    private func visits(until end: Instant) -> [Visit] {
        var outputs: [GatewayOutput] = []
        var engine = SiteEngine(
            scenario.site, scenario.settings.gateway, distinguishesDevices: false, restoring: [], at: .origin,
            outputs: &outputs
        )
        let ordered = words.enumerated().sorted {
            ($0.element.at, $0.element.rank, $0.offset) < ($1.element.at, $1.element.rank, $1.offset)
        }
        for (_, word) in ordered {
            let at = timebase.instant(word.at)
            engine.advance(through: at, outputs: &outputs)
            guard let message = try? GatewayMessage(topic: word.topic, payload: word.octets, store: topics) else {
                continue
            }
            engine.receive(message, at: at, timebase, outputs: &outputs)
        }
        engine.advance(through: end, outputs: &outputs)
        return outputs.compactMap { output in
            let (instance, event, at): (RegionInstanceID, RegionEvent?, Instant)
            switch output {
            case .transition(let transition, _):
                (instance, event, at) = (transition.instance, transition.event, transition.at)
            case .exit(let ended, let end, let time): (instance, event, at) = (ended, end, time)
            default: return nil
            }
            guard instance.zone == nil, case .exit(let stay)? = event?.kind else { return nil }
            return Visit(
                instance: instance.name, entered: timebase.wall(stay.enteredAt), left: timebase.wall(at),
                lastHeard: timebase.wall(stay.lastHeardAt))
        }
    }
}
