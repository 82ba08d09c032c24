/// From bytes to sightings, for everybody who follows beacons: the gateway, and whoever looks over its shoulder. What
/// both feed a tracker with is the same, so it decides the same.
///
/// It owns what belongs to each adapter: its correction, and the pieces of extended advertisements that it has not
/// finished.
struct Intake: Sendable {
    /// One iBeacon frame in one advertising report.
    struct Reception: Sendable {
        let sighting: Sighting
        /// As the controller gave it; `nil` where it had none.
        let rssi_dbm: Int8?
        /// Whether the transmitter is followed with this adapter. Where it is not, the tracker gets nothing of it.
        let isTaken: Bool
    }

    private struct Adapter: Sendable {
        let rssiOffset_db: Double
        var chains = AdvertisingDataChains()

        /// An RSSI with the correction, kept within what RSSI can be.
        func corrected(_ rssi_dbm: Int8) -> Double { min(max(Double(rssi_dbm) + rssiOffset_db, -127), 20) }
    }

    private var adapters: [Adapter]
    /// `nil` with one adapter, which hears everything.
    private var selection: AdapterSelection?
    /// What the latest event held, in its order. The buffer is used again, so that an event costs no allocation.
    private(set) var receptions: [Reception] = []
    private(set) var reportCount: UInt64 = 0
    private(set) var rejects = RejectCounts()

    /// - Parameters:
    ///   - rssiOffsets_db: of each adapter, in their order.
    ///   - capacity: transmitters that are remembered for choosing among several adapters.
    init(rssiOffsets_db: [Double], capacity: Int) {
        adapters = rssiOffsets_db.map { Adapter(rssiOffset_db: $0) }
        if adapters.count > 1 { selection = AdapterSelection(capacity: capacity) }
    }

    /// Whether it is a adapter of this gateway's.
    package func has(_ adapter: Int) -> Bool { adapters.indices.contains(adapter) }

    /// Takes an HCI event in, and has the tracker know that something was heard. `receptions` then is what to feed it with.
    ///
    /// - Parameters:
    ///   - event: the event packet from its event code on. Any bytes: what is malformed is counted and skipped.
    ///   - adapter: which of the adapters heard it, from 0 on. An event of any other is passed over.
    ///   - isAdvertising: whether it is a report of whatever; the caller has looked.
    ///   - now: not before the time of an earlier call.
    mutating func receive(
        _ event: Span<UInt8>, from adapter: Int, isAdvertising: Bool, at now: Instant,
        heardBy tracker: inout BeaconTracker
    ) {
        if isAdvertising { tracker.heardAnything(at: now) }
        receive(event, from: adapter, isAdvertising: isAdvertising, at: now)
    }

    /// Takes an HCI event in where there is no tracker.
    mutating func receive(_ event: Span<UInt8>, from adapter: Int, at now: Instant) {
        receive(event, from: adapter, isAdvertising: AdvertisingEvent.isAdvertising(event), at: now)
    }

    private mutating func receive(
        _ event: Span<UInt8>, from adapter: Int, isAdvertising: Bool, at now: Instant
    ) {
        // There is one as a rule, and to remove it alone takes 60 instructions less than to remove them all.
        while !receptions.isEmpty { receptions.removeLast() }
        guard isAdvertising, has(adapter) else { return }
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, range) = reports.next(event, rejects: &rejects) {
            reportCount &+= 1
            let data = event.extracting(range)
            switch adapters[adapter].chains.append(report, data) {
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
        // The counter is not part of `self` while the frames go through its other parts.
        var frameRejects = RejectCounts()
        IBeaconFrame.forEach(in: report, data, rejects: &frameRejects) { frame in
            let sighting = Sighting(
                identity: frame.identity, address: report.address, measuredPower_dbm: frame.measuredPower_dbm,
                rssi_dbm: report.rssi_dbm.map(adapters[adapter].corrected),
                traits: AdvertisingTraits(report, length: data.count), adapter: adapter)
            // What another adapter hears of a transmitter is left out, so that everything behind sees one only.
            let isTaken = selection?.takes(sighting, at: now) ?? true
            receptions.append(Reception(sighting: sighting, rssi_dbm: report.rssi_dbm, isTaken: isTaken))
        }
        if frameRejects.total > 0 { rejects.add(frameRejects) }
    }
}
