/// The engine of a gateway: from reports and time to transitions and ranging.
///
/// One thread owns the struct. The engine reads no clock and does no I/O, so equal input at equal instants gives equal
/// output. It keeps the order of time, and counts what comes in. `GatewayPresence` decides about regions, `GatewayPlace`
/// about the gateway's place.
package struct GatewayEngine: Sendable {
    package let settings: GatewaySettings
    var presence: GatewayPresence
    private var place: GatewayPlace
    private(set) var intake: Intake
    private var floods: FloodWatch
    /// One watch for each configured adapter, in their order.
    private var readings: [ReadingWatch]
    private var beaconCount: UInt64 = 0
    /// The list of beacons; `nil` without `[beacons]`.
    private var register: BeaconRegister?
    /// The register's deadline. Each report asks for it, and a register in an optional would be copied.
    private var listingDue = Instant.distantFuture
    /// The current time. It never goes back: late input counts as coming now.
    package private(set) var now: Instant

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
        self.now = now
        place = GatewayPlace(settings, at: now)
        presence = GatewayPresence(
            settings, requested: requested, restoring: records, settled: settled, radioSees: radioSees,
            canProbe: canProbe, receiverRests: !place.listens, at: now, timebase, localTime, outputs: &outputs)
        intake = Intake(
            rssiOffsets_db: settings.adapters.map(\.rssiOffset_db), capacity: settings.tracker.maxTransmitters,
            readsTelemetry: settings.beacons?.readsTelemetry ?? false)
        floods = FloodWatch(at: now)
        readings = settings.adapters.map { _ in ReadingWatch() }
        // Of the beacons that an earlier process has listed, those that a region still wants.
        let wanted = heard.filter { presence.monitor.interest(in: $0.identity).isListed }
        register = settings.beacons.map { BeaconRegister($0, restoring: wanted, at: now) }
        listingDue = register?.nextDeadline ?? .distantFuture
        place.advance(at: now, &presence, outputs: &outputs)
    }
}

/// The input: reports, the radio, and requests.
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
        // A report of any device proves that the radio has heard until now. So an exit that waits for proof is due work.
        if isAdvertising { presence.proved(at: max(now, instant)) }
        advance(to: instant, outputs: &outputs)
        // The tracker learns the pauses of the air, in order of time.
        if isAdvertising { presence.heardAnything(at: now) }
        intake.receive(event, from: adapter, isAdvertising: isAdvertising, at: now)
        for index in intake.receptions.indices {
            let reception = intake.receptions[index]
            if !presence.countIfOfPeople(reception.sighting.identity, advertisement: reception.advertisement) {
                beaconCount &+= 1
                if let rssi_dbm = reception.rssi_dbm {
                    floods.heard(rssi_dbm)
                    readings[adapter].heard(rssi_dbm, of: reception.sighting)
                }
            }
            if reception.isTaken { presence.receive(reception.sighting, at: now, &register, outputs: &outputs) }
        }
        if intake.readsTelemetry { takeTelemetry() }
    }

    /// Passes the telemetry of the latest event to the beacons with its address. Inlined, it would make the way of each
    /// report longer.
    @inline(never)
    private mutating func takeTelemetry() {
        for (address, frame) in intake.telemetry {
            register?.take(frame, from: address, of: presence.tracker.wantedTransmitters(at: address), at: now)
        }
    }

    /// Takes the radio's liveness.
    ///
    /// - Parameter instant: the time of detection. The liveness shows since when it holds.
    package mutating func liveness(
        _ liveness: RadioLiveness, at instant: Instant, outputs: inout [GatewayOutput]
    ) {
        advance(to: instant, outputs: &outputs)
        presence.liveness(liveness, at: now)
    }

    /// Takes the controller's answer. The next `advance` does the waiting work.
    package mutating func radioProved(at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(to: instant, outputs: &outputs)
        presence.proved(at: now)
    }

    /// Takes a report of one of gpsd's receivers.
    ///
    /// - Parameters:
    /// - instant: the time at which the report came.
    /// - clock: the time of day then; `nil` while the clock is not set.
    package mutating func receive(
        _ report: DeviceReport, at instant: Instant, clock: WallTime?, outputs: inout [GatewayOutput]
    ) {
        changePlace(at: instant, &outputs) { services, now, found in
            services.take(report, at: now, clock: clock, outputs: &found)
        }
    }

    package mutating func receiveMalformedFix() { place.takeMalformed() }

    package mutating func receivers(_ paths: [String], at instant: Instant, outputs: inout [GatewayOutput]) {
        changePlace(at: instant, &outputs) { services, now, found in
            services.found(devices: paths, at: now, outputs: &found)
        }
    }

    package mutating func lostReceivers(at instant: Instant, outputs: inout [GatewayOutput]) {
        changePlace(at: instant, &outputs) { services, now, found in services.lostConnection(at: now, outputs: &found) }
    }

    private mutating func changePlace(
        at instant: Instant, _ outputs: inout [GatewayOutput],
        _ event: (inout LocationServices, Instant, inout [LocationOutput]) -> Void
    ) {
        guard place.services != nil else { return }
        advance(to: instant, outputs: &outputs)
        place.change(at: now, &presence, outputs: &outputs, by: event)
    }

    /// Answers a request at `instant`. The answer is correct as of then. Earlier due work comes first, and the request's effects
    /// come before its answer.
    package mutating func answer(
        _ request: Request, to address: ReplyAddress, at instant: Instant, outputs: inout [GatewayOutput]
    ) {
        advance(through: instant, outputs: &outputs)
        let result: Answer.Result
        do throws(RequestError) {
            switch request {
            case .state(let request): result = try presence.states(request)
            case .range(let region, let discriminator):
                result = .ranging(try presence.rangingList(region, discriminator, at: now))
            case .monitor(let definition):
                result = try presence.beginMonitoring(definition, at: now, outputs: &outputs)
            case .stop(let region): result = try presence.stopMonitoring(region, at: now, outputs: &outputs)
            case .location(let timeout):
                return try place.locate(for: address, timeout: timeout, at: now, &presence, outputs: &outputs)
            }
        } catch {
            result = .refused(error)
        }
        outputs.append(.message(Answer(address: address, at: now, result: result), at: now))
    }

    /// Follows the machine's clock, by which counts begin and end.
    package mutating func follow(_ timebase: Timebase) { presence.follow(timebase, at: now) }

    /// Learns that the store counts its people jointly until `until`, so that this gateway publishes no counts of its own.
    package mutating func storeCounts(until: Instant, at instant: Instant, outputs: inout [GatewayOutput]) {
        advance(through: instant, outputs: &outputs)
        presence.storeCounts(until: until, at: now, outputs: &outputs)
    }
}

/// The passing of time: each `TimedSource` does its due work, in order.
extension GatewayEngine {
    /// Does all work that is due up to and including `instant`. A live radio calls it after each round.
    @discardableResult
    package mutating func advance(through instant: Instant, outputs: inout [GatewayOutput]) -> EngineWait {
        advance(before: instant + TimeSpan(microseconds: 1), outputs: &outputs)
        now = max(now, instant)
        return EngineWait(due: earliest().due, needsProof: presence.needsProof, listensForFixes: place.listens)
    }

    /// Does all work that is due before `instant`, and sets the current time.
    private mutating func advance(to instant: Instant, outputs: inout [GatewayOutput]) {
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
    }

    /// Does all work that is due before `limit`, in order of time.
    ///
    /// A report comes before a timer of its instant: the beacon was heard in time.
    mutating func advance(before limit: Instant, outputs: inout [GatewayOutput]) {
        endWindows(before: limit)
        while true {
            let next = earliest()
            guard next.due < limit else { return }
            now = max(now, next.due)
            fire(next.source, at: next.due, before: limit, outputs: &outputs)
        }
    }

    /// Starts the counts of a new minute, and forgets silent devices. Both concern only reports, so their order among the sources does not
    /// matter.
    private mutating func endWindows(before limit: Instant) {
        guard floods.end <= limit else { return }
        floods.endWindow(presence.tracker.newcomers, at: limit)
        for adapter in readings.indices { readings[adapter].endWindow() }
        presence.beginNewcomerWindow()
        intake.removeSilent(at: limit)
    }

    /// Returns the first deadline. At equal times the order of this list decides: beacons come before regions, and
    /// regions before storing and reporting.
    private func earliest() -> NextDeadline {
        var next = NextDeadline(source: .silence, due: presence.tracker.nextDeadline)
        next.list(.monitoring, presence.monitor.nextDeadline)
        next.list(.location, place.deadline)
        next.list(.stays, presence.stays.due)
        next.list(.ranging, presence.ranger.nextDeadline)
        next.list(.listing, listingDue)
        next.list(.counting, presence.countingDue)
        return next
    }

    /// Runs the source's timer of `due`, which is before `limit`.
    private mutating func fire(
        _ source: TimedSource, at due: Instant, before limit: Instant, outputs: inout [GatewayOutput]
    ) {
        switch source {
        case .silence: presence.advanceTracker(before: limit, at: now, &register, outputs: &outputs)
        case .monitoring: presence.advanceMonitor(before: limit, at: now, outputs: &outputs)
        case .location: place.advance(at: now, &presence, outputs: &outputs)
        case .stays: presence.storeStays(outputs: &outputs)
        case .ranging: presence.range(through: due, at: now, outputs: &outputs)
        case .listing: list(&outputs)
        case .counting: presence.countVisits(at: now, outputs: &outputs)
        }
    }

    /// Samples the beacons in the air, and publishes the list where that is due.
    ///
    /// - Parameter isEnd: publishes the list in any case, with the beacons heard until then.
    private mutating func list(isEnd: Bool = false, _ outputs: inout [GatewayOutput]) {
        guard let due = register?.reportDue else { return }
        register?.sample(presence.tracker.wantedTransmitters, at: now)
        if isEnd || due <= now, let beacons = register?.report(at: now) {
            outputs.append(.message(BeaconList(beacons), at: now))
        }
        listingDue = register?.nextDeadline ?? .distantFuture
    }

    /// Stops the engine, at the agent's end or before a reload. Waiting fixes and the surges of the minute are published,
    /// and stays are stored.
    package mutating func stop(_ outputs: inout [GatewayOutput]) {
        changePlace(at: now, &outputs) { services, now, found in services.stop(at: now, outputs: &found) }
        presence.stop(at: now, outputs: &outputs)
        list(isEnd: true, &outputs)
        presence.stopCounting(at: now, outputs: &outputs)
    }
}

/// The queries, which change nothing.
extension GatewayEngine {
    /// True if there is a region of people, so that the engine needs the time of day.
    package var countsPeople: Bool { presence.countsPeople }

    /// The location part of the status; `nil` without `[location]`. Each change is an output.
    package var locationStatus: LocationStatus? { place.services?.status }

    /// Returns whether an instance exists: its region is monitored, and no limit refused it.
    package func holds(_ instance: RegionInstanceID) -> Bool { presence.monitor.instances.slot(of: instance) != nil }

    /// Returns whether a stored state belongs to an existing instance.
    package func holds(_ record: RegionRecord) -> Bool {
        let instances = presence.monitor.instances
        return instances.slot(of: record.instance).map { instances.region(of: $0).canRestore(record) } ?? false
    }

    /// Returns what is wrong with the engine between two calls; for tests, because it goes through everything.
    package func checkInvariants() -> [String] {
        let isListed = listingDue == register?.nextDeadline ?? .distantFuture
        return presence.checkInvariants() + intake.checkInvariants() + (register?.checkInvariants() ?? [])
            + (isListed ? [] : ["the list of beacons has another deadline than the engine knows"])
    }

    /// Returns whether a capture may keep an event. Beside a region of people, it keeps only advertisements of other iBeacons: a
    /// person's device may send more than its iBeacon, under the same address.
    package func mayKeep(_ event: Span<UInt8>) -> Bool {
        guard countsPeople else { return true }
        guard AdvertisingEvent.isAdvertising(event) else {
            return event.count > 0
                && [EventCode.commandComplete, EventCode.commandStatus, EventCode.hardwareError].contains(event[0])
        }
        var rejects = RejectCounts()
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, range) = reports.next(event, rejects: &rejects) {
            var (isBeacon, isPerson) = (false, false)
            IBeaconFrame.forEach(in: report, event.extracting(range), rejects: &rejects) { frame in
                isBeacon = true
                if presence.monitor.interest(in: frame.identity) == .counted { isPerson = true }
            }
            if !isBeacon || isPerson { return false }
        }
        return rejects.total == 0
    }

    /// The counts since the start, without people: figures that grow by one would show that one person came. Counting the
    /// listed tracks goes through all transmitters.
    package var figures: GatewayFigures {
        let (tracker, monitor) = (presence.tracker, presence.monitor)
        let listed = tracker.listedTrackCount
        var figures = GatewayFigures()
        figures.reports =
            presence.people.map { intake.advertisementCount &- $0.advertisementCount } ?? intake.reportCount
        figures.beacons = beaconCount
        figures.rejects = intake.rejects
        (figures.tracks, figures.listedTracks) = (tracker.trackCount, listed)
        figures.instances = countsPeople ? monitor.instances.publishedCount : monitor.instances.count
        figures.refusedTransmitters = tracker.refusedCount
        figures.refusedEntries = monitor.admission.refused
        figures.suspectedSpoofing = floods.suspects(tracker.newcomers, listed: listed)
        figures.suspectReadings = zip(settings.adapters, readings).compactMap { listening, readings in
            readings.suspicion.map { SuspectReadings(adapter: listening.adapter.name, kind: $0) }
        }
        figures.implausiblePowers = presence.implausiblePowers
        figures.beaconLists = register?.figures
        figures.location = place.services?.figures(at: now)
        return figures
    }
}

/// The next deadline and the needs of an engine after its turn.
package struct EngineWait: Hashable, Sendable {
    package var due: Instant
    /// True if an exit has come due while no device has been heard just before. The beacon may be gone, or the radio
    /// may be dead. Then the owner probes the controllers. A proof, a report or another liveness follows within
    /// seconds.
    package var needsProof: Bool
    package var listensForFixes: Bool

    package init(due: Instant, needsProof: Bool = false, listensForFixes: Bool = false) {
        self.due = due
        self.needsProof = needsProof
        self.listensForFixes = listensForFixes
    }

    /// For an owner without timers.
    package static let forReports = EngineWait(due: .distantFuture)
}

/// The sources of timed work. `GatewayEngine` lists the deadline of each source and does its due work.
enum TimedSource: Sendable {
    /// The tracker: a beacon falls silent.
    case silence
    /// The monitor: an instance is left, or its state becomes known or unknown.
    case monitoring
    /// The location services: the receiver looks, an update is due, or a request times out.
    case location
    /// Storing the open stays.
    case stays
    /// The ranger: the beacons of an instance are reported.
    case ranging
    /// The register: a sample of the beacons in the air, or their list.
    case listing
    /// The counts of regions of people: a quarter of an hour ends, or a report to the store is due.
    case counting
}

/// The source with the first deadline. At equal times the one listed first wins.
struct NextDeadline: Sendable {
    private(set) var source: TimedSource
    private(set) var due: Instant

    mutating func list(_ source: TimedSource, _ due: Instant) {
        if due < self.due { self = NextDeadline(source: source, due: due) }
    }
}
