/// Tracks every iBeacon in the air for a person at a terminal, in any region or none.
///
/// Reports and time go in as into the gateway's engine, through its intake and tracker; snapshots come out.
package struct ScanState: Sendable {
    private struct Meter {
        var rate: RateMeter
        /// The first report. It shows whether the tracker's slot was reused for another transmitter.
        var firstHeard: Instant
    }

    private var tracker: BeaconTracker
    private var intake: Intake
    private let regions: [ProximityUUID: [BeaconRegion]]
    /// The regions of every remembered identity.
    private var regionsOfIdentity: [IdentitySlot: [BeaconRegion]] = [:]
    private var meters: [TransmitterSlot: Meter] = [:]
    private var reportMeter: RateMeter
    private var changes: [TrackerChange] = []
    /// The current time. It never goes back: late input counts as coming now.
    private var now: Instant

    package init(_ settings: GatewaySettings, at now: Instant) {
        self.tracker = BeaconTracker(settings.tracker, distance: settings.distance)
        self.intake = Intake(
            rssiOffsets_db: settings.adapters.map(\.rssiOffset_db), capacity: settings.tracker.maxTransmitters)
        self.regions = Dictionary(grouping: settings.regions.beacons, by: \.uuid)
        self.reportMeter = RateMeter(at: now)
        self.now = now
    }

    /// Takes an HCI event, from its event code on. Any bytes: malformed ones are counted and skipped.
    ///
    /// - Parameter adapter: the number of the configured adapter, from 0 on; others are ignored.
    package mutating func receive(_ event: Span<UInt8>, from adapter: Int = 0, at instant: Instant) {
        guard intake.has(adapter) else { return }
        // A report comes before a timer of its instant, as in the engine.
        advance(before: instant)
        now = max(now, instant)
        let isAdvertising = AdvertisingEvent.isAdvertising(event)
        let known = intake.reportCount
        if isAdvertising { tracker.heardAnything(at: now) }
        intake.receive(event, from: adapter, isAdvertising: isAdvertising, at: now)
        for _ in known..<intake.reportCount { reportMeter.count(at: now) }
        for index in intake.receptions.indices where intake.receptions[index].isTaken {
            let slot = tracker.receive(
                intake.receptions[index].sighting, at: now,
                interest: { Self.regions(of: $0, in: regions).isEmpty ? .none : .wanted }, changes: &changes)
            takeChanges()
            if let slot { count(slot) }
        }
    }

    /// Lets time pass: silent beacons become unknown and leave.
    mutating func advance(through instant: Instant) {
        advance(before: instant + TimeSpan(microseconds: 1))
        now = max(now, instant)
    }

    private mutating func advance(before limit: Instant) {
        while let due = tracker.advance(before: limit, changes: &changes) { now = max(now, due) }
        takeChanges()
    }

    /// Returns the beacons at `instant`.
    package mutating func snapshot(at instant: Instant) -> ScanSnapshot {
        advance(through: instant)
        var rows: [ScanSnapshot.Row] = []
        for (identity, regions) in regionsOfIdentity {
            let listed = tracker.listed(identity)
            let duplicates = tracker.duplicateTracks(among: listed)
            for slot in listed { rows.append(row(slot, duplicates, regions)) }
        }
        rows.sort { RangedBeacon.isNearer($0.beacon, $1.beacon) }
        return ScanSnapshot(
            rows: rows, beaconCount: RangedBeacon.count(rows.map(\.beacon)),
            reportRate_hz: reportMeter.rate_hz(at: now),
            reports: intake.reportCount, rejects: intake.rejects, refusedTransmitters: tracker.refusedCount)
    }

    private mutating func count(_ slot: TransmitterSlot) {
        let firstHeard = tracker[slot].firstHeard
        if meters[slot]?.firstHeard != firstHeard {
            meters[slot] = Meter(rate: RateMeter(at: now), firstHeard: firstHeard)
        }
        meters[slot]?.rate.count(at: now)
    }

    private mutating func takeChanges() {
        for change in changes {
            switch change {
            case .identityAppeared(let slot):
                regionsOfIdentity[slot] = tracker.identity(in: slot).map { Self.regions(of: $0, in: regions) } ?? []
            case .identityForgotten(let slot): regionsOfIdentity[slot] = nil
            case .listChanged: break
            }
        }
        changes.removeAll(keepingCapacity: true)
    }

    private static func regions(
        of identity: BeaconIdentity, in regions: [ProximityUUID: [BeaconRegion]]
    ) -> [BeaconRegion] {
        (regions[identity.uuid] ?? []).filter { region in
            (region.major ?? identity.major) == identity.major && (region.minor ?? identity.minor) == identity.minor
        }
    }

    private mutating func row(
        _ slot: TransmitterSlot, _ duplicates: Set<TrackID>, _ regions: [BeaconRegion]
    ) -> ScanSnapshot.Row {
        let observation = tracker.observe(
            slot, configuredPower_dbm: regions.lazy.compactMap(\.measuredPower_dbm).first)
        let transmitter = tracker[slot]
        let beacon = RangedBeacon(
            transmitter: slot, track: transmitter.track, identity: transmitter.identity, address: transmitter.address,
            device: transmitter.device, measuredPower_dbm: transmitter.measuredPower_dbm, observation: observation,
            lastHeard: transmitter.lastHeard, reception: transmitter.interval.reception,
            isResolving: transmitter.trackState == .resolving,
            isDuplicate: transmitter.trackState != .resolving && duplicates.contains(transmitter.track))
        return ScanSnapshot.Row(
            beacon: beacon, rate_hz: meters[slot]?.rate.rate_hz(at: now) ?? 0, age: now - transmitter.lastHeard,
            regions: regions.map(\.id))
    }
}

/// A meter of reports per second: it keeps a count for each of the last seconds.
struct RateMeter: Sendable {
    /// The window in seconds. It is long enough that the rate of a beacon with one report a second does not flicker.
    static let window_s: Int64 = 5

    /// The reports of the second `latest` in the slot `latest % 6`, and of the five before it in the others.
    private var counts = InlineArray<6, UInt32>(repeating: 0)
    private var latest: Int64
    private let start: Instant

    init(at now: Instant) {
        start = now
        latest = Self.second(of: now)
    }

    mutating func count(at now: Instant) {
        turn(to: Self.second(of: now))
        counts[Self.slot(latest)] &+= 1
    }

    /// Returns the reports a second over the last five seconds. A younger meter uses its age, at least one second.
    mutating func rate_hz(at now: Instant) -> Double {
        turn(to: Self.second(of: now))
        let inSecond = min(max(0, (now - Instant(microseconds: latest * 1_000_000)).seconds), 1)
        var sum = Double(counts[Self.slot(latest)])
        for age in 1..<Self.window_s { sum += Double(counts[Self.slot(latest - age)]) }
        // The oldest second counts for its part within the window.
        sum += Double(counts[Self.slot(latest - Self.window_s)]) * (1 - inSecond)
        return sum / min(max((now - start).seconds, 1), Double(Self.window_s))
    }

    private mutating func turn(to second: Int64) {
        guard second > latest else { return }
        for passed in max(latest + 1, second - Self.window_s)...second { counts[Self.slot(passed)] = 0 }
        latest = second
    }

    private static func second(of instant: Instant) -> Int64 { max(0, instant.microseconds) / 1_000_000 }

    private static func slot(_ second: Int64) -> Int {
        let slots = window_s + 1
        return Int(((second % slots) + slots) % slots)
    }
}
