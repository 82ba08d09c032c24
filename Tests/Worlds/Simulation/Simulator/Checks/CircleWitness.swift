@testable import Agent
@testable import Core

/// A model of the circles: what the agent may say and has to say of them, by where the van truly was and what its receiver said.
struct CircleWitness {
    private struct Standing {
        let circle: Circle
        let crossingAfter: TimeSpan
        /// When the van was last truly inside and outside.
        var trulyInside: Instant?
        var trulyOutside: Instant?
        /// The same, where by its fixes it may seem so.
        var seeminglyInside: Instant?
        var seeminglyOutside: Instant?
        /// Since which fix each has said clearly which side it is on.
        var clear: (isInside: Bool, since: Instant)?
        var state = RegionState.unknown
        var isOccupied: Bool?
        /// When the first state was told in this life.
        var toldSince: Instant?
    }

    /// What the observed distance may differ from the true one by, while the van moves between a fix and what comes of it.
    private static let remembered = TimeSpan.seconds(8)
    /// Beyond the boundary by the cushion, and by as much as an honest fix is wrong. Metres.
    private static let cushion_m = 20.0
    /// How much later than after `crossing_after_s` a crossing may be told: fixes come a second apart.
    private static let patience = TimeSpan.seconds(3)
    /// For how long the receiver's times are not believed after a wrong one.
    private static let timeTrial = TimeSpan.seconds(13)

    private var circles: [RegionInstanceID: Standing] = [:]
    private let unknownAfter: TimeSpan
    private let desiredAccuracy_m: Double
    private let maxAge: TimeSpan
    /// For how long the receiver has listened without any fix, and without one that is certainly used.
    private var withoutAny = TimeSpan.zero
    private var withoutUsed = TimeSpan.zero
    private var lookedAt = Instant.origin
    /// Since when its times are in order.
    private var timeIsRightSince = Instant.origin
    private var lastClear: Instant?
    /// How often a crossing was due, for seeing that the checks check something.
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

    // MARK: - What happens

    /// A process has begun: it goes on from what is stored.
    mutating func lifeBegan(_ outbox: Outbox, at now: Instant) {
        let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
        var stored: [RegionInstanceID: Bool] = [:]
        for record in outbox.records() where !circles.isEmpty {
            if let region = StoredRegion.read(record.value, key: record.key, timebase, bootID: "").region {
                stored[region.record.instance] = region.record.isInside
            }
        }
        for instance in circles.keys {
            circles[instance]?.isOccupied = stored[instance]
            circles[instance]?.state = .unknown
            circles[instance]?.clear = nil
            circles[instance]?.toldSince = nil
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

    /// The agent has had a report.
    ///
    /// - Parameter clock: what it took for the time of day.
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

    /// Who has been beyond the boundary for long, as each fix says, has crossed it.
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
            // Until its first state is told there is no crossing to count for.
            let begins = max(clear.since, standing.toldSince ?? clear.since + standing.crossingAfter)
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

    // MARK: - What the engine tells

    mutating func told(_ transition: RegionTransition, at now: Instant) throws(Violation) {
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
        if transition.state != .unknown, standing.toldSince == nil { standing.toldSince = now }
        standing.state = transition.state
        circles[transition.instance] = standing
    }

    private func checkState(_ state: RegionState, _ standing: Standing, _ name: String) throws(Violation) {
        switch state {
        case .unknown:
            // A drifting clock is off by half a millisecond a second at most.
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

    /// Without a fix nothing is known after a while.
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
