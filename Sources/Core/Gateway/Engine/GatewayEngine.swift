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
    var place = Whereabouts()
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
    package init(
        _ settings: GatewaySettings, requested: [MonitoredRegion] = [], restoring records: [RegionRecord] = [],
        settled: StoredSettling = StoredSettling(), heard: [HeardBeacon] = [], radioSees: Bool,
        canProbe: Bool = false, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings
        let readsTelemetry = settings.beacons?.readsTelemetry ?? false
        self.tracker = BeaconTracker(
            settings.tracker, distance: settings.distance, findsAddresses: readsTelemetry)
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
        for record in inOrderOfRoom(records)
        where monitor.restore(record, at: now, transitions: &transitions, failures: &failures) {
            guard let slot = monitor.slot(of: record.instance) else { continue }
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

    /// The counts since the start. Counting the listed tracks goes through all transmitters.
    package var figures: GatewayFigures {
        let listed = tracker.listedTrackCount
        var figures = GatewayFigures()
        (figures.reports, figures.beacons) = (intake.reportCount, beaconCount)
        figures.rejects = intake.rejects
        (figures.tracks, figures.listedTracks) = (tracker.trackCount, listed)
        figures.instances = monitor.instanceCount
        figures.refusedTransmitters = tracker.refusedCount
        figures.refusedEntries = monitor.refusedEntries
        figures.suspectedSpoofing = floods.suspects(tracker.newcomers, listed: listed)
        figures.suspectReadings = suspectReadings
        figures.implausiblePowers = implausiblePowers
        figures.beaconLists = register?.figures
        figures.location = place.services?.figures(at: now)
        return figures
    }

    /// The first broken invariant of the tracker; `nil` where all hold. For simulations, because it goes through
    /// everything.
    package var brokenInvariant: String? { tracker.brokenInvariant }

    private var suspectReadings: [SuspectReadings] {
        zip(settings.adapters, readings).compactMap { listening, readings in
            readings.suspicion.map { SuspectReadings(adapter: listening.adapter.name, kind: $0) }
        }
    }
}
