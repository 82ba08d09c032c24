public import HCI

/// From bytes to sightings, for everybody who follows beacons: the gateway, and whoever looks over its shoulder. What
/// both feed a tracker with is the same, so it decides the same.
///
/// It owns what belongs to each receiver: its correction, and the pieces of extended advertisements that it has not
/// finished.
public struct Intake: Sendable {
    /// One iBeacon frame in one advertising report.
    public struct Reception: Sendable {
        public let sighting: Sighting
        /// As the controller gave it; `nil` where it had none.
        public let rssi_dbm: Int8?
        /// Whether the transmitter is followed with this receiver. Where it is not, the tracker gets nothing of it.
        public let isTaken: Bool
    }

    private struct Receiver: Sendable {
        let rssiOffset_db: Double
        var chains = AdvertisingDataChains()

        /// An RSSI with the correction, kept within what RSSI can be.
        func corrected(_ rssi_dbm: Int8) -> Double { min(max(Double(rssi_dbm) + rssiOffset_db, -127), 20) }
    }

    private var receivers: [Receiver]
    /// `nil` with one receiver, which hears everything.
    private var selection: ReceiverSelection?
    /// What the latest event held, in its order. The buffer is used again, so that an event costs no allocation.
    public private(set) var receptions: [Reception] = []
    public private(set) var reportCount: UInt64 = 0
    public private(set) var rejects = RejectCounts()

    /// - Parameters:
    ///   - rssiOffsets_db: of each receiver, in their order.
    ///   - capacity: transmitters that are remembered for choosing among several receivers.
    public init(rssiOffsets_db: [Double], capacity: Int) {
        receivers = rssiOffsets_db.map { Receiver(rssiOffset_db: $0) }
        if receivers.count > 1 { selection = ReceiverSelection(capacity: capacity) }
    }

    /// Whether it is a receiver of this gateway's.
    public func has(_ receiver: Int) -> Bool { receivers.indices.contains(receiver) }

    /// Takes an HCI event in, and has the tracker know that something was heard. `receptions` then is what to feed it with.
    ///
    /// - Parameters:
    ///   - event: the event packet from its event code on. Any bytes: what is malformed is counted and skipped.
    ///   - receiver: which of the receivers heard it, from 0 on. An event of any other is passed over.
    ///   - isAdvertising: whether it is a report of whatever; the caller has looked.
    ///   - now: not before the time of an earlier call.
    public mutating func receive(
        _ event: Span<UInt8>, from receiver: Int, isAdvertising: Bool, at now: Instant,
        heardBy tracker: inout BeaconTracker
    ) {
        if isAdvertising { tracker.heardAnything(at: now) }
        receive(event, from: receiver, at: now)
    }

    /// The same for whoever has no tracker.
    public mutating func receive(_ event: Span<UInt8>, from receiver: Int, at now: Instant) {
        // There is one as a rule, and to remove it alone takes 60 instructions less than to remove them all.
        while !receptions.isEmpty { receptions.removeLast() }
        guard has(receiver) else { return }
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, range) = reports.next(event, rejects: &rejects) {
            reportCount &+= 1
            let data = event.extracting(range)
            switch receivers[receiver].chains.append(report, data) {
            case .whole: receive(report, data, from: receiver, at: now)
            case .joined(let joined): receive(report, joined.span, from: receiver, at: now)
            case .pending: break
            case .rejected(let reason): rejects.count(reason)
            }
        }
    }

    private mutating func receive(
        _ report: AdvertisingReport, _ data: Span<UInt8>, from receiver: Int, at now: Instant
    ) {
        // The counter is not part of `self` while the frames go through its other parts.
        var frameRejects = RejectCounts()
        IBeaconFrame.forEach(in: report, data, rejects: &frameRejects) { frame in
            let sighting = Sighting(
                identity: frame.identity, address: report.address, measuredPower_dbm: frame.measuredPower_dbm,
                rssi_dbm: report.rssi_dbm.map(receivers[receiver].corrected),
                traits: AdvertisingTraits(report, length: data.count), receiver: receiver)
            // What another receiver hears of a transmitter is left out, so that everything behind sees one only.
            let isTaken = selection?.takes(sighting, at: now) ?? true
            receptions.append(Reception(sighting: sighting, rssi_dbm: report.rssi_dbm, isTaken: isTaken))
        }
        if frameRejects.total > 0 { rejects.add(frameRejects) }
    }
}
