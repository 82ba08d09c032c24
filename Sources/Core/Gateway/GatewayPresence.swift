/// Decides which beacons are in which regions, and whether the gateway is in a circle. Its outputs are transitions, ranging
/// reports and counts.
///
/// One struct owns tracker, memberships, monitor and ranger, and hands the changes of one to the next. Each method takes one
/// event at `now`, and appends its outputs. The caller does earlier due work first.
struct GatewayPresence: Sendable {
    private(set) var tracker: BeaconTracker
    private(set) var monitor: RegionMonitor
    private(set) var ranger: Ranger
    private(set) var stays = StaySchedule()
    /// The first beacons of regions that stated an implausible measured power.
    private(set) var implausiblePowers: [ImplausiblePower] = []
    /// The counts of regions of people; `nil` without such a region.
    private(set) var people: PeopleCounts?
    /// The deadline of the counts. Each report asks for it, and counts in an optional would be copied.
    private(set) var countingDue = Instant.distantFuture
    /// True if there is a region of people. Each report asks for it too.
    let countsPeople: Bool
    private let settings: RegionSettings
    private let radio: EvidenceSourceID
    /// The source of evidence for regions that need fixes, made with the first of them.
    private var fixSource: EvidenceSourceID?
    private var isReceiverResting: Bool
    /// The last used fix, as the location services have it: the place in events.
    private var lastPlaced: PlacedFix?
    private var requestedRegions = RequestedRegions()
    private var membership: RegionMembership
    private var restoredPatience: RestoredPatience

    /// Buffers that are empty between two calls. Those of every report keep their room, so that a report costs no allocation.
    private var changes: [TrackerChange] = []
    private var transitions: [RegionTransition] = []
    private var failures: [RegionMonitoringFailure] = []
    private var notices: [RegionMonitoringNotice] = []

    /// Registers the configured and the requested regions, and restores their stored states.
    ///
    /// - Parameters:
    /// - radioSees: whether the radio hears from the start.
    /// - canProbe: whether there is a controller to probe.
    /// - receiverRests: whether no fixes come at first, on purpose.
    init(
        _ settings: GatewaySettings, requested: [MonitoredRegion], restoring records: [RegionRecord],
        settled: StoredSettling, radioSees: Bool, canProbe: Bool, receiverRests: Bool, at now: Instant,
        _ timebase: Timebase, _ localTime: LocalTime, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings.regions
        tracker = BeaconTracker(
            settings.tracker, distance: settings.distance, findsAddresses: settings.beacons?.readsTelemetry ?? false)
        monitor = RegionMonitor(limits: settings.regions.limits)
        ranger = Ranger(settings.ranging)
        people = PeopleCounts(
            settings.regions.beacons, isDeaf: !radioSees, shares: settings.sharesPeople, at: now, timebase, localTime)
        countsPeople = people != nil
        radio = monitor.addSource(canProbe: canProbe)
        isReceiverResting = receiverRests
        membership = RegionMembership(capacity: settings.tracker.maxTransmitters)
        restoredPatience = RestoredPatience(at: now)
        countingDue = people?.due ?? .distantFuture
        if !radioSees { monitor.blinded(radio, since: now, at: now) }
        for region in settings.regions.configured {
            do throws(RegionMonitoringFailure) {
                try register(region, hasSettled: settled.has(region), at: now)
            } catch {
                failures.append(error)
            }
        }
        for region in requested {
            do throws(RegionMonitoringFailure) {
                try registerRequested(region, hasSettled: settled.has(region), at: now)
            } catch {
                requestedRegions.refused(region)
                failures.append(error)
            }
        }
        for record in inOrderOfRoom(records)
        where monitor.restore(record, at: now, transitions: &transitions, failures: &failures) {
            guard let slot = monitor.instances.slot(of: record.instance) else { continue }
            if let keeper = record.stay?.keeper { restoredPatience.restore(keeper.patience, of: slot) }
        }
        publish(at: now, &outputs)
    }

    /// Returns the records in order of priority where not all fit: stays first, then the instances left last.
    private func inOrderOfRoom(_ records: [RegionRecord]) -> [RegionRecord] {
        guard records.count > settings.limits.maxInstances else { return records }
        return records.filter(\.isInside)
            + records.filter { !$0.isInside }.sorted { $0.lastHeardAt > $1.lastHeardAt }
    }

    /// Registers a region with the source of evidence of its kind.
    private mutating func register(
        _ region: MonitoredRegion, hasSettled: Bool, at now: Instant
    ) throws(RegionMonitoringFailure) {
        let source = region.kind.needsFixes ? makeFixSource(at: now) : radio
        try monitor.register(
            region, perceivedBy: source, hasSettled: hasSettled, at: now, transitions: &transitions, notices: &notices)
    }

    /// Registers the region of a request, wholly or not at all.
    private mutating func registerRequested(
        _ region: MonitoredRegion, hasSettled: Bool = false, at now: Instant
    ) throws(RegionMonitoringFailure) {
        do throws(RegionMonitoringFailure) {
            try register(region, hasSettled: hasSettled, at: now)
        } catch {
            // The region may be registered although its instance was refused.
            _ = monitor.unregister(region.id)
            throw error
        }
        requestedRegions.registered(region)
    }

    /// True if an exit has come due while no device has been heard just before, so that it is unknown whether the
    /// beacon or the radio is gone. The exit waits for a report, `proved(at:)` or `liveness(_:at:)`.
    var needsProof: Bool { monitor.isAwaitingProof(radio) }

    // MARK: - Sightings: from a report to regions

    /// Learns that a device of any kind was heard: the radio is not deaf.
    mutating func heardAnything(at now: Instant) { tracker.heardAnything(at: now) }

    /// Counts the advertisement where only regions of people contain the beacon.
    ///
    /// - Returns: whether that is so. Figures leave such a beacon out, because a count of one would show a person.
    mutating func countIfOfPeople(_ identity: BeaconIdentity, advertisement: UInt64) -> Bool {
        guard isOfPeople(identity) else { return false }
        people?.take(advertisement: advertisement)
        return true
    }

    private func isOfPeople(_ identity: BeaconIdentity) -> Bool {
        countsPeople && monitor.interest(in: identity) == .counted
    }

    /// Takes a sighting.
    ///
    /// - Parameter register: takes the beacons whose lists change.
    mutating func receive(
        _ sighting: Sighting, at now: Instant, _ register: inout BeaconRegister?, outputs: inout [GatewayOutput]
    ) {
        let slot = tracker.receive(sighting, at: now, interest: { monitor.interest(in: $0) }, changes: &changes)
        takeChanges(at: now, &register)
        // `publish` comes last, so that a new instance that is entered at once has one transition.
        defer { publish(at: now, &outputs) }
        guard let slot else { return refused(sighting.identity) }
        let identity = tracker.identitySlot(of: slot)
        if membership.isUnmet(identity) { meet(identity, at: now) }
        let count = membership.count(of: identity)
        guard count > 0 else { return }
        if !IBeaconFrame.isPlausible(power_dbm: sighting.measuredPower_dbm), !tracker.isCounted(slot) {
            recordImplausiblePower(of: sighting, identity)
        }
        if !restoredPatience.isEmpty {
            // A beacon that is heard for the first time since the start gets the patience that its region's beacons had
            // before.
            for patience in restoredPatience.patience(of: membership[identity], at: now) {
                tracker.restorePatience(patience, of: slot)
            }
        }
        stays.heard(at: now)
        let hearing = tracker.hearing(of: slot)
        let evidence = BeaconEvidence(
            transmitter: slot, identity: sighting.identity, level: hearing.regionLevel, patience: hearing.patience)
        for index in 0..<count {
            monitor.receive(
                evidence, in: membership.instance(index, of: identity), at: now, transitions: &transitions
            ) { tracker.observe(slot, configuredPower_dbm: $0) }
        }
    }

    private mutating func refused(_ identity: BeaconIdentity) {
        if isOfPeople(identity) { people?.missedEntry() }
        monitor.transmitterRefused(identity, limit: tracker.maxTransmitters, failures: &failures)
    }

    /// Takes a report of a region's beacon that states an implausible measured power. The operator learns of each beacon once.
    private mutating func recordImplausiblePower(of sighting: Sighting, _ identity: IdentitySlot) {
        let beacon = ImplausiblePower(identity: sighting.identity, measuredPower_dbm: sighting.measuredPower_dbm)
        guard implausiblePowers.count < ImplausiblePower.most,
            !implausiblePowers.contains(where: { $0.identity == beacon.identity })
        else { return }
        implausiblePowers.append(beacon)
        let regions = membership[identity].map { monitor.instances.region(of: $0) }
        guard let region = regions.first(where: { $0.measuredPower_dbm != nil }) ?? regions.first else { return }
        notices.append(
            RegionMonitoringNotice(
                region: region.id, cause: .implausiblePower(beacon, configured_dbm: region.measuredPower_dbm)))
    }

    /// Passes changes of the tracker's lists on: new identities to regions, new lists to the ranger and the register.
    private mutating func takeChanges(at now: Instant, _ register: inout BeaconRegister?) {
        guard !changes.isEmpty else { return }
        for change in changes {
            switch change {
            case .identityAppeared(let identity): meet(identity, at: now)
            case .listChanged(let identity):
                for instance in membership[identity] { ranger.listChanged(instance, at: now) }
                guard register != nil else { continue }
                for (transmitter, level_dbm) in tracker.wantedTransmitters(of: identity) {
                    register?.record(transmitter, level_dbm: level_dbm, at: now)
                }
            case .identityForgotten(let identity):
                for instance in membership.remove(identity) { monitor.discard(instance) }
            }
        }
        changes.removeAll(keepingCapacity: true)
    }

    /// Finds the instances that an identity belongs to. New ones are pending.
    private mutating func meet(_ identity: IdentitySlot, at now: Instant) {
        guard let value = tracker.identity(in: identity) else { return }
        let instances = monitor.instances(of: value, at: now, transitions: &transitions, failures: &failures)
        tracker.setInterest(monitor.interest(in: value), identity)
        membership.set(instances, of: identity)
    }

    /// Passes on what the monitor has decided, and ranges instances that are inside.
    private mutating func publish(at now: Instant, _ outputs: inout [GatewayOutput]) {
        if !failures.isEmpty || !notices.isEmpty { publishFailures(at: now, &outputs) }
        if monitor.admission.hasDecisions { takeDecisions(at: now, &outputs) }
        guard !transitions.isEmpty else { return }
        for var transition in transitions {
            guard let slot = monitor.instances.slot(of: transition.instance) else { continue }
            if countsPeople, monitor.instances.region(of: slot).isOfPeople {
                count(transition, slot)
                continue
            }
            if transition.event != nil { transition.event?.location = location(at: now) }
            outputs.append(.transition(transition, record: monitor.instances.record(of: slot)))
            if transition.state == .inside, monitor.instances.region(of: slot).isRanged {
                ranger.start(slot, at: now)
            } else {
                ranger.stop(slot)
            }
        }
        transitions.removeAll(keepingCapacity: true)
        // The instances of people that have left.
        if countsPeople, monitor.admission.hasDecisions { takeDecisions(at: now, &outputs) }
    }

    private mutating func publishFailures(at now: Instant, _ outputs: inout [GatewayOutput]) {
        outputs += failures.map { .failure($0, at: now) } + notices.map { .notice($0, at: now) }
        failures.removeAll()
        notices.removeAll()
    }

    /// Counts a crossing, and forgets who left.
    private mutating func count(_ transition: RegionTransition, _ slot: InstanceSlot) {
        if let event = transition.event { people?.take(event.kind, of: transition.instance.region) }
        if transition.state == .outside, monitor.instances[slot].id.discriminator != .whole { monitor.removeLeft(slot) }
    }

    /// Returns the place in events: the last used fix, while it is young enough.
    private func location(at now: Instant) -> EventLocation? {
        guard let placed = lastPlaced, placed.age(at: now) < EventLocation.maxAge else { return nil }
        return EventLocation(
            coordinate: placed.fix.coordinate, horizontalAccuracy_m: placed.fix.horizontalAccuracy_m,
            age: placed.age(at: now))
    }

    /// Passes on which instances came to be and which were deleted. A deleted instance goes before the one that took
    /// its place.
    private mutating func takeDecisions(at now: Instant, _ outputs: inout [GatewayOutput]) {
        let decisions = monitor.takeDecisions()
        for instance in decisions.admitted { setInterest(of: instance) }
        for instance in decisions.deleted.map(\.slot) {
            setInterest(of: instance)
            ranger.stop(instance)
            restoredPatience.end(instance)
            if !membership.hasIdentities(instance) { monitor.discard(instance) }
        }
        let forgotten = decisions.deleted.map(\.id).filter { id in
            !countsPeople || monitor.instances.region(id.region)?.isOfPeople != true
        }
        if !forgotten.isEmpty { outputs.append(.forgotten(forgotten, at: now)) }
        for region in decisions.settled where !region.isOfPeople {
            outputs.append(.settled(region, region: region.id, at: now))
        }
        for surge in decisions.surges where people?.missedEntry(into: surge.region) != true {
            outputs.append(.message(surge, at: now))
        }
        for failure in decisions.failures { outputs.append(.failure(failure, at: now)) }
    }

    private mutating func setInterest(of instance: InstanceSlot) {
        for identity in membership.identities(of: instance) {
            guard let value = tracker.identity(in: identity) else { continue }
            tracker.setInterest(monitor.interest(in: value), identity)
        }
    }

    // MARK: - Other evidence: of the radio, and of the receiver of fixes

    /// Takes the proof that the radio hears: a report of any device, or the controller's answer.
    mutating func proved(at now: Instant) { monitor.proved(radio, at: now) }

    /// Takes the radio's liveness, which shows since when it holds.
    mutating func liveness(_ liveness: RadioLiveness, at now: Instant) {
        people?.hears(liveness == .live)
        switch liveness {
        case .live:
            monitor.sees(radio, at: now)
            monitor.proved(radio, at: now)
        case .suspect(let since), .blind(let since): monitor.blinded(radio, since: min(since, now), at: now)
        }
    }

    /// Takes a used fix, and passes it to the regions that need fixes.
    mutating func use(_ placed: PlacedFix, at now: Instant, outputs: inout [GatewayOutput]) {
        lastPlaced = placed
        guard let fixSource else { return }
        monitor.use(placed.fix, from: fixSource, at: now, transitions: &transitions, notices: &notices)
        if monitor.kinds.isGatewayInside { stays.heard(at: now) }
        publish(at: now, &outputs)
    }

    /// Takes whether the receiver rests on purpose, so that the lack of fixes makes no state unknown.
    mutating func receiverRests(_ rests: Bool, at now: Instant) {
        isReceiverResting = rests
        guard let fixSource else { return }
        if rests { monitor.rests(fixSource, at: now) } else { monitor.listens(fixSource, at: now) }
    }

    /// Returns the source of evidence for regions that need fixes. A gateway without such regions has none, so that a
    /// report costs nothing more.
    private mutating func makeFixSource(at now: Instant) -> EvidenceSourceID {
        if let fixSource { return fixSource }
        let source = monitor.addSource(canProbe: false)
        if isReceiverResting { monitor.rests(source, at: now) }
        fixSource = source
        return source
    }

    // MARK: - Time

    /// Runs the tracker's first timer that is due before `limit`: a beacon falls silent.
    mutating func advanceTracker(
        before limit: Instant, at now: Instant, _ register: inout BeaconRegister?, outputs: inout [GatewayOutput]
    ) {
        _ = tracker.advance(before: limit, changes: &changes)
        takeChanges(at: now, &register)
        publish(at: now, &outputs)
    }

    /// Runs the monitor's first timer that is due before `limit`: an instance is left, or its state becomes known or unknown.
    mutating func advanceMonitor(before limit: Instant, at now: Instant, outputs: inout [GatewayOutput]) {
        _ = monitor.advance(before: limit, transitions: &transitions)
        publish(at: now, &outputs)
    }

    /// Reports the beacons of an instance that is due at or before `due`, where they have changed.
    mutating func range(through due: Instant, at now: Instant, outputs: inout [GatewayOutput]) {
        guard let instance = ranger.advance(through: due) else { return }
        let report = rangingReport(instance, includesReception: ranger.includesReception(instance, at: now), at: now)
        guard ranger.isDue(instance, count: report.count, beacons: report.beacons, at: now) else { return }
        outputs.append(.message(report, at: now))
    }

    /// Returns the beacons in range of an instance.
    ///
    /// - Parameter includesReception: whether to show how often their packets arrive.
    private mutating func rangingReport(
        _ instance: InstanceSlot, includesReception: Bool, at now: Instant
    ) -> RangingReport {
        let configured_dbm = monitor.instances.region(of: instance).measuredPower_dbm
        var beacons: [RangedBeacon] = []
        var count = 0
        for identity in membership.identities(of: instance) {
            // Most identities have one transmitter, which needs no list, has no duplicate and is one track.
            if let slot = tracker.only(identity) {
                guard tracker[slot].isListed else { continue }
                let beacon = ranged(slot, configured_dbm, [], includesReception)
                if !beacon.isResolving { count += 1 }
                beacons.append(beacon)
                continue
            }
            let listed = tracker.listed(identity)
            let duplicates = tracker.duplicateTracks(among: listed)
            let several = listed.map { slot in ranged(slot, configured_dbm, duplicates, includesReception) }
            // A track stays with its identity.
            count += RangedBeacon.count(several)
            beacons += several
        }
        let order = beacons.indices.sorted { RangedBeacon.isNearer(beacons[$0], beacons[$1]) }
        return RangingReport(
            instance: monitor.instances[instance].id, at: now, count: count, beacons: order.map { beacons[$0] })
    }

    private mutating func ranged(
        _ slot: TransmitterSlot, _ configured_dbm: Int8?, _ duplicates: Set<TrackID>, _ includesReception: Bool
    ) -> RangedBeacon {
        let observation = tracker.observe(slot, configuredPower_dbm: configured_dbm)
        let transmitter = tracker[slot]
        return RangedBeacon(
            transmitter: slot, track: transmitter.track, identity: transmitter.identity, address: transmitter.address,
            device: transmitter.device, measuredPower_dbm: transmitter.measuredPower_dbm, observation: observation,
            lastHeard: transmitter.lastHeard, reception: includesReception ? transmitter.interval.reception : nil,
            isResolving: transmitter.trackState == .resolving,
            isDuplicate: transmitter.trackState != .resolving && duplicates.contains(transmitter.track))
    }

    mutating func beginNewcomerWindow() { tracker.beginNewcomerWindow() }

    /// Stores the open stays: every minute while beacons are heard, and when the agent stops.
    mutating func storeStays(outputs: inout [GatewayOutput]) {
        let records = monitor.instances.recordsOfStays()
        if !records.isEmpty { outputs.append(.stays(records)) }
        stays.stored()
    }

    /// Publishes the surges of the minute and stores the stays, because the agent stops.
    mutating func stop(at now: Instant, outputs: inout [GatewayOutput]) {
        monitor.closeSurges()
        publish(at: now, &outputs)
        storeStays(outputs: &outputs)
    }

    /// Returns what is wrong with its parts and between them; for tests.
    func checkInvariants() -> [String] {
        let parts = tracker.checkInvariants() + monitor.checkInvariants() + (people?.checkInvariants() ?? [])
        var broken = parts + membership.checkInvariants(monitor.instances)
        if !changes.isEmpty || !transitions.isEmpty || !failures.isEmpty || !notices.isEmpty {
            broken.append("a change is not passed on")
        }
        if countingDue != people?.due ?? .distantFuture {
            broken.append("the counts of people have another deadline than the gateway knows")
        }
        for identity in tracker.knownIdentities where !membership.isUnmet(identity) {
            guard let value = tracker.identity(in: identity) else { continue }
            if !tracker.hasInterest(monitor.interest(in: value), identity) {
                broken.append("\(value) has another interest than its regions")
            }
        }
        return broken
    }

    // MARK: - Requests, which ask for regions or change them

    /// Returns the states of instances, without those of regions of people.
    func states(_ request: StateRequest) throws(RequestError) -> Answer.Result {
        if let region = request.region {
            guard let monitored = monitor.instances.region(region) else { throw .unknownRegion(region) }
            if monitored.isOfPeople { throw .ofPeople(region) }
        }
        // A value of an expanded region that was never heard has no state: the list is empty.
        let (page, next) = monitor.instances.statuses(from: request.start, limit: request.limit) { instance in
            (request.region.map { $0 == instance.region } ?? true)
                && (request.major.map { $0 == instance.major } ?? true)
                && (request.minor.map { $0 == instance.minor } ?? true)
        }
        return .states(page, next: next)
    }

    /// Returns the beacons in range of an instance, whether or not it is ranged or inside.
    mutating func rangingList(
        _ name: String, _ discriminator: RegionInstanceID.Discriminator?, at now: Instant
    ) throws(RequestError) -> RangingReport {
        guard let monitored = monitor.instances.region(name) else { throw .unknownRegion(name) }
        guard case .beacon(let region) = monitored else { throw .notOfBeacons(name, monitored.kind) }
        if region.isOfPeople { throw .ofPeople(name) }
        guard let discriminator, region.expansion.makes(discriminator) else { throw .wrongInstance(region) }
        let id = RegionInstanceID(region: name, discriminator)
        guard let slot = monitor.instances.slotOrPending(of: id) else {
            return RangingReport(instance: id, at: now, count: 0, beacons: [])
        }
        return rangingReport(slot, includesReception: true, at: now)
    }

    /// Begins to monitor a region. The output `registered` lets the next process monitor it too.
    mutating func beginMonitoring(
        _ definition: RegionDefinition, at now: Instant, outputs: inout [GatewayOutput]
    ) throws(RequestError) -> Answer.Result {
        if let id = definition.id, isConfigured(id) { throw .configuredRegion(id) }
        let region: MonitoredRegion
        do throws(ConfigurationErrors) {
            region = try settings.region(definition)
        } catch {
            throw RequestError(.invalidRegion, error.errors.map(\.description).joined(separator: "; "))
        }
        guard try requestedRegions.admits(region) else { return .monitoring(region: region.id) }
        do throws(RegionMonitoringFailure) {
            try registerRequested(region, at: now)
        } catch {
            throw RequestError(.regionMonitoringFailure, error.description)
        }
        outputs.append(.registered(definition, region: region.id, at: now))
        if region.kind.hasBeacons { meetTrackedBeacons(at: now) }
        publish(at: now, &outputs)
        return .monitoring(region: region.id)
    }

    mutating func stopMonitoring(
        _ region: String, at now: Instant, outputs: inout [GatewayOutput]
    ) throws(RequestError) -> Answer.Result {
        if isConfigured(region) { throw .configuredRegion(region) }
        try requestedRegions.remove(region)
        for record in monitor.instances.records(of: region) {
            guard var exit = record.unmonitoredExit(at: now) else { continue }
            exit.location = location(at: now)
            outputs.append(.exit(record.instance, exit, at: now))
        }
        let (freed, ended) = monitor.unregister(region)
        for slot in freed {
            ranger.stop(slot)
            restoredPatience.end(slot)
            membership.end(slot)
        }
        meetTrackedBeacons(at: now)
        publish(at: now, &outputs)
        outputs.append(.unregistered(region: region, instances: ended, at: now))
        return .stopped(region: region, instances: ended.count)
    }

    private func isConfigured(_ region: String) -> Bool { settings.configured.contains { $0.id == region } }

    /// Updates the memberships after regions were registered or ended. Listed beacons get theirs at once. Remembered
    /// ones get theirs when they are heard again, so that no instance is made of a value that is not heard.
    private mutating func meetTrackedBeacons(at now: Instant) {
        for identity in tracker.knownIdentities {
            if tracker.listed(identity).isEmpty {
                membership.postpone(identity)
            } else {
                meet(identity, at: now)
            }
        }
    }

    // MARK: - People: the gateway publishes counts of visits only. Its reports to the store are sealed

    /// Follows the machine's clock, by which counts begin and end.
    mutating func follow(_ timebase: Timebase, at now: Instant) {
        people?.follow(timebase, at: now)
        countingDue = people?.due ?? .distantFuture
    }

    /// Publishes the counts of a quarter that is over, and the report to the store where it is due.
    mutating func countVisits(at now: Instant, outputs: inout [GatewayOutput]) {
        let (counts, report) = (people?.advance(to: now), people?.beginReport(at: now))
        publishCounts(counts, at: now, &outputs)
        if let report { outputs.append(.message(withPeople(report, at: now), at: now)) }
    }

    /// Publishes the counts so far, because the agent stops.
    mutating func stopCounting(at now: Instant, outputs: inout [GatewayOutput]) {
        publishCounts(people?.stop(at: now), at: now, &outputs)
    }

    /// Learns that the store counts its people jointly until `until`, so that this gateway publishes no counts of its own.
    mutating func storeCounts(until: Instant, at now: Instant, outputs: inout [GatewayOutput]) {
        publishCounts(people?.storeCounts(until: until, at: now), at: now, &outputs)
    }

    /// Publishes counts, and asks for their next deadline.
    private mutating func publishCounts(_ counts: [VisitCount]?, at now: Instant, _ outputs: inout [GatewayOutput]) {
        for count in counts ?? [] { outputs.append(.message(count, at: now)) }
        countingDue = people?.due ?? .distantFuture
    }

    /// Returns a report with the people that are inside, for the store's joint count.
    private mutating func withPeople(_ report: PeopleReport, at now: Instant) -> PeopleReport {
        var report = report
        let instances = monitor.instances
        for slot in instances.slots {
            guard let presence = instances[slot].machine.presence, instances.region(of: slot).isOfPeople,
                case .beacon(let region) = instances.region(of: slot)
            else { continue }
            guard report.people.count < PeopleReport.most else {
                report.isComplete = false
                break
            }
            let levels_dbm = membership.identities(of: slot).flatMap { tracker.listed($0) }
                .compactMap { tracker.hearing(of: $0).regionLevel?.rssi_dbm }
            report.people.append(
                PeopleReport.Person(
                    region: region.id, name: "\(region.uuid)/\(instances[slot].id.levels)",
                    entered_ms: max(0, (now - presence.enteredAt).microseconds / 1_000),
                    heard_ms: max(0, (now - presence.lastHeardAt).microseconds / 1_000), rssi_dbm: levels_dbm.max(),
                    wasThere: presence.beginning != .observed))
        }
        return report
    }
}

/// The schedule of storing open stays: every minute while beacons are heard. So after a crash the agent infers an exit
/// to the minute.
package struct StaySchedule: Sendable {
    package static let interval = TimeSpan.seconds(60)
    private(set) var due = Instant.distantFuture

    /// Takes a report of a region's beacon.
    mutating func heard(at now: Instant) { if due == .distantFuture { due = now + Self.interval } }

    /// Clears the deadline; the next report sets it. Without a report there is nothing new to store.
    mutating func stored() { due = .distantFuture }
}
