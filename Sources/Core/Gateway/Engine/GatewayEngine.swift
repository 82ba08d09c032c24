/// The whole job between the bytes and the messages: reports and time in, transitions and ranging out.
///
/// One struct owns tracker, monitor and ranger, and is owned by one thread. It reads no clock and does no I/O: the same
/// bytes at the same instants give the same outputs, always. Reports come in `+Receiving`, time passes in `+Advancing`,
/// requests are answered in `+Answering`.
package struct GatewayEngine: Sendable {
    package var tracker: BeaconTracker
    var monitor: RegionMonitor
    /// What hears the beacons, for the monitor.
    package let radio: EvidenceSourceID
    /// Where the gateway is, and what says so.
    var place = Whereabouts()
    var ranger: Ranger
    var intake: Intake
    /// One for each configured adapter, in their order.
    var readings: [ReadingWatch]
    package let settings: GatewaySettings
    var requestedRegions = RequestedRegions()
    var membership: RegionMembership
    var restoredPatience: RestoredPatience
    var stays = StaySchedule()

    /// Time never goes back: what comes late counts as coming now.
    package var now: Instant
    var beaconCount: UInt64 = 0
    var floods: FloodWatch

    /// Buffers that are used again for every report, so that one costs no allocation.
    var changes: [TrackerChange] = []
    var transitions: [RegionTransition] = []
    var failures: [RegionMonitoringFailure] = []
    var notices: [RegionMonitoringNotice] = []

    /// Registers the configured regions and goes on from their stored states.
    ///
    /// - Parameters:
    ///   - requested: the regions that requests had registered in an earlier process.
    ///   - records: what an earlier process stored; those of regions that are in neither list are ignored.
    ///   - radioSees: whether the radio hears from the start. A live one has to say so first.
    ///   - canProbe: whether there is a controller to ask. Then `needsProof` may become true.
    package init(
        _ settings: GatewaySettings, requested: [MonitoredRegion] = [], restoring records: [RegionRecord] = [],
        radioSees: Bool,
        canProbe: Bool = false, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings
        self.tracker = BeaconTracker(settings.tracker, distance: settings.distance)
        self.monitor = RegionMonitor(limits: settings.regions.limits)
        self.radio = monitor.addSource(canProbe: canProbe)
        self.ranger = Ranger(settings.ranging)
        self.intake = Intake(
            rssiOffsets_db: settings.adapters.map(\.rssiOffset_db), capacity: settings.tracker.maxTransmitters)
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
                try register(region)
            } catch {
                outputs.append(.failure(error, at: now))
            }
        }
        for region in requested {
            do throws(RegionMonitoringFailure) {
                try registerRequested(region)
            } catch {
                requestedRegions.refused(region)
                outputs.append(.failure(error, at: now))
            }
        }
        for record in inOrderOfRoom(records)
        where monitor.restore(record, at: now, transitions: &transitions, failures: &failures) {
            guard let slot = monitor.slot(of: record.instance) else { continue }
            if let keeper = record.stay?.keeper { restoredPatience.restore(keeper.patience, of: slot) }
        }
        takeTransitions(&outputs)
        takeFailures(&outputs)
        advanceServices(&outputs)
    }

    /// Records in the order in which they get a place, where not all do: stays first, then what was left last.
    private func inOrderOfRoom(_ records: [RegionRecord]) -> [RegionRecord] {
        guard records.count > settings.regions.limits.maxInstances else { return records }
        return records.filter(\.isInside)
            + records.filter { !$0.isInside }.sorted { $0.lastHeardAt > $1.lastHeardAt }
    }

    /// The longest silence of everybody that says nothing of the radio; `nil` where fewer than two beacons are heard.
    var ordinarySilence: TimeSpan? { tracker.ordinarySilence }

    /// Counts since the start. Finding the listed tracks goes through all transmitters.
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
        figures.location = place.services?.figures(at: now)
        return figures
    }

    /// What does not hold between the parts of the tracker; `nil` where all is well. For simulations: it goes through everything.
    package var brokenInvariant: String? { tracker.brokenInvariant }

    private var suspectReadings: [SuspectReadings] {
        zip(settings.adapters, readings).compactMap { listening, readings in
            readings.suspicion.map { SuspectReadings(adapter: listening.adapter.name, kind: $0) }
        }
    }
}
