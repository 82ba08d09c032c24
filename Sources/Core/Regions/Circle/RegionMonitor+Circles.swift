/// The rules of circles. A crossing begins with a fix beyond the boundary by the cushion, and is certain when the fixes
/// after it stay there for `crossing_after_s`. Fixes decide everything; time alone only makes a state unknown.
extension RegionMonitor {
    /// Begins to monitor a circle. The circle has its instance at once, and a state after the first fixes.
    ///
    /// - Parameters:
    /// - source: the source of the fixes.
    /// - notices: changes of the region to report to the operator.
    mutating func register(
        _ region: CircularRegion, locatedBy source: EvidenceSourceID, at now: Instant,
        transitions: inout [RegionTransition], notices: inout [RegionMonitoringNotice]
    ) throws(RegionMonitoringFailure) {
        var region = region
        let wanted_m = region.circle.radius_m
        region.circle.radius_m = min(wanted_m, CircularRegion.maxRadius_m)
        let registration = try makeRegistration(.circle(region), source, at: now)
        if region.circle.radius_m < wanted_m {
            notices.append(RegionMonitoringNotice(region: region.id, .radiusClamped(from_m: wanted_m)))
        }
        let id = RegionInstanceID(region: region.id)
        let slot = try instance(id, of: registration, at: now, transitions: &transitions)
        kinds.circles.insert(slot, region.circle, of: registration)
        sources[source.index].expect(within: region.rules.unknownStateAfter, at: now)
    }

    /// Takes a used fix, and compares it with the circles' boundaries.
    mutating func judgeCircles(
        by fix: Fix, at now: Instant, transitions: inout [RegionTransition], notices: inout [RegionMonitoringNotice]
    ) {
        if let (tooSmall, usual_m) = kinds.circles.take(fix.horizontalAccuracy_m) {
            for registration in tooSmall {
                guard case .circle(let region) = registrations[registration].region else { continue }
                notices.append(
                    RegionMonitoringNotice(
                        region: region.id, .radiusTooSmall(radius_m: region.circle.radius_m, usual_m: usual_m)))
            }
        }
        for index in kinds.circles.settling.indices { kinds.circles.settling[index].use(at: now) }
        beginSettling(at: now)
        let settled = instances
        let watched = kinds.circles.circles(at: fix.coordinate, maxWatched: limits.maxWatchedCircles) {
            settled[$0].standing.isSettled
        }
        for slot in watched {
            judge(slot, fix, at: now, transitions: &transitions)
        }
        endSettling(fix, at: now, transitions: &transitions)
    }

    private func circularRegion(of slot: InstanceSlot) -> CircularRegion? {
        if case .circle(let region) = region(of: slot) { region } else { nil }
    }

    // MARK: - Crossing

    private mutating func judge(
        _ slot: InstanceSlot, _ fix: Fix, at now: Instant, transitions: inout [RegionTransition]
    ) {
        guard let region = circularRegion(of: slot) else { return }
        let distance_m = region.circle.center.nearDistance_m(to: fix.coordinate)
        var standing = kinds.circles.standing[slot] ?? CircleStanding()
        let isWithin = distance_m <= region.circle.radius_m
        guard instances[slot].standing.isSettled else {
            if isWithin { standing.isInside(at: now) }
            return kinds.circles.set(standing, of: slot)
        }
        let wasInside = instances[slot].standing.presence != nil
        if wasInside, isWithin { instances[slot].standing.perceived(at: now) }
        switch region.verdict(
            distance_m: distance_m, horizontalAccuracy_m: fix.horizontalAccuracy_m, wasInside: wasInside)
        {
        case .beyond:
            if standing.run == nil {
                standing.run = CircleStanding.Run(at: now, longestGap: region.rules.unknownStateAfter)
            } else {
                standing.run?.time.use(at: now)
                standing.run?.fixCount += 1
            }
            if let run = standing.run, run.isCrossing(after: region.rules.crossingAfter) {
                return cross(slot, run, distance_m: distance_m, at: now, transitions: &transitions)
            }
        case .doubtful:
            // A doubtful fix neither ends a run nor counts for it: a gateway that drives away from a street of high
            // houses has left.
            standing.run?.time.use(at: now)
        case .within:
            standing.run = nil
            if standing.isOverdue {
                standing.isOverdue = false
                tellAgain(slot, distance_m: distance_m, at: now, transitions: &transitions)
            }
        }
        kinds.circles.set(wasInside || standing.run != nil || standing.isOverdue ? standing : nil, of: slot)
    }

    /// Announces that the boundary was crossed at the first fix of the run.
    private mutating func cross(
        _ slot: InstanceSlot, _ run: CircleStanding.Run, distance_m: Double, at now: Instant,
        transitions: inout [RegionTransition]
    ) {
        let wasInside = instances[slot].standing.presence != nil
        let change =
            wasInside
            ? instances[slot].standing.outside(at: now)
            : instances[slot].standing.inside(since: run.beganAt, at: now)
        noteInside(slot, !wasInside)
        announce(slot, change, distance_m: distance_m, at: now, transitions: &transitions)
    }

    private mutating func noteInside(_ slot: InstanceSlot, _ isInside: Bool) {
        kinds.circles.insideCount += isInside ? 1 : -1
        kinds.circles.set(isInside ? CircleStanding() : nil, of: slot)
    }

    // MARK: - Settling

    /// Starts to count fixes for the circles that have waited for their state since the last fix.
    private mutating func beginSettling(at now: Instant) {
        guard !kinds.circles.waiting.isEmpty else { return }
        var begun: [CircleRules: SettlingCircles] = [:]
        for slot in kinds.circles.waiting {
            guard let region = circularRegion(of: slot) else { continue }
            begun[region.rules, default: SettlingCircles(region.rules, at: now)].members.append(slot)
        }
        kinds.circles.waiting = []
        kinds.circles.settling += begun.values.sorted {
            ($0.members.first?.index ?? 0) < ($1.members.first?.index ?? 0)
        }
    }

    private mutating func endSettling(_ fix: Fix, at now: Instant, transitions: inout [RegionTransition]) {
        guard kinds.circles.settling.contains(where: \.isOver) else { return }
        let ended = kinds.circles.settling.filter(\.isOver)
        kinds.circles.settling.removeAll(where: \.isOver)
        for cohort in ended {
            for slot in cohort.members { settle(slot, of: cohort, fix, at: now, transitions: &transitions) }
        }
    }

    /// Decides a circle's state by its first fixes. Where they disagree, the majority decides; in a tie, the last fix.
    ///
    /// A circle with a known state keeps it, unless a crossing is under way.
    private mutating func settle(
        _ slot: InstanceSlot, of cohort: SettlingCircles, _ fix: Fix, at now: Instant,
        transitions: inout [RegionTransition]
    ) {
        guard let region = circularRegion(of: slot) else { return }
        let distance_m = region.circle.center.nearDistance_m(to: fix.coordinate)
        guard !instances[slot].standing.isSettled else {
            guard instances[slot].standing.state == .unknown else { return }
            if var standing = kinds.circles.standing[slot], standing.run != nil {
                standing.isOverdue = true
                return kinds.circles.set(standing, of: slot)
            }
            return tellAgain(slot, distance_m: distance_m, at: now, transitions: &transitions)
        }
        let change: RegionStanding.Change?
        let first = kinds.circles.standing[slot]?.first
        let balance = first.map { 2 * $0.insideCount - cohort.fixCount } ?? -1
        if let first, balance > 0 || balance == 0 && first.lastInsideAt == now {
            change = instances[slot].standing.inside(since: first.insideSince, at: now)
            instances[slot].standing.perceived(at: first.lastInsideAt)
            noteInside(slot, true)
        } else {
            change = instances[slot].standing.outside(at: now)
            kinds.circles.set(nil, of: slot)
        }
        // A distance that contradicts the state is left out: the majority of the first fixes decides, and this fix
        // disagreed.
        let isInside = instances[slot].standing.presence != nil
        let isOfTheirMind = (distance_m <= region.circle.radius_m) == isInside
        announce(slot, change, distance_m: isOfTheirMind ? distance_m : nil, at: now, transitions: &transitions)
    }

    private mutating func tellAgain(
        _ slot: InstanceSlot, distance_m: Double, at now: Instant, transitions: inout [RegionTransition]
    ) {
        let change = instances[slot].standing.known(at: now)
        announce(slot, change, distance_m: distance_m, at: now, transitions: &transitions)
    }

    // MARK: - Restoring and ending

    /// Restores a circle that an earlier process left inside.
    mutating func restoreCircle(_ slot: InstanceSlot) { noteInside(slot, true) }

    /// Ends the monitoring of a circle.
    mutating func endCircle(_ slot: InstanceSlot, _ circle: Circle) {
        if instances[slot].standing.presence != nil { kinds.circles.insideCount -= 1 }
        kinds.circles.remove(slot, circle)
    }

    private mutating func announce(
        _ slot: InstanceSlot, _ change: RegionStanding.Change?, distance_m: Double?, at now: Instant,
        transitions: inout [RegionTransition]
    ) {
        guard let change, let region = circularRegion(of: slot) else { return }
        let observation = CircleObservation(region.circle, distance_m: distance_m)
        announce(
            slot, change, event: change.crossing.map { RegionEvent($0, by: .circle(observation)) },
            detail: .circle(observation), at: now, transitions: &transitions)
    }
}
