/// What an engine waits for after its turn.
package struct EngineWait: Hashable, Sendable {
    /// When `advance` has something to do next.
    package var due: Instant
    /// An exit has come due, and nothing of any kind was heard just before: the beacon may be gone, or the radio. Then the controllers
    /// are probed, and a proof, a report or another liveness follows within seconds.
    package var needsProof: Bool
    /// Whether a receiver of positions is needed.
    package var listensForFixes: Bool

    package init(due: Instant, needsProof: Bool = false, listensForFixes: Bool = false) {
        self.due = due
        self.needsProof = needsProof
        self.listensForFixes = listensForFixes
    }

    /// For an owner that does nothing of itself.
    package static let forReports = EngineWait(due: .distantFuture)
}

/// Time passes: each `TimedSource` does what is due, in order.
extension GatewayEngine {
    /// The order of the list is the rule for equal times: who is there is decided before what regions make of it, and that before
    /// what is stored and reported.
    private func earliest() -> NextDeadline {
        var next = NextDeadline(.silence, tracker.nextDeadline)
        next.list(.monitoring, monitor.nextDeadline)
        next.list(.location, place.deadline)
        next.list(.stays, stays.due)
        next.list(.ranging, ranger.nextDeadline)
        return next
    }

    /// Has a source do what is due before `limit`, first of all at `due`.
    private mutating func fire(
        _ source: TimedSource, at due: Instant, before limit: Instant, outputs: inout [GatewayOutput]
    ) {
        switch source {
        case .silence:
            _ = tracker.advance(before: limit, changes: &changes)
            takeChanges(&outputs)
            takeTransitions(&outputs)
        case .monitoring:
            _ = monitor.advance(before: limit, transitions: &transitions)
            takeTransitions(&outputs)
        case .location: advanceServices(&outputs)
        case .stays: storeStays(&outputs)
        case .ranging:
            if let instance = ranger.advance(through: due) { range(instance, at: now, outputs: &outputs) }
        }
    }

    /// Runs everything that is due up to and including `instant`: what a live radio does after each round.
    @discardableResult
    package mutating func advance(through instant: Instant, outputs: inout [GatewayOutput]) -> EngineWait {
        advance(before: instant + TimeSpan(microseconds: 1), outputs: &outputs)
        now = max(now, instant)
        return EngineWait(due: earliest().due, needsProof: needsProof, listensForFixes: listensForFixes)
    }

    /// Runs everything that is due before `limit`, each thing at its own time.
    ///
    /// A report of the same instant as a timer comes first: a beacon that is heard just in time was heard in time.
    mutating func advance(before limit: Instant, outputs: inout [GatewayOutput]) {
        endWindows(before: limit)
        while true {
            let next = earliest()
            guard next.due < limit else { return }
            now = max(now, next.due)
            fire(next.source, at: next.due, before: limit, outputs: &outputs)
        }
    }

    /// What is counted by the minute is counted anew. Only reports are counted, so this need not come in between the sources.
    private mutating func endWindows(before limit: Instant) {
        guard floods.end <= limit else { return }
        floods.endWindow(tracker.newcomers, at: limit)
        for adapter in readings.indices { readings[adapter].endWindow() }
        tracker.beginNewcomerWindow()
    }

    /// Has the stays under way stored: every minute while something is heard, and when the agent stops.
    mutating func storeStays(_ outputs: inout [GatewayOutput]) {
        let records = monitor.recordsOfStays()
        if !records.isEmpty { outputs.append(.stays(records)) }
        stays.stored()
    }

    /// The agent ends, or reads its settings anew: what waits for others or for a minute's end is told, and stays are stored.
    package mutating func stop(_ outputs: inout [GatewayOutput]) {
        stopLocating(outputs: &outputs)
        monitor.closeSurges()
        takeTransitions(&outputs)
        storeStays(&outputs)
    }

    /// The radio hears, or does not, or nobody can tell.
    ///
    /// - Parameter instant: when that was found out; the liveness says since when it is so.
    package mutating func liveness(
        _ liveness: RadioLiveness, at instant: Instant, outputs: inout [GatewayOutput]
    ) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        switch liveness {
        case .live:
            monitor.sees(radio, at: now)
            monitor.proved(radio, at: now)
        case .suspect(let since), .blind(let since): monitor.blinded(radio, since: min(since, now), at: now)
        }
    }

    /// An exit has come due, and nothing of any kind was heard just before: nobody knows whether the beacon or the radio
    /// is gone. It waits until a report comes, `radioProved(at:)` or `liveness(_:at:outputs:)` is called.
    var needsProof: Bool { monitor.isAwaitingProof(radio) }

    /// The controller has just answered. What waits for that is done by the next `advance`.
    package mutating func radioProved(at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        monitor.proved(radio, at: now)
    }

    private mutating func range(_ instance: InstanceSlot, at now: Instant, outputs: inout [GatewayOutput]) {
        let report = rangingReport(instance, at: now)
        guard ranger.isDue(instance, count: report.count, beacons: report.beacons, at: now) else { return }
        outputs.append(.ranging(report))
    }

    /// The beacons in range of an instance, as they are now.
    mutating func rangingReport(_ instance: InstanceSlot, at now: Instant) -> RangingReport {
        var beacons: [RangedBeacon] = []
        for identity in membership.identities(of: instance) {
            // Most identities have one transmitter, which needs no list and has no duplicate.
            if let slot = tracker.only(identity) {
                if tracker[slot].isListed { beacons.append(ranged(slot, [])) }
                continue
            }
            let listed = tracker.listed(identity)
            let duplicates = tracker.duplicateTracks(among: listed)
            for slot in listed { beacons.append(ranged(slot, duplicates)) }
        }
        let order = beacons.indices.sorted { RangedBeacon.isNearer(beacons[$0], beacons[$1]) }
        return RangingReport(
            instance: monitor.id(of: instance), at: now, count: RangedBeacon.count(beacons),
            beacons: order.map { beacons[$0] })
    }

    private mutating func ranged(_ slot: TransmitterSlot, _ duplicates: Set<TrackID>) -> RangedBeacon {
        let observation = tracker.observe(slot)
        let transmitter = tracker[slot]
        return RangedBeacon(
            transmitter: slot, track: transmitter.track, identity: transmitter.identity, address: transmitter.address,
            device: transmitter.device, measuredPower_dbm: transmitter.measuredPower_dbm, observation: observation,
            lastHeard: transmitter.lastHeard, isResolving: transmitter.standing == .resolving,
            isDuplicate: transmitter.standing != .resolving && duplicates.contains(transmitter.track))
    }
}

/// What comes to pass without a report, because time passes. A source of another kind is one more case: `GatewayEngine` lists its
/// deadline, and has it do what is due.
enum TimedSource: Sendable {
    /// A beacon falls silent: the tracker's.
    case silence
    /// An instance is left, or its state becomes known or unknown: the monitor's.
    case monitoring
    /// The place is looked for, or said again; a request for it has waited long enough.
    case location
    /// The stays under way are stored.
    case stays
    /// The beacons of an instance are reported: the ranger's.
    case ranging
}

/// The source that is due first. At equal times it is the one that was listed first.
struct NextDeadline: Sendable {
    private(set) var source: TimedSource
    private(set) var due: Instant

    init(_ source: TimedSource, _ due: Instant) {
        self.source = source
        self.due = due
    }

    mutating func list(_ source: TimedSource, _ due: Instant) {
        if due < self.due { self = NextDeadline(source, due) }
    }
}

/// When the stays under way are stored: every minute while something is heard, so that after a crash an exit is inferred to the
/// minute.
package struct StaySchedule: Sendable {
    package static let interval = TimeSpan.seconds(60)
    private(set) var due = Instant.distantFuture

    /// A beacon of a region was heard.
    mutating func heard(at now: Instant) {
        if due == .distantFuture { due = now + Self.interval }
    }

    /// The next report sets it again: what was not heard since has nothing new to store.
    mutating func stored() { due = .distantFuture }
}

/// The silence that an earlier process had learned to be ordinary, for the beacons of an instance. It holds for a while after
/// the start: until then each of them is heard anew.
struct RestoredPatience: Sendable {
    /// Three receptions of the slowest beacon, and more.
    private static let holdsFor = TimeSpan.seconds(15 * 60)

    private let end: Instant
    private var spans: [InstanceSlot: TimeSpan] = [:]

    init(at now: Instant) { end = now + Self.holdsFor }

    mutating func restore(_ patience: TimeSpan, of instance: InstanceSlot) {
        if patience > .zero { spans[instance] = patience }
    }

    /// The instance is monitored no more.
    mutating func end(_ instance: InstanceSlot) { spans[instance] = nil }

    /// Whether there may be any: asked with every report.
    var isEmpty: Bool { spans.isEmpty }

    /// What was ordinary for the beacons of these instances.
    mutating func patience(of instances: [InstanceSlot], at now: Instant) -> [TimeSpan] {
        if now >= end { spans.removeAll() }
        return instances.compactMap { spans[$0] }
    }
}
