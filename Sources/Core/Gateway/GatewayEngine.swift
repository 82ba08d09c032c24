/// The engine of a gateway: from reports and time to transitions and ranging.
///
/// One struct owns tracker, monitor and ranger, and one thread owns the struct. The engine reads no clock and does no
/// I/O, so equal input at equal instants gives equal output. Reports come in `+Receiving`, time passes in `+Advancing`,
/// requests are answered in `+Answering`.
package struct GatewayEngine: Sendable {
    package var tracker: BeaconTracker
    var monitor: RegionMonitor
    /// The source of evidence for beacons.
    package let radio: EvidenceSourceID
    /// The gateway's place, and its sources.
    var place = LocationState()
    var ranger: Ranger
    var intake: Intake
    /// One watch for each configured adapter, in their order.
    var readings: [ReadingWatch]
    /// The first beacons of regions that stated an implausible measured power.
    var implausiblePowers: [ImplausiblePower] = []
    package let settings: GatewaySettings
    var requestedRegions = RequestedRegions()
    var membership: RegionMembership
    var restoredPatience: RestoredPatience
    var stays = StaySchedule()
    /// The list of beacons; `nil` without `[beacons]`.
    var register: BeaconRegister?
    /// The register's deadline. Each report asks for it, and a register in an optional would be copied.
    var listingDue = Instant.distantFuture
    /// True if there is a region of people, so that the engine needs the time of day. Each report asks, and an optional would be copied.
    package let countsPeople: Bool
    /// The counts of regions of people; `nil` without such a region.
    var people: PeopleCounts?
    /// The deadline of the counts and of the reports to the store, for the same reason.
    var countingDue = Instant.distantFuture
    /// The next report of people to the store; `distantFuture` where the store joins no counts.
    var sharingDue = Instant.distantFuture

    /// The current time. It never goes back: late input counts as coming now.
    package var now: Instant
    var beaconCount: UInt64 = 0
    var floods: FloodWatch

    /// Buffers that are reused for every report, so that a report costs no allocation.
    var changes: [TrackerChange] = []
    var transitions: [RegionTransition] = []
    var failures: [RegionMonitoringFailure] = []
    var notices: [RegionMonitoringNotice] = []

    /// Registers the configured regions and restores their stored states.
    ///
    /// - Parameters:
    /// - requested: the regions that requests had registered in an earlier process.
    /// - records: the records that an earlier process stored. Records of regions in neither list are ignored.
    /// - settled: the expanded regions that have settled in an earlier process, as `StoredSettling` stored them.
    /// - heard: the beacons that an earlier process has listed last.
    /// - radioSees: whether the radio hears from the start. A live one first has to announce it.
    /// - canProbe: whether there is a controller to probe. Only then `needsProof` may become true.
    /// - timebase, localTime: the time of day, and the store's. Only regions of people need them.
    package init(
        _ settings: GatewaySettings, requested: [MonitoredRegion] = [], restoring records: [RegionRecord] = [],
        settled: StoredSettling = StoredSettling(), heard: [HeardBeacon] = [], radioSees: Bool,
        canProbe: Bool = false, at now: Instant, _ timebase: Timebase = .ofRecordings,
        localTime: LocalTime = .utc, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings
        countsPeople = settings.countsPeople
        let readsTelemetry = settings.beacons?.readsTelemetry ?? false
        self.tracker = BeaconTracker(settings.tracker, distance: settings.distance, findsAddresses: readsTelemetry)
        self.monitor = RegionMonitor(limits: settings.regions.limits)
        self.radio = monitor.addSource(canProbe: canProbe)
        self.ranger = Ranger(settings.ranging)
        self.intake = Intake(
            rssiOffsets_db: settings.adapters.map(\.rssiOffset_db), capacity: settings.tracker.maxTransmitters,
            readsTelemetry: readsTelemetry)
        self.readings = settings.adapters.map { _ in ReadingWatch() }
        self.membership = RegionMembership(capacity: settings.tracker.maxTransmitters)
        self.restoredPatience = RestoredPatience(at: now)
        self.now = now
        self.floods = FloodWatch(at: now)
        self.place.services = settings.location.map {
            LocationServices($0, longestGap: settings.regions.rules.beacons.unknownStateAfter, at: now)
        }
        self.place.isResting = !(self.place.services?.listens ?? false)
        if !radioSees { monitor.blinded(radio, since: now, at: now) }
        for region in settings.regions.configured {
            do throws(RegionMonitoringFailure) {
                try register(region, hasSettled: settled.has(region))
            } catch {
                outputs.append(.failure(error, at: now))
            }
        }
        for region in requested {
            do throws(RegionMonitoringFailure) {
                try registerRequested(region, hasSettled: settled.has(region))
            } catch {
                requestedRegions.refused(region)
                outputs.append(.failure(error, at: now))
            }
        }
        startList(heard)
        people = PeopleCounts(settings.regions.beacons, isDeaf: !radioSees, at: now, timebase, localTime)
        sharingDue = countsPeople && settings.sharesPeople ? now : .distantFuture
        scheduleCounting()
        for record in inOrderOfRoom(records)
        where monitor.restore(record, at: now, transitions: &transitions, failures: &failures) {
            guard let slot = monitor.instances.slot(of: record.instance) else { continue }
            if let keeper = record.stay?.keeper { restoredPatience.restore(keeper.patience, of: slot) }
        }
        takeTransitions(&outputs)
        takeFailures(&outputs)
        advanceServices(&outputs)
    }

    /// Returns the records in order of priority where not all fit: stays first, then the instances left last.
    private func inOrderOfRoom(_ records: [RegionRecord]) -> [RegionRecord] {
        guard records.count > settings.regions.limits.maxInstances else { return records }
        return records.filter(\.isInside)
            + records.filter { !$0.isInside }.sorted { $0.lastHeardAt > $1.lastHeardAt }
    }

    /// The longest common silence that does not mean a deaf radio; `nil` where fewer than two beacons are heard.
    var ordinarySilence: TimeSpan? { tracker.ordinarySilence }

    /// The time of the next exit if the radio had never been deaf and no report came; `distantFuture` where no beacon is inside. Later, a deaf
    /// radio holds that exit back. It goes through all instances.
    var nextExitWithoutBlindness: Instant { monitor.nextExitWithoutBlindness }

    /// The counts since the start, without people: figures that grow by one would show that one person came. Counting the
    /// listed tracks goes through all transmitters.
    package var figures: GatewayFigures {
        let listed = tracker.listedTrackCount
        var figures = GatewayFigures()
        figures.reports = people.map { intake.advertisementCount &- $0.advertisementCount } ?? intake.reportCount
        figures.beacons = beaconCount
        figures.rejects = intake.rejects
        (figures.tracks, figures.listedTracks) = (tracker.trackCount, listed)
        figures.instances = countsPeople ? monitor.instances.publishedCount : monitor.instances.count
        figures.refusedTransmitters = tracker.refusedCount
        figures.refusedEntries = monitor.admission.refused
        figures.suspectedSpoofing = floods.suspects(tracker.newcomers, listed: listed)
        figures.suspectReadings = suspectReadings
        figures.implausiblePowers = implausiblePowers
        figures.beaconLists = register?.figures
        figures.location = place.services?.figures(at: now)
        return figures
    }

    /// The first broken invariant of tracker and monitor; `nil` where all hold. For tests, because it goes through
    /// everything.
    package var brokenInvariant: String? { tracker.brokenInvariant ?? monitor.checkInvariants().first }

    private var suspectReadings: [SuspectReadings] {
        zip(settings.adapters, readings).compactMap { listening, readings in
            readings.suspicion.map { SuspectReadings(adapter: listening.adapter.name, kind: $0) }
        }
    }
}

/// The way of a report from sightings to regions.
extension GatewayEngine {
    /// Takes an HCI event that was received at `instant`. Earlier due work comes first.
    ///
    /// - Parameters:
    /// - event: the event packet from its event code on. Any bytes: malformed ones are counted and skipped.
    /// - adapter: the number of the configured adapter, from 0 on; a capture counts as the first. An event of an
    ///   unknown adapter is ignored.
    /// - outputs: the effects are appended here.
    package mutating func receive(
        _ event: Span<UInt8>, from adapter: Int = 0, at instant: Instant, outputs: inout [GatewayOutput]
    ) {
        let isAdvertising = AdvertisingEvent.isAdvertising(event)
        receive(event, from: adapter, isAdvertising: isAdvertising, at: instant, outputs: &outputs)
    }

    /// - Parameter isAdvertising: whether the event carries advertising reports; the caller has checked.
    mutating func receive(
        _ event: Span<UInt8>, from adapter: Int = 0, isAdvertising: Bool, at instant: Instant,
        outputs: inout [GatewayOutput]
    ) {
        guard intake.has(adapter) else { return }
        // A report of any device proves that the radio has heard until now.
        if isAdvertising { monitor.proved(radio, at: max(now, instant)) }
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        intake.receive(event, from: adapter, isAdvertising: isAdvertising, at: now, heardBy: &tracker)
        for index in intake.receptions.indices {
            let reception = intake.receptions[index]
            if isOfPeople(reception.sighting.identity) {
                people?.take(advertisement: reception.advertisement)
            } else {
                beaconCount &+= 1
                if let rssi_dbm = reception.rssi_dbm {
                    floods.heard(rssi_dbm)
                    readings[adapter].heard(rssi_dbm, of: reception.sighting)
                }
            }
            if reception.isTaken { receive(reception.sighting, outputs: &outputs) }
        }
        if intake.readsTelemetry { takeTelemetry() }
    }

    /// Starts the counts of a new minute, and forgets silent devices. Both concern only reports, so their order among the sources does not
    /// matter.
    mutating func endWindows(before limit: Instant) {
        guard floods.end <= limit else { return }
        floods.endWindow(tracker.newcomers, at: limit)
        for adapter in readings.indices { readings[adapter].endWindow() }
        tracker.beginNewcomerWindow()
        intake.forgetSilent(at: limit)
    }

    /// Returns whether only regions of people contain a beacon. Figures that grow by one such beacon would show that a person is there.
    private func isOfPeople(_ identity: BeaconIdentity) -> Bool {
        countsPeople && monitor.interest(in: identity) == .counted
    }

    private mutating func receive(_ sighting: Sighting, outputs: inout [GatewayOutput]) {
        let slot = tracker.receive(sighting, at: now, interest: { monitor.interest(in: $0) }, changes: &changes)
        takeChanges(&outputs)
        // Transitions are passed on only at the end, so that a new instance that is entered at once is published once.
        defer { takeTransitions(&outputs) }
        guard let slot else { return refused(sighting.identity, &outputs) }
        let identity = tracker.identitySlot(of: slot)
        if membership.isUnmet(identity) {
            meet(identity)
            takeFailures(&outputs)
        }
        let count = membership.count(of: identity)
        guard count > 0 else { return }
        if !IBeaconFrame.isPlausible(power_dbm: sighting.measuredPower_dbm), !tracker.isCounted(slot) {
            recordImplausiblePower(of: sighting, identity, &outputs)
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

    /// Takes a report of a region's beacon that states an implausible measured power. The operator learns of each beacon once.
    private mutating func recordImplausiblePower(
        of sighting: Sighting, _ identity: IdentitySlot, _ outputs: inout [GatewayOutput]
    ) {
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
        takeFailures(&outputs)
    }

    /// Passes changes of the tracker's lists on: new identities to regions, new lists to the ranger.
    mutating func takeChanges(_ outputs: inout [GatewayOutput]) {
        guard !changes.isEmpty else { return }
        for change in changes {
            switch change {
            case .identityAppeared(let identity): meet(identity)
            case .listChanged(let identity):
                for instance in membership[identity] { ranger.listChanged(instance, at: now) }
                listChanged(identity)
            case .identityForgotten(let identity):
                for instance in membership.forget(identity) { monitor.discard(instance) }
            }
        }
        changes.removeAll(keepingCapacity: true)
        takeFailures(&outputs)
    }

    private mutating func refused(_ identity: BeaconIdentity, _ outputs: inout [GatewayOutput]) {
        if isOfPeople(identity) { people?.missedEntry() }
        monitor.transmitterRefused(identity, limit: tracker.maxTransmitters, failures: &failures)
        takeFailures(&outputs)
    }

    mutating func takeFailures(_ outputs: inout [GatewayOutput]) {
        guard !failures.isEmpty || !notices.isEmpty else { return }
        for failure in failures { outputs.append(.failure(failure, at: now)) }
        failures.removeAll(keepingCapacity: true)
        for notice in notices { outputs.append(.notice(notice, at: now)) }
        notices.removeAll(keepingCapacity: true)
    }

    /// Passes the monitor's decisions on, and ranges instances that are inside.
    mutating func takeTransitions(_ outputs: inout [GatewayOutput]) {
        if monitor.admission.hasDecisions { takeDecisions(&outputs) }
        guard !transitions.isEmpty else { return }
        for var transition in transitions {
            guard let slot = monitor.instances.slot(of: transition.instance) else { continue }
            if countsPeople, monitor.instances.region(of: slot).isOfPeople {
                count(transition, slot)
                continue
            }
            if transition.event != nil { transition.event?.location = location }
            outputs.append(.transition(transition, record: monitor.instances.record(of: slot)))
            if transition.state == .inside, monitor.instances.region(of: slot).isRanged {
                ranger.start(slot, at: now)
            } else {
                ranger.stop(slot)
            }
        }
        transitions.removeAll(keepingCapacity: true)
        // The instances of people that have left.
        if countsPeople, monitor.admission.hasDecisions { takeDecisions(&outputs) }
    }

    /// The place in events: the last used fix, while it is young enough.
    package var location: EventLocation? {
        guard let last = place.services?.last else { return nil }
        let age = last.age(at: now)
        guard age < EventLocation.maxAge else { return nil }
        return EventLocation(
            coordinate: last.fix.coordinate, horizontalAccuracy_m: last.fix.horizontalAccuracy_m, age: age)
    }

    /// Passes on which instances came to be and which were deleted. A deleted instance goes before the one that took
    /// its place.
    private mutating func takeDecisions(_ outputs: inout [GatewayOutput]) {
        let decisions = monitor.takeDecisions()
        for instance in decisions.admitted { setInterest(of: instance) }
        for instance in decisions.deleted.map(\.slot) {
            setInterest(of: instance)
            ranger.stop(instance)
            restoredPatience.end(instance)
            if !membership.hasIdentities(instance) { monitor.discard(instance) }
        }
        let forgotten = decisions.deleted.map(\.id).filter { !isOfPeople($0.region) }
        if !forgotten.isEmpty { outputs.append(.forgotten(forgotten, at: now)) }
        for region in decisions.settled where !region.isOfPeople {
            outputs.append(.settled(region, region: region.id, at: now))
        }
        for surge in decisions.surges where people?.missedEntry(into: surge.region) != true {
            outputs.append(.message(surge, at: now))
        }
        for failure in decisions.failures { outputs.append(.failure(failure, at: now)) }
    }

    /// Updates the interest in the beacons of an instance.
    private mutating func setInterest(of instance: InstanceSlot) {
        for identity in membership.identities(of: instance) {
            guard let value = tracker.identity(in: identity) else { continue }
            tracker.setInterest(monitor.interest(in: value), identity)
        }
    }
}

/// The membership of beacons in region instances, while both come and go.
extension GatewayEngine {
    /// Returns whether an instance exists: its region is monitored, and no limit refused it.
    package func holds(_ instance: RegionInstanceID) -> Bool { monitor.instances.slot(of: instance) != nil }

    /// Returns whether a stored state belongs to an existing instance.
    package func holds(_ record: RegionRecord) -> Bool {
        monitor.instances.slot(of: record.instance).map { monitor.instances.region(of: $0).canRestore(record) } ?? false
    }

    /// Registers a region with the source of evidence of its kind.
    mutating func register(_ region: MonitoredRegion, hasSettled: Bool = false) throws(RegionMonitoringFailure) {
        let source = region.kind.needsFixes ? receiver() : radio
        try monitor.register(
            region, perceivedBy: source, hasSettled: hasSettled, at: now, transitions: &transitions, notices: &notices)
    }

    /// Updates the memberships after regions were registered or ended. Listed beacons get theirs at once. Remembered
    /// ones get theirs when they are heard again, so that no instance is made of a value that is not heard.
    mutating func meetTrackedBeacons() {
        for identity in tracker.knownIdentities {
            if tracker.listed(identity).isEmpty {
                membership.postpone(identity)
            } else {
                meet(identity)
            }
        }
    }

    /// Finds the instances that an identity belongs to. New ones are pending.
    mutating func meet(_ identity: IdentitySlot) {
        guard let value = tracker.identity(in: identity) else { return }
        let instances = monitor.instances(of: value, at: now, transitions: &transitions, failures: &failures)
        tracker.setInterest(monitor.interest(in: value), identity)
        membership.set(instances, of: identity)
    }
}

/// The regions that requests have registered.
struct RequestedRegions: Sendable {
    /// The regions by id.
    private var monitored: [String: MonitoredRegion] = [:]
    /// The regions that an earlier process had registered and a limit refuses now. A request may register or stop them.
    private var refused: Set<String> = []

    /// Returns whether to register the region.
    ///
    /// - Returns: `false` where it is registered already: a broker may deliver a request twice.
    /// - Throws: `regionExists` where another region has its id.
    func admits(_ region: MonitoredRegion) throws(RequestError) -> Bool {
        guard let known = monitored[region.id] else { return true }
        guard known == region else { throw .regionExists(region.id) }
        return false
    }

    mutating func registered(_ region: MonitoredRegion) {
        monitored[region.id] = region
        refused.remove(region.id)
    }

    mutating func refused(_ region: MonitoredRegion) { refused.insert(region.id) }

    /// Ends the monitoring of a region.
    ///
    /// - Throws: `unknownRegion` where no request has registered it.
    mutating func remove(_ region: String) throws(RequestError) {
        let wasMonitored = monitored.removeValue(forKey: region) != nil
        guard refused.remove(region) != nil || wasMonitored else { throw .unknownRegion(region) }
    }
}

/// The memberships of beacons in region instances.
///
/// `GatewayEngine.meet` fills it when an identity appears or regions change. A report only looks its instances up.
struct RegionMembership: Sendable {
    /// The instances, indexed by the slot of the identity.
    private var instancesOfIdentity: [[InstanceSlot]] = []
    /// The list made last. Identities of one region share it, unless the region is expanded.
    private var latestInstances: [InstanceSlot] = []
    /// The identities heard that belong to an instance. Their transmitters are ranged for it.
    private var identitiesOfInstance: [InstanceSlot: Set<IdentitySlot>] = [:]
    /// The identities not heard since regions were registered or ended. Their instances are found when they are heard.
    private var unmetIdentities: Set<IdentitySlot> = []

    /// - Parameter capacity: the most identities. A growing array would exist twice while it moves.
    init(capacity: Int) { instancesOfIdentity.reserveCapacity(capacity) }

    /// The number of an identity's instances, and each of them. A caller that asks with every report would otherwise
    /// count a reference to the list.
    func count(of identity: IdentitySlot) -> Int { instancesOfIdentity[identity.index].count }
    func instance(_ index: Int, of identity: IdentitySlot) -> InstanceSlot {
        instancesOfIdentity[identity.index][index]
    }

    /// The instances that an identity belongs to.
    subscript(identity: IdentitySlot) -> [InstanceSlot] {
        instancesOfIdentity.indices.contains(identity.index) ? instancesOfIdentity[identity.index] : []
    }

    /// Returns the identities heard that belong to an instance, in no particular order.
    func identities(of instance: InstanceSlot) -> some Sequence<IdentitySlot> { identitiesOfInstance[instance] ?? [] }

    /// Returns whether the instances of the identity still have to be found.
    func isUnmet(_ identity: IdentitySlot) -> Bool { !unmetIdentities.isEmpty && unmetIdentities.contains(identity) }

    /// Postpones finding the instances until the identity is heard.
    mutating func postpone(_ identity: IdentitySlot) { unmetIdentities.insert(identity) }

    /// Sets the instances of an identity.
    mutating func set(_ instances: [InstanceSlot], of identity: IdentitySlot) {
        unmetIdentities.remove(identity)
        while instancesOfIdentity.count <= identity.index { instancesOfIdentity.append([]) }
        if instances != latestInstances { latestInstances = instances }
        instancesOfIdentity[identity.index] = latestInstances
        for instance in instances { identitiesOfInstance[instance, default: []].insert(identity) }
    }

    /// Returns whether any remembered identity belongs to the instance.
    func hasIdentities(_ instance: InstanceSlot) -> Bool { !(identitiesOfInstance[instance] ?? []).isEmpty }

    /// Forgets an identity, whose slot will be reused.
    ///
    /// - Returns: the instances whose last identity it was.
    mutating func forget(_ identity: IdentitySlot) -> [InstanceSlot] {
        unmetIdentities.remove(identity)
        let instances = self[identity]
        for instance in instances {
            identitiesOfInstance[instance]?.remove(identity)
            if identitiesOfInstance[instance]?.isEmpty == true { identitiesOfInstance[instance] = nil }
        }
        if !instances.isEmpty { instancesOfIdentity[identity.index] = [] }
        return instances.filter { !hasIdentities($0) }
    }

    /// Forgets an instance that is not monitored any more.
    mutating func end(_ instance: InstanceSlot) {
        for identity in identitiesOfInstance.removeValue(forKey: instance) ?? [] {
            instancesOfIdentity[identity.index].removeAll { $0 == instance }
        }
    }
}

/// The lists of beacons, where `[beacons]` asks for them.
extension GatewayEngine {
    /// Starts the list with the beacons that an earlier process has listed, as far as a region still wants them.
    mutating func startList(_ heard: [HeardBeacon]) {
        let wanted = heard.filter { monitor.interest(in: $0.identity).isListed }
        register = settings.beacons.map { BeaconRegister($0, restoring: wanted, at: now) }
        listingDue = register?.nextDeadline ?? .distantFuture
    }

    /// Passes the transmitters of an identity to the register: they came, left, or fell silent.
    mutating func listChanged(_ identity: IdentitySlot) {
        guard register != nil else { return }
        for (transmitter, level_dbm) in tracker.wantedTransmitters(of: identity) {
            register?.record(transmitter, level_dbm: level_dbm, at: now)
        }
    }

    /// Passes the telemetry of the latest event to the beacons with its address. Inlined, it would make the way of each
    /// report longer.
    @inline(never)
    mutating func takeTelemetry() {
        for (address, frame) in intake.telemetry {
            register?.take(frame, from: address, of: tracker.wantedTransmitters(at: address), at: now)
        }
    }

    /// Samples the beacons in the air, and publishes the list where that is due.
    ///
    /// - Parameter isEnd: publishes the list in any case, with the beacons heard until then.
    mutating func list(isEnd: Bool = false, _ outputs: inout [GatewayOutput]) {
        guard let due = register?.reportDue else { return }
        register?.sample(tracker.wantedTransmitters, at: now)
        if isEnd || due <= now, let beacons = register?.report(at: now) {
            outputs.append(.message(BeaconList(beacons), at: now))
        }
        listingDue = register?.nextDeadline ?? .distantFuture
    }
}

/// The regions of people: their visits are counted, and nothing else of them leaves the engine.
extension GatewayEngine {
    /// Follows the machine's clock, by which counts begin and end.
    package mutating func follow(_ timebase: Timebase) {
        people?.follow(timebase, at: now)
        scheduleCounting()
    }

    /// Counts a crossing, and forgets who left.
    private mutating func count(_ transition: RegionTransition, _ slot: InstanceSlot) {
        if let event = transition.event { people?.take(event.kind, of: transition.instance.region) }
        if transition.state == .outside, monitor.instances[slot].id.discriminator != .whole { monitor.forgetLeft(slot) }
    }

    /// Takes whether the radio hears from now on.
    mutating func countsHear(_ hears: Bool) { people?.hears(hears) }

    /// Publishes the counts of a quarter that is over.
    mutating func countVisits(_ outputs: inout [GatewayOutput]) {
        publish(people?.advance(to: now) ?? [], &outputs)
        if now >= sharingDue {
            if let report = people?.beginReport(at: now) { outputs.append(.message(withPeople(report), at: now)) }
            sharingDue = now + PeopleReport.interval
        }
        scheduleCounting()
    }

    /// Publishes the counts so far, because the agent stops.
    mutating func stopCounting(_ outputs: inout [GatewayOutput]) {
        publish(people?.stop(at: now) ?? [], &outputs)
        (countingDue, sharingDue) = (.distantFuture, .distantFuture)
    }

    /// Learns that the store counts its people jointly until `until`, so that this gateway publishes no counts of its own.
    package mutating func storeCounts(until: Instant, at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(through: instant, outputs: &outputs)
        publish(people?.storeCounts(until: until, at: now) ?? [], &outputs)
        scheduleCounting()
    }

    private func publish(_ counts: [VisitCount], _ outputs: inout [GatewayOutput]) {
        for count in counts { outputs.append(.message(count, at: now)) }
    }

    private mutating func scheduleCounting() { countingDue = min(people?.due ?? .distantFuture, sharingDue) }
}
