/// Monitors regions as Core Location documents it: only crossings of a boundary make events.
///
/// `RegionInstances` holds the registrations, the instances and the sources of evidence; the monitor passes on their
/// changes. The kind of a region decides which evidence counts: see `RegionKind`. The rules of beacons are here, those
/// of circles in `CircleMonitor`. `InstanceAdmission` decides which instances of expanded regions exist.
struct RegionMonitor: Sendable {
    private(set) var instances: RegionInstances
    private(set) var kinds = RegionKindTables()
    private(set) var admission: InstanceAdmission

    init(limits: RegionLimits) {
        instances = RegionInstances(limits: limits)
        admission = InstanceAdmission(limits)
    }

    /// Makes a source of evidence, which sees until `blinded` is called.
    ///
    /// - Parameter canProbe: whether the source can be probed. Then a timer that comes due in silence waits for the
    ///   probe; see `isAwaitingProof`.
    mutating func addSource(canProbe: Bool) -> EvidenceSourceID { instances.addSource(canProbe: canProbe) }

    // MARK: - Registration

    /// Begins to monitor a region.
    ///
    /// - Parameters:
    /// - source: the source of its evidence; see `RegionKind.needsFixes`.
    /// - hasSettled: whether an expanded region of beacons has settled in an earlier process.
    /// - notices: changes of the region to report to the operator.
    mutating func register(
        _ region: MonitoredRegion, perceivedBy source: EvidenceSourceID, hasSettled: Bool = false, at now: Instant,
        transitions: inout [RegionTransition], notices: inout [RegionMonitoringNotice]
    ) throws(RegionMonitoringFailure) {
        switch region {
        case .beacon(let region):
            try register(region, heardBy: source, hasSettled: hasSettled, at: now, transitions: &transitions)
        case .circle(let region):
            try kinds.circles.register(
                region, locatedBy: source, in: &instances, at: now, transitions: &transitions, notices: &notices)
        }
    }

    /// Begins to monitor a region of beacons. A region without expansion has its instance, and a state, at once.
    ///
    /// - Parameters:
    /// - source: the source that hears its beacons.
    /// - hasSettled: whether an expanded region has settled in an earlier process.
    mutating func register(
        _ region: BeaconRegion, heardBy source: EvidenceSourceID, hasSettled: Bool = false, at now: Instant,
        transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) {
        let registration = try instances.register(.beacon(region), source, at: now)
        kinds.beacons.insert(region, as: registration)
        guard region.expansion == .none else {
            return admission.settle(registration, hasSettled: hasSettled, in: &instances, at: now)
        }
        do throws(RegionMonitoringFailure) {
            let id = RegionInstanceID(region: region.id)
            _ = try instances.instance(id, of: registration, at: now, transitions: &transitions)
        } catch {
            // The caller reports the error, so it counts as reported.
            var reported: [RegionMonitoringFailure] = []
            instances.report(error, of: registration, &reported)
            throw error
        }
    }

    /// Ends the monitoring of a region, as Core Location's `stopMonitoring(for:)`. It is no crossing. The caller decides
    /// about open stays; see `RegionRecord.unmonitoredExit`.
    ///
    /// - Returns: the slots that are free now, and the instances that existed; empty where no region of that id is
    ///   registered.
    mutating func unregister(_ region: String) -> (freed: [InstanceSlot], ended: [RegionInstanceID]) {
        guard let registration = instances.registration(where: { $0.id == region }) else { return ([], []) }
        switch instances.region(in: registration) {
        case .beacon(let region): kinds.beacons.remove(region, of: registration)
        case .circle(let region):
            if let slot = instances.slot(of: RegionInstanceID(region: region.id)) {
                let wasInside = instances[slot].machine.presence != nil
                kinds.circles.end(slot, region.circle, wasInside: wasInside)
            }
        }
        return instances.unregister(registration)
    }

    // MARK: - Beacons

    /// Takes a report of a beacon that belongs to the instance. Entry: heard at or above `entry_rssi_dbm` for
    /// `entry_after_s`. Exit: not heard at or above `exit_rssi_dbm` for `exit_after_s`, longer for slow beacons.
    ///
    /// - Parameter observe: returns the beacon's distance by the region's `measured_power_dbm`; called only for an event.
    mutating func receive(
        _ evidence: BeaconEvidence, in slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition],
        observe: (Int8?) -> BeaconObservation
    ) {
        let rules = instances.rules(of: slot)
        let seen = instances.seenTime(of: slot, at: now)
        switch instances[slot].beacons {
        case .present:
            let (change, timer) = instances.change(slot) { $0.heard(evidence, rules, seen: seen, at: now) }
            if let timer { instances.setTimer(slot, dueAtSeenTime: timer) }
            if let change { instances.announce(slot, change, at: now, transitions: &transitions) }
        case let beacons:
            guard evidence.qualifies(rules.entryRSSI_dbm) else { return }
            let candidates = candidates(beacons, evidence, rules, seen: seen, at: now)
            instances[slot].hold(.candidates(candidates))
            if seen - candidates.latest.firstSeen >= rules.entryAfter {
                enter(slot, evidence, candidates.latest, rules, at: now, transitions: &transitions, observe: observe)
            }
        }
    }

    /// Returns the runs of reports, of which this report continues or begins the latest.
    ///
    /// A run ends with a pause of more than 5 s, or 4 learned intervals of a slower beacon. The longest pause is one in which a beacon
    /// inside would have left.
    private func candidates(
        _ beacons: BeaconState, _ evidence: BeaconEvidence, _ rules: BeaconRules, seen: Instant, at now: Instant
    ) -> BeaconCandidates {
        let pause = min(rules.exitAfter, max(BeaconCandidates.shortestPause, evidence.patience.ordinary))
        let report = BeaconCandidacy(
            major: evidence.identity.major, minor: evidence.identity.minor, firstHeardAt: now, firstSeen: seen,
            lapsesAt: seen + pause)
        guard case .candidates(var candidates) = beacons else { return BeaconCandidates(report) }
        candidates.hear(report)
        return candidates
    }

    private mutating func enter(
        _ slot: InstanceSlot, _ evidence: BeaconEvidence, _ candidacy: BeaconCandidacy, _ rules: BeaconRules,
        at now: Instant, transitions: inout [RegionTransition], observe: (Int8?) -> BeaconObservation
    ) {
        guard admission.admit(slot, evidence.identity, since: candidacy, in: &instances, at: now) else { return }
        let patience = evidence.patience.leaving(exitAfter: rules.exitAfter)
        let leavesAt = leavingTime(of: slot, patience, rules, at: now)
        // A beacon that was there before has been inside since it was first heard. A newcomer has crossed now.
        let began = instances[slot].machine.isSettled ? now : candidacy.firstHeardAt
        let change = instances[slot].machine.inside(since: began, until: leavesAt, at: now)
        instances[slot].hold(
            .present(
                BeaconPresence(
                    major: evidence.identity.major, minor: evidence.identity.minor, holder: evidence.transmitter,
                    patience: patience, level: evidence.level)))
        instances.setTimer(slot, dueAtSeenTime: leavesAt)
        guard let change else { return }
        let power_dbm = instances.region(of: slot).measuredPower_dbm
        let event = change.crossing.map { RegionEvent($0, by: .beacon(evidence.identity, observe(power_dbm))) }
        instances.announce(slot, change, event: event, at: now, transitions: &transitions)
    }

    /// Returns the seen time at which the region is left if no further report comes.
    private func leavingTime(
        of slot: InstanceSlot, _ patience: TimeSpan, _ rules: BeaconRules, at now: Instant
    ) -> Instant {
        instances.seenTime(of: slot, at: now) + max(rules.exitAfter, patience)
    }

    /// Returns until when the end of settling has to wait: a beacon that is still in the entry debounce was there
    /// before. Returns `nil` where there is none.
    private func candidacyLapses(_ slot: InstanceSlot) -> Instant? {
        guard !instances[slot].machine.isSettled, case .candidates(let candidates) = instances[slot].beacons
        else { return nil }
        return candidates.lapseAt
    }

    /// The time of the next exit if no source had ever been blind and no report came; `distantFuture` where no beacon is inside. From
    /// that time on, a blind source delays the exit. The query visits all instances.
    var nextExitWithoutBlindness: Instant {
        instances.slots.reduce(.distantFuture) { earliest, slot in
            guard let keeper = instances[slot].beacons.keeper, let presence = instances[slot].machine.presence else {
                return earliest
            }
            let exitAfter = instances.rules(of: slot).exitAfter
            return min(earliest, presence.lastHeardAt + max(exitAfter, keeper.patience))
        }
    }

    /// Returns the interest of regions in an identity. A beacon with an instance of its own is known.
    func interest(in identity: BeaconIdentity) -> RegionInterest {
        let found = kinds.beacons.registrations(of: identity)
        for registration in found {
            guard case .beacon(let region) = instances.region(in: registration) else { continue }
            if region.isOfPeople { return .counted }
            let isOwn = region.expansion != .none || region.minor != nil
            if isOwn, instances.slot(of: region.instance(of: identity)) != nil { return .known }
        }
        return found.isEmpty ? .none : .wanted
    }

    /// Returns the instances that an identity belongs to. Those of expanded regions are pending where the value is new.
    ///
    /// - Parameter failures: instances that a limit refused, each region reported once.
    mutating func instances(
        of identity: BeaconIdentity, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> [InstanceSlot] {
        var found: [InstanceSlot] = []
        for registration in kinds.beacons.registrations(of: identity) {
            guard case .beacon(let region) = instances.region(in: registration) else { continue }
            let id = region.instance(of: identity)
            guard region.expansion == .none else {
                found.append(instances.pendingInstance(id, of: registration, at: now))
                continue
            }
            do throws(RegionMonitoringFailure) {
                found.append(try instances.instance(id, of: registration, at: now, transitions: &transitions))
            } catch {
                admission.countRefusedInstance()
                instances.report(error, of: registration, &failures)
            }
        }
        return found
    }

    /// Reports that a beacon of the identity is not tracked because of a limit on transmitters.
    ///
    /// - Parameter failures: the regions that it belongs to, each reported once.
    mutating func transmitterRefused(
        _ identity: BeaconIdentity, limit: Int, failures: inout [RegionMonitoringFailure]
    ) {
        for registration in kinds.beacons.registrations(of: identity) {
            let region = instances.region(in: registration).id
            let failure = RegionMonitoringFailure(region: region, cause: .tooManyTransmitters(limit: limit))
            instances.report(failure, of: registration, &failures)
        }
    }

    /// Frees the slot of a pending instance whose beacons are all forgotten. Does nothing where the instance exists.
    mutating func discard(_ slot: InstanceSlot) { instances.discard(slot) }

    mutating func removeLeft(_ slot: InstanceSlot) { admission.delete(slot, in: &instances) }

    /// Returns the decisions of admission since the last call.
    mutating func takeDecisions() -> AdmissionDecisions { admission.takeDecisions() }

    /// Ends the current minute's surges, because the process ends.
    mutating func closeSurges() { admission.closeSurges() }

    // MARK: - Evidence of a source

    /// Takes a used fix.
    ///
    /// - Parameter source: the source of the fix.
    mutating func use(
        _ fix: Fix, from source: EvidenceSourceID, at now: Instant, transitions: inout [RegionTransition],
        notices: inout [RegionMonitoringNotice]
    ) {
        sees(source, at: now)
        instances[source].perceived(at: now)
        for kind in RegionKind.allCases {
            switch kind {
            case .beacon: break
            case .circle:
                kinds.circles.judge(by: fix, &instances, at: now, transitions: &transitions, notices: &notices)
            }
        }
    }

    /// Marks a source as blind, or as possibly blind, since its last report.
    mutating func blinded(_ source: EvidenceSourceID, since: Instant, at now: Instant) {
        instances.blinded(source, since: since, at: now)
    }

    /// Marks a source as seeing, or as proved to hear in quiet air.
    mutating func sees(_ source: EvidenceSourceID, at now: Instant) { instances.sees(source, at: now) }

    /// Lets a receiver rest on purpose: its silence makes no state unknown.
    mutating func rests(_ source: EvidenceSourceID, at now: Instant) { instances[source].rests(at: now) }

    /// Ends the rest of a receiver.
    mutating func listens(_ source: EvidenceSourceID, at now: Instant) { instances[source].listens(at: now) }

    /// Returns whether a timer came due in silence. The timer goes on once `proved` or `blinded` is called for its source.
    func isAwaitingProof(_ source: EvidenceSourceID) -> Bool { instances[source].isAwaitingProof }

    /// Takes the proof that the source perceives: a report of any kind, or an answer.
    mutating func proved(_ source: EvidenceSourceID, at now: Instant) { instances[source].proved(at: now) }

    // MARK: - Time: instances are left, settle, and become unknown, each in the seen time of its source

    var nextDeadline: Instant { min(instances.earliest.due, admission.due) }

    /// Runs the first timer that is due before `limit`. Returns its time; `nil` where none is due.
    mutating func advance(before limit: Instant, transitions: inout [RegionTransition]) -> Instant? {
        let (source, sourceDue) = instances.earliest
        let now = min(sourceDue, admission.due)
        guard now < limit else { return nil }
        if admission.due == now {
            admission.advance(to: now, &instances)
        } else if instances[source].unknownDue == now {
            for slot in instances.statesBecomeUnknown(source, at: now, transitions: &transitions) {
                becameUnknown(slot)
            }
        } else if instances[source].silenceDue == now {
            blinded(source, since: instances[source].listening.silentSince, at: now)
        } else if let timer = instances.takeTimer(of: source) {
            timerFired(timer.subject, seen: timer.due, at: now, transitions: &transitions)
        }
        return now
    }

    private mutating func becameUnknown(_ slot: InstanceSlot) {
        switch instances.region(of: slot) {
        case .beacon: break
        case .circle: kinds.circles.becameUnknown(slot)
        }
    }

    private mutating func timerFired(
        _ slot: InstanceSlot, seen: Instant, at now: Instant, transitions: inout [RegionTransition]
    ) {
        if case .pending = instances[slot].existence { return admission.settled(slot, in: &instances) }
        // Timers are lazy: reports only moved the time of leaving.
        if let presence = instances[slot].machine.presence, presence.leavesAt > seen {
            return instances.setTimer(slot, dueAtSeenTime: presence.leavesAt)
        }
        if let lapsesAt = candidacyLapses(slot), lapsesAt > seen {
            return instances.setTimer(slot, dueAtSeenTime: lapsesAt)
        }
        left(slot, at: now, transitions: &transitions)
    }

    /// Takes evidence of the outside: silence.
    private mutating func left(_ slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition]) {
        let keeper = instances[slot].beacons.keeper
        guard let change = instances[slot].machine.outside(at: now) else { return }
        let event = change.crossing.flatMap { crossing in
            instances.region(of: slot).recorded.exitCause(keeper).map { RegionEvent(crossing, by: $0) }
        }
        if keeper != nil { instances[slot].hold(.nobody) }
        admission.left(slot, in: instances)
        instances.announce(slot, change, event: event, at: now, transitions: &transitions)
    }

    // MARK: - Restart. Still inside makes no event, gone makes an exit at the last report, and new makes an entry

    /// Restores a stored state. The caller calls it after the registrations and before the first report.
    ///
    /// - Parameter failures: instances that a limit refused, each region reported once.
    /// - Returns: `false` for a refused instance, and where no region of that id, expansion and constraint is
    ///   registered any more.
    mutating func restore(
        _ record: RegionRecord, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> Bool {
        guard let slot = restorableSlot(record, at: now, transitions: &transitions, failures: &failures) else {
            return false
        }
        // Monitoring of the region began in an earlier process, so a new instance is an entry.
        instances.settle(instances[slot].registration, bySeenTime: instances.seenTime(of: slot, at: now))
        let change: RegionStateMachine.Change
        switch record.moved(notAfter: now).occupancy {
        case .outside(let since):
            change = instances[slot].machine.restore(outsideSince: since)
            admission.left(slot, in: instances)
        case .inside(let stay):
            let leavesAt = restoreInside(slot, stay.keeper, at: now)
            change = instances[slot].machine.restore(stay, until: leavesAt)
            instances.setTimer(slot, dueAtSeenTime: leavesAt)
        }
        instances.announce(slot, change, at: now, transitions: &transitions)
        instances.watchBlindness(of: slot, at: now)
        return true
    }

    private mutating func restorableSlot(
        _ record: RegionRecord, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> InstanceSlot? {
        if let slot = instances.slot(of: record.instance) {
            return instances.region(of: slot).canRestore(record) ? slot : nil
        }
        guard let registration = instances.registration(where: { $0.canRestore(record) }) else { return nil }
        do throws(RegionMonitoringFailure) {
            return try instances.instance(record.instance, of: registration, at: now, transitions: &transitions)
        } catch {
            instances.report(error, of: registration, &failures)
            return nil
        }
    }

    /// Restores an instance that an earlier process left inside.
    ///
    /// - Parameter keeper: the beacons that kept it inside, if any.
    /// - Returns: the seen time at which it is left without further evidence.
    private mutating func restoreInside(_ slot: InstanceSlot, _ keeper: BeaconKeeper?, at now: Instant) -> Instant {
        switch instances.region(of: slot) {
        case .beacon(let region):
            guard let keeper else { return .distantFuture }
            instances[slot].hold(.present(BeaconPresence(keeper)))
            return leavingTime(of: slot, keeper.patience, region.rules, at: now)
        case .circle:
            kinds.circles.restoreInside(slot)
            return .distantFuture
        }
    }

    /// Returns what is wrong with the monitor's state; for tests.
    func checkInvariants() -> [String] {
        instances.checkInvariants() + admission.checkInvariants(instances) + kinds.circles.checkInvariants(instances)
    }
}
