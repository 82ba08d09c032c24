/// A report of a beacon, with the data that regions need.
struct BeaconEvidence: Sendable {
    var transmitter: TransmitterSlot
    var identity: BeaconIdentity
    /// The level of the region filter; `nil` where no report of this transmitter carried an RSSI.
    var level: SignalLevel?
    /// The silence that is ordinary for this transmitter.
    var patience: Patience

    /// Returns whether the report reaches a threshold. A report without an RSSI proves presence only: it counts where
    /// any RSSI would.
    fileprivate func qualifies(_ threshold_dbm: Double) -> Bool {
        let weakest = SignalLevel(rssi_dbm: -127)
        return (level ?? weakest).isAtLeast(threshold_dbm)
    }
}

/// The rules of beacons. Entry: heard at or above `entry_rssi_dbm` for `entry_after_s`. Exit: not heard at or above
/// `exit_rssi_dbm` for `exit_after_s`, longer for slow beacons.
extension RegionMonitor {
    /// Takes a report of a beacon that belongs to the instance.
    ///
    /// - Parameter observe: returns the beacon's distance by the region's `measured_power_dbm`; called only for an event.
    mutating func receive(
        _ evidence: BeaconEvidence, in slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition],
        observe: (Int8?) -> BeaconObservation
    ) {
        let rules = rules(of: slot)
        let seen = seenTime(of: slot, at: now)
        switch instances[slot].beacons {
        case .present:
            let (change, timer) = instances[slot].heard(evidence, rules, seen: seen, at: now)
            if let timer { setTimer(slot, dueAtSeenTime: timer) }
            if let change { announce(slot, change, at: now, transitions: &transitions) }
        case let standing:
            guard evidence.qualifies(rules.entryRSSI_dbm) else { return }
            let candidates = candidates(standing, evidence, rules, seen: seen, at: now)
            instances[slot].beacons = .candidates(candidates)
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
        _ standing: BeaconStanding, _ evidence: BeaconEvidence, _ rules: BeaconRules, seen: Instant, at now: Instant
    ) -> BeaconCandidates {
        let pause = min(rules.exitAfter, max(BeaconCandidates.shortestPause, evidence.patience.ordinary))
        let report = BeaconCandidacy(
            major: evidence.identity.major, minor: evidence.identity.minor, firstHeardAt: now, firstSeen: seen,
            lapsesAt: seen + pause)
        guard case .candidates(var candidates) = standing else { return BeaconCandidates(report) }
        candidates.hear(report)
        return candidates
    }

    private mutating func enter(
        _ slot: InstanceSlot, _ evidence: BeaconEvidence, _ candidacy: BeaconCandidacy, _ rules: BeaconRules,
        at now: Instant, transitions: inout [RegionTransition], observe: (Int8?) -> BeaconObservation
    ) {
        guard admit(slot, evidence.identity, since: candidacy, at: now) else { return }
        let patience = evidence.patience.leaving(exitAfter: rules.exitAfter)
        let leavesAt = leavingTime(of: slot, patience, rules, at: now)
        // A beacon that was there before has been inside since it was first heard. A newcomer has crossed now.
        let began = instances[slot].standing.isSettled ? now : candidacy.firstHeardAt
        let change = instances[slot].standing.inside(since: began, until: leavesAt, at: now)
        instances[slot].beacons = .present(
            BeaconPresence(
                major: evidence.identity.major, minor: evidence.identity.minor, holder: evidence.transmitter,
                patience: patience, level: evidence.level))
        setTimer(slot, dueAtSeenTime: leavesAt)
        guard let change else { return }
        let power_dbm = region(of: slot).measuredPower_dbm
        let event = change.crossing.map { RegionEvent($0, by: .beacon(evidence.identity, observe(power_dbm))) }
        announce(slot, change, event: event, at: now, transitions: &transitions)
    }

    /// Returns the seen time at which the region is left if no further report comes.
    func leavingTime(
        of slot: InstanceSlot, _ patience: TimeSpan, _ rules: BeaconRules, at now: Instant
    ) -> Instant {
        seenTime(of: slot, at: now) + max(rules.exitAfter, patience)
    }

    /// Returns until when the end of settling has to wait: a beacon that is still in the entry debounce was there
    /// before. Returns `nil` where there is none.
    func candidacyLapses(_ slot: InstanceSlot) -> Instant? {
        guard !instances[slot].standing.isSettled,
            case .candidates(let candidates) = instances[slot].beacons
        else { return nil }
        return candidates.lapseAt
    }

    /// The time of the next exit if no source had ever been blind and no report came; `distantFuture` where no beacon is inside.
    var nextExitWithoutBlindness: Instant {
        instances.slots.reduce(.distantFuture) { earliest, slot in
            guard let keeper = instances[slot].beacons.keeper, let presence = instances[slot].standing.presence else {
                return earliest
            }
            return min(earliest, presence.lastHeardAt + max(rules(of: slot).exitAfter, keeper.patience))
        }
    }

    // MARK: - Identities and instances

    /// Returns the instances that an identity belongs to. Those of expanded regions are pending where the value is new.
    ///
    /// - Parameter failures: instances that a limit refused, each region reported once.
    mutating func instances(
        of identity: BeaconIdentity, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> [InstanceSlot] {
        var found: [InstanceSlot] = []
        for registration in kinds.beacons.registrations(of: identity) {
            guard case .beacon(let region) = registrations[registration].region else { continue }
            let id = region.instance(of: identity)
            guard region.expansion == .none else {
                found.append(pendingInstance(id, of: registration, at: now))
                continue
            }
            do throws(RegionMonitoringFailure) {
                found.append(try instance(id, of: registration, at: now, transitions: &transitions))
            } catch {
                admission.counts.maxInstances &+= 1
                note(error, of: registration, &failures)
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
        for registration in kinds.beacons.registrations(of: identity)
        where !registrations[registration].hasRefusedTransmitter {
            registrations[registration].hasRefusedTransmitter = true
            let region = registrations[registration].region.id
            failures.append(RegionMonitoringFailure(region: region, cause: .tooManyTransmitters(limit: limit)))
        }
    }
}

extension RegionInstance {
    /// Takes a report in a region that is inside. One function, because nearly every report calls it.
    ///
    /// - Returns: the change to announce, and the seen time of the timer to set, if any.
    fileprivate mutating func heard(
        _ evidence: BeaconEvidence, _ rules: BeaconRules, seen: Instant, at now: Instant
    ) -> (change: RegionStanding.Change?, timer: Instant?) {
        guard evidence.qualifies(rules.exitRSSI_dbm), case .present(var present) = beacons,
            case .inside(let stay) = standing.occupancy
        else { return (nil, nil) }
        let patience = evidence.patience.leaving(exitAfter: rules.exitAfter)
        var leavesAt = seen + max(rules.exitAfter, patience)
        // The beacon that may be silent longest decides the time of leaving. Its own reports move that time in both
        // directions.
        if leavesAt >= stay.leavesAt || present.holder == evidence.transmitter || stay.isRestored {
            present.holder = evidence.transmitter
            present.patience = patience
        } else {
            leavesAt = stay.leavesAt
        }
        present.level = evidence.level
        beacons = .present(present)
        return (standing.heard(until: leavesAt, at: now), leavesAt < timerDue ? leavesAt : nil)
    }
}
