/// The wanted beacons that a gateway has heard: the content of its lists.
///
/// A report of a beacon costs the register nothing. The register samples the tracker `LevelSamples.capacity` times in
/// a report interval, and when the tracker's lists change. Only telemetry frames come directly.
struct BeaconRegister: Sendable {
    /// The most beacons. A flood of made-up beacons fills the register, and `makeRoom` keeps the others.
    static let maxBeacons = 5_000
    /// The samples after which a beacon is no fleeting one: most of a report interval.
    private static let enoughSamples: UInt8 = 8
    /// The shortest time between two samples.
    private static let shortestPeriod = TimeSpan.seconds(1)

    private struct Entry: Sendable {
        var firstHeard: HeardBeacon.Time
        var lastHeard: HeardBeacon.Time
        /// The begin of its silence: the last report, or the start of the process that restored the beacon.
        var silentSince: Instant
        var interval_ms: UInt16?
        var levels = LevelSamples()
        /// The level that an earlier process has published, until there is a reading.
        var restoredLevel_dbm: Int8?
        var battery: HeardBeacon.Battery?
        /// The regular samples that have met the beacon in the air, up to `enoughSamples`.
        var sampleCount: UInt8 = 0

        init(_ transmitter: Transmitter) {
            firstHeard = .at(transmitter.firstHeard)
            lastHeard = .at(transmitter.lastHeard)
            silentSince = transmitter.lastHeard
        }

        init(_ restored: HeardBeacon, at now: Instant) {
            (firstHeard, lastHeard, silentSince) = (restored.firstHeard, restored.lastHeard, now)
            interval_ms = restored.interval_ms.map { UInt16(clamping: $0) }
            restoredLevel_dbm = restored.rssi_dbm.map { Int8(clamping: $0) }
            battery = restored.battery
            sampleCount = BeaconRegister.enoughSamples
        }
    }

    private let settings: BeaconListSettings
    private let period: TimeSpan
    private var entries: [BeaconIdentity: Entry] = [:]
    private var unlinked = UnlinkedTelemetry()
    private(set) var figures = BeaconListFigures()
    /// The time of the next sample of the tracker.
    private(set) var sampleDue: Instant
    /// The time of the next list.
    private(set) var reportDue: Instant

    /// - Parameter restored: the beacons that an earlier process has published last.
    init(_ settings: BeaconListSettings, restoring restored: [HeardBeacon] = [], at now: Instant) {
        self.settings = settings
        let share = TimeSpan(microseconds: settings.reportInterval.microseconds / Int64(LevelSamples.capacity))
        period = max(share, Self.shortestPeriod)
        sampleDue = now + period
        reportDue = now + settings.reportInterval
        for beacon in restored.prefix(Self.maxBeacons) {
            var entry = Entry(beacon, at: now)
            if !settings.readsTelemetry { entry.battery = nil }
            entries[beacon.identity] = entry
        }
        figures.listed = entries.count
    }

    var nextDeadline: Instant { min(sampleDue, reportDue) }

    /// Returns what is wrong with its limits and deadlines; for tests.
    func checkInvariants() -> [String] {
        var broken = unlinked.checkInvariants()
        if entries.count > Self.maxBeacons { broken.append("\(entries.count) beacons are registered") }
        if entries.values.contains(where: { $0.sampleCount > Self.enoughSamples }) {
            broken.append("a beacon has more samples than are counted")
        }
        if !settings.readsTelemetry, entries.values.contains(where: { $0.battery != nil }) {
            broken.append("a beacon has a battery that is not asked for")
        }
        if sampleDue > reportDue + period { broken.append("the next list comes before a sample of its time") }
        return broken
    }

    /// Takes the state of a transmitter whose list has changed.
    ///
    /// While the register is full, a new beacon waits for the next sample.
    ///
    /// - Parameter level_dbm: its smoothed level; `nil` for none.
    mutating func record(_ transmitter: Transmitter, level_dbm: Double?, at now: Instant) {
        if entries.count >= Self.maxBeacons, entries[transmitter.identity] == nil { return }
        update(transmitter, level_dbm: level_dbm, isSample: false, at: now)
    }

    /// Takes the state of all transmitters that a region wants.
    mutating func sample(_ transmitters: some Sequence<(Transmitter, level_dbm: Double?)>, at now: Instant) {
        let isRegular = sampleDue <= now
        if isRegular { sampleDue = now + period }
        for (transmitter, level_dbm) in transmitters {
            update(transmitter, level_dbm: level_dbm, isSample: isRegular, at: now)
        }
        if entries.count > Self.maxBeacons {
            makeRoom(inAir: Set(transmitters.filter { $0.0.isListed }.map(\.0.identity)))
        }
        figures.listed = entries.count
    }

    private mutating func update(_ transmitter: Transmitter, level_dbm: Double?, isSample: Bool, at now: Instant) {
        let identity = transmitter.identity
        var entry = entries.removeValue(forKey: identity) ?? Entry(transmitter)
        if entry.silentSince <= transmitter.lastHeard {
            entry.silentSince = transmitter.lastHeard
            entry.lastHeard = .at(transmitter.lastHeard)
            if let median = transmitter.interval.median {
                entry.interval_ms = UInt16(clamping: median.microseconds / 1_000)
            }
        }
        if isSample, transmitter.isListed { entry.sampleCount = min(entry.sampleCount + 1, Self.enoughSamples) }
        if let level_dbm, isSample ? transmitter.isListed : entry.levels.isEmpty { entry.levels.add(level_dbm) }
        if settings.readsTelemetry, let waiting = unlinked.take(transmitter.address, at: now),
            entry.battery.map({ !$0.at.isAfter(waiting.at) }) ?? true
        {
            entry.battery = Self.merged(entry.battery, waiting.values, at: waiting.at)
        }
        entries[identity] = entry
    }

    /// Removes the beacons beyond the limit, those that have been silent for longest first. Three
    /// ranks stay in this order: beacons that most samples of a report interval have met, beacons in the air, and beacons
    /// that were met briefly and are gone, as made-up ones are.
    private mutating func makeRoom(inAir: Set<BeaconIdentity>) {
        func rank(_ identity: BeaconIdentity, _ entry: Entry) -> Int {
            entry.sampleCount >= Self.enoughSamples ? 2 : inAir.contains(identity) ? 1 : 0
        }
        let order = entries.map { (identity: $0.key, rank: rank($0.key, $0.value), silentSince: $0.value.silentSince) }
            .sorted { ($0.rank, $0.silentSince) < ($1.rank, $1.silentSince) }
        for forgotten in order.prefix(entries.count - Self.maxBeacons) {
            entries[forgotten.identity] = nil
            figures.displaced &+= 1
        }
    }

    /// Takes a telemetry frame.
    ///
    /// - Parameter transmitters: those with the frame's address that a region wants; `nil` where no transmitter has the
    ///   address.
    mutating func take(
        _ frame: TelemetryFrame, from address: DeviceAddress, of transmitters: [Transmitter]?, at now: Instant
    ) {
        figures.frames &+= 1
        switch frame {
        case .encrypted: figures.encrypted &+= 1
        case .values(let values, let isContradictory):
            if isContradictory { figures.contradictory &+= 1 }
            guard !values.isEmpty else { return }
            guard let transmitters else { return unlinked.add(values, from: address, at: now) }
            for identity in transmitters.map(\.identity) {
                guard let entry = entries[identity] else { continue }
                entries[identity]?.battery = Self.merged(entry.battery, values, at: now)
            }
        }
    }

    private static func merged(
        _ former: HeardBeacon.Battery?, _ values: Telemetry, at now: Instant
    ) -> HeardBeacon.Battery {
        guard var battery = former else { return HeardBeacon.Battery(values: values, at: .at(now)) }
        battery.values.format = values.format
        battery.values.battery_percent = values.battery_percent ?? battery.values.battery_percent
        battery.values.battery_mV = values.battery_mV ?? battery.values.battery_mV
        battery.values.temperature_cC = values.temperature_cC ?? battery.values.temperature_cC
        battery.at = .at(now)
        return battery
    }

    /// Returns the list, in the order of the identities, and forgets beacons that have been silent for too long.
    mutating func report(at now: Instant) -> [HeardBeacon] {
        reportDue = now + settings.reportInterval
        entries = entries.filter { now - $0.value.silentSince <= settings.patience }
        figures.listed = entries.count
        return entries.sorted { $0.key < $1.key }.map { identity, entry in
            HeardBeacon(
                identity: identity, firstHeard: entry.firstHeard, lastHeard: entry.lastHeard,
                interval_ms: entry.interval_ms.map(Int64.init),
                rssi_dbm: entry.levels.median ?? entry.restoredLevel_dbm.map(Int.init), battery: entry.battery)
        }
    }
}

/// Telemetry from addresses that have not sent an iBeacon frame yet: the last of each of the latest addresses.
///
/// A beacon may send its telemetry before its first iBeacon frame. Other devices send the same formats, so there are
/// few places.
private struct UnlinkedTelemetry: Sendable {
    static let capacity = 256
    /// The time after which a frame is not used any more. Beacons repeat their telemetry within minutes.
    static let patience = TimeSpan.seconds(600)

    struct Waiting: Sendable {
        var address: DeviceAddress
        var values: Telemetry
        var at: Instant
    }

    private var waiting: [Waiting] = []
    private var next = 0

    mutating func add(_ values: Telemetry, from address: DeviceAddress, at now: Instant) {
        let new = Waiting(address: address, values: values, at: now)
        if let index = waiting.firstIndex(where: { $0.address == address }) {
            waiting[index] = new
        } else if waiting.count < Self.capacity {
            waiting.append(new)
        } else {
            waiting[next] = new
            next = (next + 1) % Self.capacity
        }
    }

    func checkInvariants() -> [String] {
        let isFull = waiting.count > Self.capacity || !(0..<Self.capacity).contains(next)
        let isTwice = Set(waiting.map(\.address)).count < waiting.count
        return isFull || isTwice ? ["telemetry waits for more beacons than it may, or twice for one"] : []
    }

    mutating func take(_ address: DeviceAddress, at now: Instant) -> Waiting? {
        guard let index = waiting.firstIndex(where: { $0.address == address }) else { return nil }
        let found = waiting[index]
        // The order of the others does not matter.
        waiting.swapAt(index, waiting.count - 1)
        waiting.removeLast()
        next = 0
        return now - found.at <= Self.patience ? found : nil
    }
}

/// The transmitters of which the register takes samples and telemetry.
extension BeaconTracker {
    /// The transmitters that lists may name, on the ranged list or remembered, with their levels.
    var wantedTransmitters: some Sequence<(Transmitter, level_dbm: Double?)> {
        table.usedSlots.lazy.filter { table.transmitters[$0].interest.isListed }.map { heard($0) }
    }

    /// Returns the transmitters of an identity that lists may name, with their levels.
    func wantedTransmitters(of identity: IdentitySlot) -> [(Transmitter, level_dbm: Double?)] {
        table.slots(of: identity).filter { table.transmitters[$0].interest.isListed }.map { heard($0) }
    }

    /// Returns the transmitters with an address that lists may name; `nil` where no transmitter has the address.
    func wantedTransmitters(at address: DeviceAddress) -> [Transmitter]? {
        let slots = table.slots(at: address)
        if slots.isEmpty { return nil }
        return slots.map { table.transmitters[$0] }.filter { $0.interest.isListed }
    }

    private func heard(_ slot: TransmitterSlot) -> (Transmitter, level_dbm: Double?) {
        let transmitter = table.transmitters[slot]
        return (transmitter, smoothing.region.level(transmitter.signal.region)?.rssi_dbm)
    }
}
