@testable import Agent
@testable import Core

/// A model of the shop as the radio heard it: what the engine may say of it.
struct Witness {
    private struct Region {
        /// True time of the last report that reached the agent, and how long it had listened in all by then.
        var lastHeard: Instant?
        var listenedWhenHeard = TimeSpan.zero
        var state = RegionState.unknown
        /// Whether the last that was told of it is that somebody is in there; `nil` where nothing was.
        var isOccupied: Bool?
        /// True time of the entry; `nil` where it is not plain which stay the store goes on with.
        var enteredAt: Instant?
        var changedAt = Instant.origin

        /// On a busy radio a report waits for a moment until it is read, which may take up to a millisecond more.
        func isHeard(at now: Instant) -> Bool {
            lastHeard.map { now - $0 <= ReadingPace.rest + .milliseconds(1) } ?? false
        }
    }

    private let settings: Settings
    private let exitAfter: TimeSpan
    /// How long a dead radio may go unnoticed: until the silence is out of the ordinary, or until it is asked again.
    private let unnoticed: TimeSpan
    private let isComplete: Bool
    private let isPlain: Bool
    private var regions: [RegionInstanceID: Region] = [:]
    private var instancesOf: [BeaconIdentity: [RegionInstanceID]] = [:]
    /// How long the agent has listened in all.
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

    /// What the agent tells subscribers of an instance, as of now.
    func state(of instance: RegionInstanceID) -> RegionState? { regions[instance]?.state }

    /// Whether the radio can hear, and the agent would know.
    mutating func listens(_ isListening: Bool, at now: Instant) {
        guard isListening != (listeningSince != nil) else { return }
        if let since = listeningSince { listened = listened + (now - since) }
        listeningSince = isListening ? now : nil
    }

    private func listened(at now: Instant) -> TimeSpan {
        listened + (listeningSince.map { now - $0 } ?? .zero)
    }

    /// A process has begun: it goes on from what is stored.
    ///
    /// - Parameter endedAt: when the one before ended, and a little earlier where its delivery did not get on.
    mutating func lifeBegan(_ outbox: Outbox, boot: Int, endedAt: Instant, at now: Instant) {
        startedAt = now
        let isSameBoot = boot == self.boot
        self.boot = boot
        let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
        var stored: [RegionInstanceID: Bool] = [:]
        for record in outbox.records() {
            if let region = StoredRegion.read(record.value, key: record.key, timebase, bootID: "").region {
                stored[region.record.instance] = region.record.isInside
            }
        }
        for instance in regions.keys {
            regions[instance]?.isOccupied = stored[instance]
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

    /// The agent has had it: who is heard is inside.
    func didHear(_ identity: BeaconIdentity) throws(Violation) {
        guard isComplete else { return }
        for instance in instancesOf[identity] ?? [] where regions[instance]?.state != .inside {
            throw Violation(
                invariant: .nothingMissed,
                detail: "\(instance) is \(regions[instance]?.state.rawValue ?? "") although a beacon is heard in it")
        }
    }

    // MARK: - What the engine tells

    mutating func told(
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
                throw Violation(invariant: .noFalseCrossing, detail: "\(name) was entered by nobody")
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
        // A drifting clock is off by half a millisecond a second at most.
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

    /// A stay is as long as it was, whatever the time of day was set to meanwhile.
    private func checkDwell(_ stay: RegionStay, _ region: Region, _ name: String) throws(Violation) {
        guard stay.ending != .inferred, let enteredAt = region.enteredAt, let lastHeard = region.lastHeard else {
            return
        }
        let dwell = lastHeard - enteredAt
        let error_s = (stay.dwell - dwell).seconds
        if max(error_s, -error_s) > 1 + dwell.seconds / 1_000 {
            throw Violation(
                invariant: .clocks, detail: "\(name): a stay of \(dwell.seconds) s is told as \(stay.dwell.seconds) s")
        }
    }

    /// Nobody stays for ever: after the longest silence that a beacon may have learned, a region has been left.
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
