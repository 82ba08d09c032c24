/// The next deadline and the needs of an engine after its turn.
package struct EngineWait: Hashable, Sendable {
    /// The time of the next `advance`.
    package var due: Instant
    /// True if an exit has come due while no device has been heard just before. The beacon may be gone, or the radio
    /// may be dead. Then the owner probes the controllers. A proof, a report or another liveness follows within
    /// seconds.
    package var needsProof: Bool
    /// True if a receiver of fixes is needed.
    package var listensForFixes: Bool

    package init(due: Instant, needsProof: Bool = false, listensForFixes: Bool = false) {
        self.due = due
        self.needsProof = needsProof
        self.listensForFixes = listensForFixes
    }

    /// For an owner without timers.
    package static let forReports = EngineWait(due: .distantFuture)
}

/// The passing of time: each `TimedSource` does its due work, in order.
extension GatewayEngine {
    /// Returns the first deadline. At equal times the order of this list decides: beacons come before regions, and
    /// regions before storing and reporting.
    private func earliest() -> NextDeadline {
        var next = NextDeadline(source: .silence, due: tracker.nextDeadline)
        next.list(.monitoring, monitor.nextDeadline)
        next.list(.location, place.deadline)
        next.list(.stays, stays.due)
        next.list(.ranging, ranger.nextDeadline)
        next.list(.listing, listingDue)
        next.list(.counting, countingDue)
        return next
    }

    /// Does a source's work that is due before `limit`. The first work is due at `due`.
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
        case .listing: list(&outputs)
        case .counting: countVisits(&outputs)
        case .ranging:
            if let instance = ranger.advance(through: due) { range(instance, at: now, outputs: &outputs) }
        }
    }

    /// Does all work that is due up to and including `instant`. A live radio calls it after each round.
    @discardableResult
    package mutating func advance(through instant: Instant, outputs: inout [GatewayOutput]) -> EngineWait {
        advance(before: instant + TimeSpan(microseconds: 1), outputs: &outputs)
        now = max(now, instant)
        return EngineWait(due: earliest().due, needsProof: needsProof, listensForFixes: listensForFixes)
    }

    /// Does all work that is due before `limit`, in order of time.
    ///
    /// A report comes before a timer of its instant: the beacon was heard in time.
    mutating func advance(before limit: Instant, outputs: inout [GatewayOutput]) {
        endWindows(before: limit)
        while true {
            let next = earliest()
            guard next.due < limit else { return }
            now = max(now, next.due)
            fire(next.source, at: next.due, before: limit, outputs: &outputs)
        }
    }

    /// Stores the open stays: every minute while beacons are heard, and when the agent stops.
    mutating func storeStays(_ outputs: inout [GatewayOutput]) {
        let records = monitor.instances.recordsOfStays()
        if !records.isEmpty { outputs.append(.stays(records)) }
        stays.stored()
    }

    /// Stops the engine, at the agent's end or before a reload. Waiting fixes and the surges of the minute are published,
    /// and stays are stored.
    package mutating func stop(_ outputs: inout [GatewayOutput]) {
        stopLocating(outputs: &outputs)
        monitor.closeSurges()
        takeTransitions(&outputs)
        storeStays(&outputs)
        list(isEnd: true, &outputs)
        stopCounting(&outputs)
    }

    /// Takes the radio's liveness.
    ///
    /// - Parameter instant: the time of detection. The liveness shows since when it holds.
    package mutating func liveness(
        _ liveness: RadioLiveness, at instant: Instant, outputs: inout [GatewayOutput]
    ) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        countsHear(liveness == .live)
        switch liveness {
        case .live:
            monitor.sees(radio, at: now)
            monitor.proved(radio, at: now)
        case .suspect(let since), .blind(let since): monitor.blinded(radio, since: min(since, now), at: now)
        }
    }

    /// True if an exit has come due while no device has been heard just before, so that it is unknown whether the
    /// beacon or the radio is gone. The exit waits for a report, `radioProved(at:)` or `liveness(_:at:outputs:)`.
    var needsProof: Bool { monitor.isAwaitingProof(radio) }

    /// Takes the controller's answer. The next `advance` does the waiting work.
    package mutating func radioProved(at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        monitor.proved(radio, at: now)
    }

    private mutating func range(_ instance: InstanceSlot, at now: Instant, outputs: inout [GatewayOutput]) {
        let report = rangingReport(instance, includesReception: ranger.includesReception(instance, at: now), at: now)
        guard ranger.isDue(instance, count: report.count, beacons: report.beacons, at: now) else { return }
        outputs.append(.message(report, at: now))
    }

    /// Returns the beacons in range of an instance.
    ///
    /// - Parameter includesReception: whether to show how often their packets arrive.
    mutating func rangingReport(
        _ instance: InstanceSlot, includesReception: Bool = true, at now: Instant
    ) -> RangingReport {
        var beacons: [RangedBeacon] = []
        var count = 0
        let power_dbm = monitor.instances.region(of: instance).measuredPower_dbm
        for identity in membership.identities(of: instance) {
            // Most identities have one transmitter, which needs no list, has no duplicate and is one track.
            if let slot = tracker.only(identity) {
                guard tracker[slot].isListed else { continue }
                let beacon = ranged(slot, power_dbm, [], includesReception)
                if !beacon.isResolving { count += 1 }
                beacons.append(beacon)
                continue
            }
            let listed = tracker.listed(identity)
            let duplicates = tracker.duplicateTracks(among: listed)
            let several = listed.map { slot in ranged(slot, power_dbm, duplicates, includesReception) }
            // A track stays with its identity.
            count += RangedBeacon.count(several)
            beacons += several
        }
        let order = beacons.indices.sorted { RangedBeacon.isNearer(beacons[$0], beacons[$1]) }
        return RangingReport(
            instance: monitor.instances[instance].id, at: now, count: count, beacons: order.map { beacons[$0] })
    }

    private mutating func ranged(
        _ slot: TransmitterSlot, _ configuredPower_dbm: Int8?, _ duplicates: Set<TrackID>, _ includesReception: Bool
    ) -> RangedBeacon {
        let observation = tracker.observe(slot, configuredPower_dbm: configuredPower_dbm)
        let transmitter = tracker[slot]
        return RangedBeacon(
            transmitter: slot, track: transmitter.track, identity: transmitter.identity, address: transmitter.address,
            device: transmitter.device, measuredPower_dbm: transmitter.measuredPower_dbm, observation: observation,
            lastHeard: transmitter.lastHeard, reception: includesReception ? transmitter.interval.reception : nil,
            isResolving: transmitter.trackState == .resolving,
            isDuplicate: transmitter.trackState != .resolving && duplicates.contains(transmitter.track))
    }
}

/// The sources of timed work. `GatewayEngine` lists the deadline of each source and does its due work.
enum TimedSource: Sendable {
    /// The tracker: a beacon falls silent.
    case silence
    /// The monitor: an instance is left, or its state becomes known or unknown.
    case monitoring
    /// The location services: the receiver looks, an update is due, or a request times out.
    case location
    /// Storing the open stays.
    case stays
    /// The ranger: the beacons of an instance are reported.
    case ranging
    /// The register: a sample of the beacons in the air, or their list.
    case listing
    /// The counts of regions of people: a quarter of an hour ends.
    case counting
}

/// The source with the first deadline. At equal times the one listed first wins.
struct NextDeadline: Sendable {
    private(set) var source: TimedSource
    private(set) var due: Instant

    mutating func list(_ source: TimedSource, _ due: Instant) {
        if due < self.due { self = NextDeadline(source: source, due: due) }
    }
}

/// The schedule of storing open stays: every minute while beacons are heard. So after a crash the agent infers an exit
/// to the minute.
package struct StaySchedule: Sendable {
    package static let interval = TimeSpan.seconds(60)
    private(set) var due = Instant.distantFuture

    /// Takes a report of a region's beacon.
    mutating func heard(at now: Instant) {
        if due == .distantFuture { due = now + Self.interval }
    }

    /// Clears the deadline; the next report sets it. Without a report there is nothing new to store.
    mutating func stored() { due = .distantFuture }
}

/// The patience that an earlier process had learned for the beacons of an instance. It holds for a while after the
/// start, in which each beacon's interval is learned anew.
struct RestoredPatience: Sendable {
    /// More than three receptions of the slowest beacon.
    private static let holdsFor = TimeSpan.seconds(15 * 60)

    private let end: Instant
    private var spans: [InstanceSlot: TimeSpan] = [:]

    init(at now: Instant) { end = now + Self.holdsFor }

    mutating func restore(_ patience: TimeSpan, of instance: InstanceSlot) {
        if patience > .zero { spans[instance] = patience }
    }

    /// Forgets an instance that is not monitored any more.
    mutating func end(_ instance: InstanceSlot) { spans[instance] = nil }

    /// True if there are no spans. Every report asks.
    var isEmpty: Bool { spans.isEmpty }

    /// Returns the patience for the beacons of these instances.
    mutating func patience(of instances: [InstanceSlot], at now: Instant) -> [TimeSpan] {
        if now >= end { spans.removeAll() }
        return instances.compactMap { spans[$0] }
    }
}
