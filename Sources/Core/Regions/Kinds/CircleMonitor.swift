import HeapModule

/// The rules of circles. A crossing begins with a fix beyond the boundary by the cushion, and is certain when the fixes
/// after it stay there for `crossing_after_s`. Fixes decide everything; time alone only makes a state unknown.
struct CircleMonitor: Sendable {
    /// A circle that was not yet reported as too small.
    private struct Unreported: Comparable, Sendable {
        var radius_m: Double
        var slot: InstanceSlot
        /// The registration. It differs where the circle was unregistered and its slot reused.
        var registration: RegistrationSlot

        static func < (left: Unreported, right: Unreported) -> Bool {
            (left.radius_m, left.slot.index) < (right.radius_m, right.slot.index)
        }
    }

    private var grid = CircleGrid()
    /// The circles that are compared with every fix: those inside, and those with fixes on the other side.
    private var progress: [InstanceSlot: CircleProgress] = [:]
    /// The circles whose state is not decided, by the time from which they wait for it.
    private var settling: [SettlingCircles] = []
    /// The circles that begin to wait with the next fix: new ones, and those that have become unknown.
    private var waiting: [InstanceSlot] = []
    /// The number of circles that are inside.
    private var insideCount = 0
    private var accuracies = RecentAccuracies()
    private var unreported = Heap<Unreported>()
    /// The number of comparisons of a fix with a circle.
    private(set) var judgedCount = 0

    /// True if a state is not decided, or a crossing is under way.
    var isUndecided: Bool { !waiting.isEmpty || !settling.isEmpty || progress.values.contains { $0.run != nil } }

    var isGatewayInside: Bool { insideCount > 0 }

    /// Begins to monitor a circle. The circle has its instance at once, and a state after the first fixes.
    ///
    /// - Parameters:
    /// - source: the source of the fixes.
    /// - notices: changes of the region to report to the operator.
    mutating func register(
        _ region: CircularRegion, locatedBy source: EvidenceSourceID, in instances: inout RegionInstances,
        at now: Instant, transitions: inout [RegionTransition], notices: inout [RegionMonitoringNotice]
    ) throws(RegionMonitoringFailure) {
        var region = region
        let wanted_m = region.circle.radius_m
        region.circle.radius_m = min(wanted_m, CircularRegion.maxRadius_m)
        let registration = try instances.register(.circle(region), source, at: now)
        if region.circle.radius_m < wanted_m {
            notices.append(RegionMonitoringNotice(region: region.id, cause: .radiusClamped(from_m: wanted_m)))
        }
        let id = RegionInstanceID(region: region.id)
        let slot = try instances.instance(id, of: registration, at: now, transitions: &transitions)
        grid.insert(slot, region.circle)
        waiting.append(slot)
        unreported.insert(Unreported(radius_m: region.circle.radius_m, slot: slot, registration: registration))
        instances[source].expect(within: region.rules.unknownStateAfter, at: now)
    }

    /// Restores a circle that an earlier process left inside.
    mutating func restoreInside(_ slot: InstanceSlot) { moved(slot, inside: true) }

    /// Begins to settle a circle again, because its state has become unknown.
    mutating func becameUnknown(_ slot: InstanceSlot) { waiting.append(slot) }

    mutating func end(_ slot: InstanceSlot, _ circle: Circle, wasInside: Bool) {
        if wasInside { insideCount -= 1 }
        grid.remove(slot, circle)
        progress[slot] = nil
        waiting.removeAll { $0 == slot }
        for index in settling.indices { settling[index].members.removeAll { $0 == slot } }
        settling.removeAll { $0.members.isEmpty }
        let left = unreported.unordered.filter { $0.slot != slot }
        if left.count < unreported.count { unreported = Heap(left) }
    }

    /// Takes a used fix, and compares it with the circles' boundaries.
    mutating func judge(
        by fix: Fix, _ instances: inout RegionInstances, at now: Instant, transitions: inout [RegionTransition],
        notices: inout [RegionMonitoringNotice]
    ) {
        if let usual_m = accuracies.add(fix.horizontalAccuracy_m) { reportTooSmall(usual_m, instances, &notices) }
        for index in settling.indices { settling[index].use(at: now) }
        beginSettling(instances, at: now)
        let watched = circles(at: fix.coordinate, instances)
        for slot in watched { judge(slot, fix, &instances, at: now, transitions: &transitions) }
        endSettling(fix, &instances, at: now, transitions: &transitions)
    }

    /// Reports the circles that turn out to be smaller than twice the usual accuracy, each once.
    private mutating func reportTooSmall(
        _ usual_m: Double, _ instances: RegionInstances, _ notices: inout [RegionMonitoringNotice]
    ) {
        while let smallest = unreported.min, smallest.radius_m < 2 * usual_m {
            unreported.removeMin()
            guard case .circle(let region) = instances.region(in: smallest.registration) else { continue }
            notices.append(
                RegionMonitoringNotice(
                    region: region.id, cause: .radiusTooSmall(radius_m: region.circle.radius_m, usual_m: usual_m)))
        }
    }

    /// Returns the circles to compare with a fix, in the order of their slots.
    ///
    /// A circle outside can only be entered by a fix within it, so the grid finds all that matter. Among those, the
    /// ones with the nearest boundaries are compared. The others follow with the next fix, once the first ones are
    /// among those always compared. Unsettled circles are all compared: a first state that missed the first fixes would
    /// be wrong, and would cause an event.
    private mutating func circles(at place: Coordinate, _ instances: RegionInstances) -> [InstanceSlot] {
        var unsettled: [InstanceSlot] = []
        var found: [(beyond_m: Double, slot: InstanceSlot)] = []
        var judged = 0
        grid.forEach(near: place) { entry in
            guard progress[entry.slot] == nil else { return }
            judged += 1
            let beyond_m = entry.circle.center.nearDistance_m(to: place) - entry.circle.radius_m
            guard beyond_m <= 0 else { return }
            if instances[entry.slot].machine.isSettled {
                found.append((beyond_m, entry.slot))
            } else {
                unsettled.append(entry.slot)
            }
        }
        let most = instances.limits.maxWatchedCircles
        if found.count > most { found.sort { ($0.beyond_m, $0.slot.index) < ($1.beyond_m, $1.slot.index) } }
        let slots = (found.prefix(most).map(\.slot) + unsettled + progress.keys).sorted { $0.index < $1.index }
        judgedCount += judged + slots.count
        return slots
    }

    /// Keeps a circle's state between fixes; `nil` for a circle that is outside without fixes on the other side.
    private mutating func set(_ circle: CircleProgress?, of slot: InstanceSlot) { progress[slot] = circle }

    private mutating func moved(_ slot: InstanceSlot, inside isInside: Bool) {
        insideCount += isInside ? 1 : -1
        set(isInside ? CircleProgress() : nil, of: slot)
    }

    // MARK: - Crossing

    private mutating func judge(
        _ slot: InstanceSlot, _ fix: Fix, _ instances: inout RegionInstances, at now: Instant,
        transitions: inout [RegionTransition]
    ) {
        guard let region = instances.circularRegion(of: slot) else { return }
        let distance_m = region.circle.center.nearDistance_m(to: fix.coordinate)
        var circle = progress[slot] ?? CircleProgress()
        let isWithin = distance_m <= region.circle.radius_m
        guard instances[slot].machine.isSettled else {
            if isWithin { circle.isInside(at: now) }
            return set(circle, of: slot)
        }
        let wasInside = instances[slot].machine.presence != nil
        if wasInside, isWithin { instances[slot].machine.perceived(at: now) }
        switch region.verdict(
            distance_m: distance_m, horizontalAccuracy_m: fix.horizontalAccuracy_m, wasInside: wasInside)
        {
        case .beyond:
            if circle.run == nil {
                circle.run = CircleProgress.Run(at: now, longestGap: region.rules.unknownStateAfter)
            } else {
                circle.run?.time.use(at: now)
                circle.run?.fixCount += 1
            }
            if let run = circle.run, run.isCrossing(after: region.rules.crossingAfter) {
                return cross(slot, run, distance_m: distance_m, &instances, at: now, transitions: &transitions)
            }
        case .doubtful:
            // A doubtful fix neither ends a run nor counts for it: a gateway that drives away from a street of high
            // houses has left.
            circle.run?.time.use(at: now)
        case .within:
            circle.run = nil
            if circle.isOverdue {
                circle.isOverdue = false
                announceAgain(slot, distance_m: distance_m, &instances, at: now, transitions: &transitions)
            }
        }
        set(wasInside || circle.run != nil || circle.isOverdue ? circle : nil, of: slot)
    }

    /// Announces that the boundary was crossed at the first fix of the run.
    private mutating func cross(
        _ slot: InstanceSlot, _ run: CircleProgress.Run, distance_m: Double, _ instances: inout RegionInstances,
        at now: Instant, transitions: inout [RegionTransition]
    ) {
        let wasInside = instances[slot].machine.presence != nil
        let change =
            wasInside
            ? instances[slot].machine.outside(at: now)
            : instances[slot].machine.inside(since: run.beganAt, at: now)
        moved(slot, inside: !wasInside)
        announce(slot, change, distance_m: distance_m, &instances, at: now, transitions: &transitions)
    }

    // MARK: - Settling

    /// Starts to count fixes for the circles that have waited for their state since the last fix.
    private mutating func beginSettling(_ instances: RegionInstances, at now: Instant) {
        guard !waiting.isEmpty else { return }
        var begun: [CircleRules: SettlingCircles] = [:]
        for slot in waiting {
            guard let region = instances.circularRegion(of: slot) else { continue }
            begun[region.rules, default: SettlingCircles(region.rules, at: now)].members.append(slot)
        }
        waiting = []
        settling += begun.values.sorted {
            ($0.members.first?.index ?? 0) < ($1.members.first?.index ?? 0)
        }
    }

    private mutating func endSettling(
        _ fix: Fix, _ instances: inout RegionInstances, at now: Instant, transitions: inout [RegionTransition]
    ) {
        guard settling.contains(where: \.isOver) else { return }
        let ended = settling.filter(\.isOver)
        settling.removeAll(where: \.isOver)
        for cohort in ended {
            for slot in cohort.members {
                settle(slot, of: cohort, fix, &instances, at: now, transitions: &transitions)
            }
        }
    }

    /// Decides a circle's state by its first fixes. Where they disagree, the majority decides; in a tie, the last fix.
    ///
    /// A circle with a known state keeps it, unless a crossing is under way.
    private mutating func settle(
        _ slot: InstanceSlot, of cohort: SettlingCircles, _ fix: Fix, _ instances: inout RegionInstances,
        at now: Instant, transitions: inout [RegionTransition]
    ) {
        guard let region = instances.circularRegion(of: slot) else { return }
        let distance_m = region.circle.center.nearDistance_m(to: fix.coordinate)
        guard !instances[slot].machine.isSettled else {
            guard instances[slot].machine.state == .unknown else { return }
            if var circle = progress[slot], circle.run != nil {
                circle.isOverdue = true
                return set(circle, of: slot)
            }
            return announceAgain(slot, distance_m: distance_m, &instances, at: now, transitions: &transitions)
        }
        let change: RegionStateMachine.Change?
        let first = progress[slot]?.first
        let balance = first.map { 2 * $0.insideCount - cohort.fixCount } ?? -1
        if let first, balance > 0 || balance == 0 && first.lastInsideAt == now {
            change = instances[slot].machine.inside(since: first.insideSince, at: now)
            instances[slot].machine.perceived(at: first.lastInsideAt)
            moved(slot, inside: true)
        } else {
            change = instances[slot].machine.outside(at: now)
            set(nil, of: slot)
        }
        // A distance that contradicts the state is left out: the majority of the first fixes decides, and this fix
        // disagreed.
        let isInside = instances[slot].machine.presence != nil
        let agrees = (distance_m <= region.circle.radius_m) == isInside
        announce(slot, change, distance_m: agrees ? distance_m : nil, &instances, at: now, transitions: &transitions)
    }

    private func announceAgain(
        _ slot: InstanceSlot, distance_m: Double, _ instances: inout RegionInstances, at now: Instant,
        transitions: inout [RegionTransition]
    ) {
        let change = instances[slot].machine.known(at: now)
        announce(slot, change, distance_m: distance_m, &instances, at: now, transitions: &transitions)
    }

    private func announce(
        _ slot: InstanceSlot, _ change: RegionStateMachine.Change?, distance_m: Double?,
        _ instances: inout RegionInstances, at now: Instant, transitions: inout [RegionTransition]
    ) {
        guard let change, let region = instances.circularRegion(of: slot) else { return }
        let observation = CircleObservation(circle: region.circle, distance_m: distance_m)
        instances.announce(
            slot, change, event: change.crossing.map { RegionEvent($0, by: .circle(observation)) },
            detail: .circle(observation), at: now, transitions: &transitions)
    }
    // MARK: - Invariants

    /// Returns what is wrong between the circles and their instances; for tests.
    func checkInvariants(_ instances: RegionInstances) -> [String] {
        let circles = instances.slots.filter { slot in
            instances.slot(of: instances[slot].id) == slot && instances.circularRegion(of: slot) != nil
        }
        let inside = circles.filter { instances[$0].machine.presence != nil }
        var broken: [String] = []
        if inside.count != insideCount { broken.append("\(inside.count) circles are inside, \(insideCount) counted") }
        if circles.count != grid.count { broken.append("\(circles.count) circles, \(grid.count) in the grid") }
        let known = Set(circles)
        let named = Set(progress.keys).union(waiting).union(settling.flatMap(\.members))
        if !named.isSubset(of: known) { broken.append("a circle that has ended is still compared") }
        if let open = inside.first(where: { progress[$0] == nil }) {
            broken.append("\(instances[open].id) is inside, and not compared with each fix")
        }
        return broken
    }
}

extension RegionInstances {
    fileprivate func circularRegion(of slot: InstanceSlot) -> CircularRegion? {
        if case .circle(let region) = region(of: slot) { region } else { nil }
    }
}
