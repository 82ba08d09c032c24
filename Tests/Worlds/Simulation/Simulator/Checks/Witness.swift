@testable import Agent
@testable import Core

/// A model of the shop as the radio heard it: the events that the engine may publish.
struct Witness {
    private struct Region {
        /// The true time of the last report that reached the agent, and the agent's whole listening time by then.
        var lastHeard: Instant?
        var listenedWhenHeard = TimeSpan.zero
        var state = RegionState.unknown
        /// True if the last event says that a beacon is inside; `nil` without an event.
        var isOccupied: Bool?
        /// The true time of the entry; `nil` where it is not certain which stay the store continues.
        var enteredAt: Instant?
        var changedAt = Instant.origin

        /// On a busy radio a report waits for a moment until it is read, which may take up to a millisecond more.
        func isHeard(at now: Instant) -> Bool {
            lastHeard.map { now - $0 <= ReadingPace.rest + .milliseconds(1) } ?? false
        }
    }

    private let settings: Settings
    private let exitAfter: TimeSpan
    /// The time for which a dead radio may go unnoticed: until the silence is unusual, or until the next probe.
    private let unnoticed: TimeSpan
    private let isComplete: Bool
    private let isPlain: Bool
    private var regions: [RegionInstanceID: Region] = [:]
    private var instancesOf: [BeaconIdentity: [RegionInstanceID]] = [:]
    /// The agent's whole listening time.
    private var listened = TimeSpan.zero
    private var listeningSince: Instant?
    private var startedAt = Instant.origin
    private var boot = 0

    init(_ scenario: Scenario) {
        settings = scenario.settings
        exitAfter = scenario.settings.gateway.regions.rules.beacons.exitAfter
        let hasBystander = scenario.shop.devices.contains { if case .bystander = $0.kind { true } else { false } }
        unnoticed = .seconds(hasBystander ? 13 : 35)
        isPlain = scenario.shop.isPlain
        isComplete = scenario.settings.gateway.tracker.maxTransmitters > 1_000
        for device in scenario.shop.devices {
            let instances = settings.gateway.regions.instances(of: device.identity)
            instancesOf[device.identity] = instances
            for instance in instances { regions[instance] = Region() }
        }
    }

    var instances: some Collection<RegionInstanceID> { regions.keys }

    /// The agent's present state of an instance, for subscribers.
    func state(of instance: RegionInstanceID) -> RegionState? { regions[instance]?.state }

    /// Notes whether the radio can hear, as far as the agent can know.
    mutating func listens(_ isListening: Bool, at now: Instant) {
        guard isListening != (listeningSince != nil) else { return }
        if let since = listeningSince { listened = listened + (now - since) }
        listeningSince = isListening ? now : nil
    }

    private func listened(at now: Instant) -> TimeSpan {
        listened + (listeningSince.map { now - $0 } ?? .zero)
    }

    /// A process has begun: it continues from the stored state.
    ///
    /// - Parameter endedAt: the end of the former process, or a little earlier where its delivery was held up.
    mutating func lifeBegan(_ outbox: Outbox, boot: Int, endedAt: Instant, at now: Instant) {
        startedAt = now
        let isSameBoot = boot == self.boot
        self.boot = boot
        let stored = outbox.storedRegions()
        for instance in regions.keys {
            regions[instance]?.isOccupied = stored[instance]?.record.isInside
            regions[instance]?.state = .unknown
            let changedAt = regions[instance]?.changedAt ?? endedAt
            if !isSameBoot || endedAt - changedAt < .seconds(10) { regions[instance]?.enteredAt = nil }
        }
    }

    // MARK: - Reports

    /// A report is about to reach the agent.
    mutating func willHear(_ identity: BeaconIdentity, at now: Instant) {
        for instance in instancesOf[identity] ?? [] {
            let listened = listened(at: now)
            regions[instance]?.lastHeard = now
            regions[instance]?.listenedWhenHeard = listened
        }
    }

    /// The agent has received it: the beacon is inside.
    func didHear(_ identity: BeaconIdentity) throws(Violation) {
        guard isComplete else { return }
        for instance in instancesOf[identity] ?? [] where regions[instance]?.state != .inside {
            throw Violation(
                invariant: .nothingMissed,
                detail: "\(instance) is \(regions[instance]?.state.rawValue ?? "") although a beacon is heard in it")
        }
    }

    // MARK: - Outputs of the engine

    mutating func take(
        _ transition: RegionTransition, radioSees: Bool, adapterIsUp: Bool, at now: Instant
    ) throws(Violation) {
        guard var region = regions[transition.instance] else {
            throw Violation(invariant: .noFalseCrossing, detail: "\(transition.instance) was never there")
        }
        let name = "\(transition.instance.region) \(transition.instance.major ?? 0)/\(transition.instance.minor ?? 0)"
        switch transition.event?.kind {
        case .enter:
            if region.isOccupied == true {
                throw Violation(invariant: .noFalseCrossing, detail: "\(name) was entered twice")
            }
            if !region.isHeard(at: now) {
                throw Violation(invariant: .noFalseCrossing, detail: "\(name) was entered without a beacon")
            }
            region.isOccupied = true
            region.enteredAt = region.lastHeard
        case .exit(let stay):
            if region.isOccupied == false {
                throw Violation(invariant: .noFalseCrossing, detail: "\(name) was left twice")
            }
            if !radioSees || !adapterIsUp {
                throw Violation(invariant: .blindRadio, detail: "\(name) was left while the radio was blind")
            }
            try checkExit(region, name, at: now)
            try checkDwell(stay, region, name)
            region.isOccupied = false
        case nil:
            if transition.state == .inside {
                if region.isOccupied != true { region.enteredAt = region.isHeard(at: now) ? region.lastHeard : nil }
                region.isOccupied = true
            }
            if transition.state == .outside, region.isOccupied == nil { region.isOccupied = false }
        }
        if transition.state == .inside, region.isOccupied == false {
            throw Violation(invariant: .noFalseCrossing, detail: "\(name) is inside without an entry")
        }
        region.state = transition.state
        region.changedAt = now
        regions[transition.instance] = region
    }

    private func checkExit(_ region: Region, _ name: String, at now: Instant) throws(Violation) {
        // A drifting clock is wrong by at most half a millisecond a second.
        let patience = exitAfter - TimeSpan(microseconds: exitAfter.microseconds / 1_000)
        if let lastHeard = region.lastHeard, now - lastHeard < patience {
            throw Violation(
                invariant: .noFalseCrossing,
                detail: "\(name) was left \((now - lastHeard).seconds) s after a beacon was heard in it")
        }
        let listening = listened(at: now) - max(region.listenedWhenHeard, .zero)
        if listening + unnoticed < patience {
            throw Violation(
                invariant: .blindRadio,
                detail: "\(name) was left after \(listening.seconds) s of listening")
        }
    }

    /// Checks that a stay is as long as in truth, even if the wall clock was set meanwhile.
    private func checkDwell(_ stay: RegionStay, _ region: Region, _ name: String) throws(Violation) {
        guard stay.ending != .inferred, let enteredAt = region.enteredAt, let lastHeard = region.lastHeard else {
            return
        }
        let dwell = lastHeard - enteredAt
        let error_s = (stay.dwell - dwell).seconds
        if max(error_s, -error_s) > 1 + dwell.seconds / 1_000 {
            throw Violation(
                invariant: .clocks, detail: "\(name): a stay of \(dwell.seconds) s becomes \(stay.dwell.seconds) s")
        }
    }

    /// Checks that no stay lasts for ever: it ends after the longest silence that the agent may have learned for a
    /// beacon.
    func check(at now: Instant) throws(Violation) {
        let longest = exitAfter + .seconds(isPlain ? 45 : 4 * 60 + 60)
        guard let listeningSince, now - max(listeningSince, startedAt) > longest else { return }
        for (instance, region) in regions
        where region.state == .inside && now - (region.lastHeard ?? .origin) > longest {
            throw Violation(
                invariant: .nothingMissed,
                detail:
                    "\(instance) is inside, \((now - (region.lastHeard ?? .origin)).seconds) s after the last report")
        }
    }
}

extension Outbox {
    /// The regions that its records say, by instance. Without `timebase` their times mean nothing.
    func storedRegions(
        _ timebase: Timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
    ) -> [RegionInstanceID: StoredRegion] {
        let regions = records().compactMap { StoredRegion.read($0.value, key: $0.key, timebase, bootID: "").region }
        return Dictionary(regions.map { ($0.record.instance, $0) }) { $1 }
    }
}
