@testable import Agent
@testable import Core

/// A model of the circles: the states that the agent may and must publish, from the van's true place and its receiver's
/// reports.
struct CircleWitness {
    private struct Standing {
        let circle: Circle
        let crossingAfter: TimeSpan
        /// The times at which the van was last truly inside and outside.
        var trulyInside: Instant?
        var trulyOutside: Instant?
        /// The time at which the van, by its fixes, may last have seemed inside.
        var seeminglyInside: Instant?
        var seeminglyOutside: Instant?
        /// The side on which all fixes clearly are, and the first of these fixes.
        var clear: (isInside: Bool, since: Instant)?
        var state = RegionState.unknown
        var isOccupied: Bool?
        /// The time of the first state that was published in this life.
        var knownSince: Instant?
    }

    /// The time in which the van may move between a fix and its effect.
    private static let remembered = TimeSpan.seconds(8)
    /// The distance beyond the boundary: the cushion, and the error of an honest fix. Metres.
    private static let cushion_m = 20.0
    /// The additional delay of a crossing beyond `crossing_after_s`: fixes come a second apart.
    private static let patience = TimeSpan.seconds(3)
    /// The time for which the agent distrusts the receiver's times after a wrong one.
    private static let timeTrial = TimeSpan.seconds(13)

    private var circles: [RegionInstanceID: Standing] = [:]
    private let unknownAfter: TimeSpan
    private let desiredAccuracy_m: Double
    private let maxAge: TimeSpan
    /// The listening time without any fix, and without a fix that is certainly used.
    private var withoutAny = TimeSpan.zero
    private var withoutUsed = TimeSpan.zero
    private var lookedAt = Instant.origin
    /// The time since which the receiver's times are in order.
    private var timeIsRightSince = Instant.origin
    private var lastClear: Instant?
    /// The number of due crossings, which proves that the checks check something.
    private(set) var dueCount = 0
    private(set) var crossingCount = 0

    init(_ van: Van?, _ settings: Settings) {
        unknownAfter = max(settings.gateway.regions.rules.beacons.unknownStateAfter, .seconds(2))
        desiredAccuracy_m = settings.gateway.location?.desiredAccuracy_m ?? 0
        maxAge = settings.gateway.location?.maxAge ?? .zero
        for monitored in van?.circles ?? [] {
            circles[RegionInstanceID(region: monitored.id)] = Standing(
                circle: monitored.circle, crossingAfter: monitored.crossingAfter)
        }
    }

    var instances: some Collection<RegionInstanceID> { circles.keys }
    func state(of instance: RegionInstanceID) -> RegionState? { circles[instance]?.state }

    // MARK: - Events

    /// A process has begun: it continues from the stored state.
    mutating func lifeBegan(_ outbox: Outbox, at now: Instant) {
        let stored = circles.isEmpty ? [:] : outbox.storedRegions()
        for instance in circles.keys {
            circles[instance]?.isOccupied = stored[instance]?.record.isInside
            circles[instance]?.state = .unknown
            circles[instance]?.clear = nil
            circles[instance]?.knownSince = nil
            circles[instance]?.seeminglyInside = nil
            circles[instance]?.seeminglyOutside = nil
        }
        (withoutAny, withoutUsed, lookedAt, timeIsRightSince, lastClear) = (.zero, .zero, now, now, nil)
    }

    /// The van is here.
    mutating func moves(to place: Coordinate, isListening: Bool, at now: Instant) {
        if isListening {
            withoutAny = withoutAny + (now - lookedAt)
            withoutUsed = withoutUsed + (now - lookedAt)
        }
        lookedAt = now
        for (instance, standing) in circles {
            let beyond_m = standing.circle.center.nearDistance_m(to: place) - standing.circle.radius_m
            if beyond_m <= 0 { circles[instance]?.trulyInside = now } else { circles[instance]?.trulyOutside = now }
            if beyond_m <= SimulatedReceiver.error_m { circles[instance]?.seeminglyInside = now }
            if beyond_m >= -SimulatedReceiver.error_m { circles[instance]?.seeminglyOutside = now }
        }
    }

    /// The agent has received a report.
    ///
    /// - Parameter clock: the agent's wall clock time.
    /// - Returns: whether it certainly used the fix.
    mutating func heard(_ report: SimulatedReceiver.Report, clock: WallTime?, at now: Instant) throws(Violation) -> Bool
    {
        let isStale = report.fix.flatMap { fix in clock.map { $0 - fix.at > maxAge } } ?? false
        let isBad = report.fix.map { $0.horizontalAccuracy_m > desiredAccuracy_m } ?? true
        if report.kind == .wrongTime { timeIsRightSince = now + Self.timeTrial }
        let isBelieved = report.kind == .honest || report.kind == .far
        let isUsed = isBelieved && !isStale && !isBad && now >= timeIsRightSince
        if !isBad { withoutAny = .zero }
        if isUsed { withoutUsed = .zero }
        guard isUsed, report.kind == .honest, let fix = report.fix else {
            if isBelieved || report.kind == .wrongTime { forgetClear() }
            return isUsed
        }
        try judge(fix, at: now)
        return true
    }

    private mutating func forgetClear() {
        for instance in circles.keys { circles[instance]?.clear = nil }
    }

    /// A van that has been beyond the boundary for long enough, by every fix, has crossed it.
    private mutating func judge(_ fix: Fix, at now: Instant) throws(Violation) {
        if let last = lastClear, now - last > .seconds(2) { forgetClear() }
        lastClear = now
        for (instance, standing) in circles.sorted(by: { $0.key.region < $1.key.region }) {
            let beyond_m = standing.circle.center.nearDistance_m(to: fix.coordinate) - standing.circle.radius_m
            let outward_m = max(Self.cushion_m, fix.horizontalAccuracy_m)
            let inward_m = min(outward_m, standing.circle.radius_m / 2)
            guard beyond_m >= outward_m || -beyond_m >= inward_m else {
                circles[instance]?.clear = nil
                continue
            }
            let isInside = beyond_m < 0
            guard let clear = standing.clear, clear.isInside == isInside else {
                circles[instance]?.clear = (isInside, now)
                continue
            }
            // Before its first state is published, a crossing does not count.
            let begins = max(clear.since, standing.knownSince ?? clear.since + standing.crossingAfter)
            guard now - begins > standing.crossingAfter + Self.patience else { continue }
            dueCount += 1
            if standing.state != (isInside ? .inside : .outside) {
                throw Violation(
                    invariant: .nothingMissed,
                    detail: "\(instance.region) is \(standing.state.rawValue), and for "
                        + "\((now - clear.since).seconds) s the van was \(isInside ? "inside" : "outside")")
            }
        }
    }

    // MARK: - Outputs of the engine

    mutating func take(_ transition: RegionTransition, at now: Instant) throws(Violation) {
        guard var standing = circles[transition.instance] else { return }
        let name = transition.instance.region
        if let event = transition.event {
            crossingCount += 1
            let isEntry = event.kind == .enter
            if standing.isOccupied == isEntry {
                throw Violation(
                    invariant: .noFalseCrossing, detail: "\(name) was \(isEntry ? "entered" : "left") twice")
            }
            let truly = isEntry ? standing.trulyInside : standing.trulyOutside
            guard let truly, now - truly <= Self.remembered else {
                throw Violation(
                    invariant: .noFalseCrossing,
                    detail: "\(name) was \(isEntry ? "entered" : "left"), and the van was not there")
            }
            standing.isOccupied = isEntry
        } else {
            try checkState(transition.state, standing, name)
            if transition.state != .unknown { standing.isOccupied = transition.state == .inside }
        }
        if transition.state != .unknown, standing.knownSince == nil { standing.knownSince = now }
        standing.state = transition.state
        circles[transition.instance] = standing
    }

    private func checkState(_ state: RegionState, _ standing: Standing, _ name: String) throws(Violation) {
        switch state {
        case .unknown:
            // A drifting clock is wrong by at most half a millisecond a second.
            guard standing.state != .unknown, withoutUsed + .milliseconds(1_200) < unknownAfter else { return }
            throw Violation(
                invariant: .reception,
                detail: "\(name) is unknown after \(withoutUsed.seconds) s of listening without a fix")
        case .inside, .outside:
            let isInside = state == .inside
            if let isOccupied = standing.isOccupied, isOccupied != isInside {
                throw Violation(invariant: .noFalseCrossing, detail: "\(name) is \(state.rawValue) without a crossing")
            }
            let seemingly = isInside ? standing.seeminglyInside : standing.seeminglyOutside
            if standing.isOccupied == nil, seemingly == nil {
                throw Violation(
                    invariant: .noFalseCrossing,
                    detail: "\(name) is \(state.rawValue), where the van was never in this life")
            }
        }
    }

    /// Without a fix the state must become unknown after a while.
    func check() throws(Violation) {
        let limit = unknownAfter + .seconds(2.6)
        guard withoutAny > limit else { return }
        for (instance, standing) in circles where standing.state != .unknown {
            throw Violation(
                invariant: .reception,
                detail: "\(instance.region) is \(standing.state.rawValue) after \(withoutAny.seconds) s without a fix")
        }
    }
}
