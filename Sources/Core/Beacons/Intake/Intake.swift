/// Reads sightings from HCI events. The gateway and the console share it. An owner of a tracker calls its `heardAnything` for
/// each advertising event.
///
/// The intake owns the state of each adapter: its RSSI offset, and the unfinished pieces of extended advertisements.
struct Intake: Sendable {
    /// One iBeacon frame in one advertising report.
    struct Reception: Sendable {
        let sighting: Sighting
        /// The RSSI by the controller; `nil` where it gave none.
        let rssi_dbm: Int8?
        /// The number of its advertisement, as `advertisementCount` gave it.
        let advertisement: UInt64
        /// True if the adapter is the chosen one for this transmitter. Otherwise the tracker gets nothing of the
        /// reception.
        let isTaken: Bool
    }

    private struct Adapter: Sendable {
        let rssiOffset_db: Double
        var chains = AdvertisingDataChains()

        /// Returns an RSSI with the correction, clamped to the range of RSSI.
        func corrected(_ rssi_dbm: Int8) -> Double { min(max(Double(rssi_dbm) + rssiOffset_db, -127), 20) }
    }

    private var adapters: [Adapter]
    /// The choice among several adapters; `nil` where there is one.
    private var selection: AdapterSelection?
    /// The receptions of the latest event, in its order. The buffer is reused, so that an event costs no allocation.
    private(set) var receptions: [Reception] = []
    /// The telemetry frames of the latest event, where they are read.
    private(set) var telemetry: [(address: DeviceAddress, frame: TelemetryFrame)] = []
    let readsTelemetry: Bool
    private(set) var reportCount: UInt64 = 0
    /// The reports whose data is complete: one for all pieces of an advertisement.
    private(set) var advertisementCount: UInt64 = 0
    private(set) var rejects = RejectCounts()

    /// - Parameters:
    /// - rssiOffsets_db: the offset of each adapter, in their order.
    /// - capacity: the number of transmitters for which a chosen adapter is remembered.
    /// - readsTelemetry: whether to read telemetry frames too.
    init(rssiOffsets_db: [Double], capacity: Int, readsTelemetry: Bool = false) {
        self.readsTelemetry = readsTelemetry
        adapters = rssiOffsets_db.map { Adapter(rssiOffset_db: $0) }
        if adapters.count > 1 { selection = AdapterSelection(capacity: capacity) }
    }

    /// The number of transmitters and unfinished packets that it remembers.
    var rememberedCount: Int { adapters.reduce(selection?.count ?? 0) { $0 + $1.chains.count } }

    /// Returns what is wrong with its counts and limits; for tests.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        if advertisementCount > reportCount { broken.append("more advertisements are whole than were reported") }
        if let selection, selection.count > selection.capacity {
            broken.append("\(selection.count) transmitters have a chosen adapter")
        }
        if !readsTelemetry, !telemetry.isEmpty { broken.append("telemetry is read that is not asked for") }
        return broken
    }

    /// Returns whether the gateway has an adapter of this number.
    func has(_ adapter: Int) -> Bool { adapters.indices.contains(adapter) }

    /// Removes what it keeps of devices that are silent. Called every minute, it keeps nothing of them for more than two.
    mutating func removeSilent(at now: Instant) {
        selection?.removeSilent(at: now)
        for adapter in adapters.indices { adapters[adapter].chains.removeUnfinished(at: now) }
    }

    /// Reads an HCI event. The sightings for the tracker are then in `receptions`.
    ///
    /// - Parameters:
    /// - event: the event packet from its event code on. Any bytes: malformed ones are counted and skipped.
    /// - adapter: the number of the adapter, from 0 on. An event of an unknown adapter is ignored.
    /// - isAdvertising: whether the event carries advertising reports; the caller has checked.
    /// - now: not before the time of an earlier call.
    mutating func receive(_ event: Span<UInt8>, from adapter: Int, isAdvertising: Bool, at now: Instant) {
        // There is usually one. Removing it alone takes 60 instructions less than removing all.
        while !receptions.isEmpty { receptions.removeLast() }
        if readsTelemetry { telemetry.removeAll(keepingCapacity: true) }
        guard isAdvertising, has(adapter) else { return }
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, range) = reports.next(event, rejects: &rejects) {
            reportCount &+= 1
            let data = event.extracting(range)
            if adapters[adapter].chains.takesWhole(report) {
                receive(report, data, from: adapter, at: now)
                continue
            }
            switch adapters[adapter].chains.append(report, data, at: now) {
            case .whole: receive(report, data, from: adapter, at: now)
            case .joined(let joined): receive(report, joined.span, from: adapter, at: now)
            case .pending: break
            case .rejected(let reason): rejects.count(reason)
            }
        }
    }

    private mutating func receive(
        _ report: AdvertisingReport, _ data: Span<UInt8>, from adapter: Int, at now: Instant
    ) {
        advertisementCount &+= 1
        // The data is complete here, and nothing of it is kept.
        if readsTelemetry { readTelemetry(in: data, from: report.address) }
        // The closure changes `self`, so a counter of `self` can't be passed too.
        var frameRejects = RejectCounts()
        IBeaconFrame.forEach(in: report, data, rejects: &frameRejects) { frame in
            let sighting = Sighting(
                identity: frame.identity, address: report.address, measuredPower_dbm: frame.measuredPower_dbm,
                rssi_dbm: report.rssi_dbm.map(adapters[adapter].corrected),
                traits: AdvertisingTraits(report, length: data.count), adapter: adapter)
            // Sightings by other adapters are left out, so that the tracker sees one adapter per transmitter.
            let isTaken = selection?.takes(sighting, at: now) ?? true
            receptions.append(
                Reception(
                    sighting: sighting, rssi_dbm: report.rssi_dbm, advertisement: advertisementCount, isTaken: isTaken))
        }
        if frameRejects.total > 0 { rejects.add(frameRejects) }
    }

    // Inlined, it would make the way of each report longer.
    @inline(never)
    private mutating func readTelemetry(in data: Span<UInt8>, from address: DeviceAddress) {
        TelemetryFrames.forEach(in: data) { telemetry.append((address, $0)) }
    }
}
