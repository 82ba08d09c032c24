import Beacons
import HCI
public import Regions

/// What is stored of a region instance, so that its state outlives the process.
///
/// One line of `StoredWords`.
public struct StoredRegion: Hashable, Sendable {
    public var record: RegionRecord
    /// The last event of the instance, 0 before the first.
    public var eventSeq: Int64
    /// The epoch that `eventSeq` belongs to; empty where that is not known.
    public var epoch: String

    public init(record: RegionRecord, eventSeq: Int64, epoch: String = "") {
        self.record = record
        self.eventSeq = eventSeq
        self.epoch = epoch
    }

    /// The last event of the instance in `epoch`, 0 before the first: a number of another epoch means nothing in it.
    public func eventSeq(in epoch: String) -> Int64 { self.epoch.isEmpty || self.epoch == epoch ? eventSeq : 0 }

    /// What stands for an instance that has nothing to go on from yet: no reader takes it for a state.
    public static let unsettled = Array("v=1 state=unsettled".utf8)

    /// What stands for one that is monitored no more, until the broker has cleared its state. No reader takes it for one either.
    public static let abandoned = Array("abandoned".utf8)

    /// The key it is stored under: `carts`, `carts/1`, `carts/1/7`.
    public static func key(_ instance: RegionInstanceID) -> String {
        ([instance.region] + [instance.major, instance.minor].compactMap { $0.map { String($0) } })
            .joined(separator: "/")
    }

    /// - Parameter bootID: names the life of the monotonic clock; `nil` where instants mean nothing to another process.
    public func encoded(_ timebase: Timebase, bootID: String?) -> [UInt8] {
        var words = ["v=1", "state=\(record.isInside ? "inside" : "outside")"] + StoredWords.boot(bootID)
        words += StoredWords.time("since", record.since, timebase, bootID: bootID)
        words += StoredWords.time("last_heard", record.lastHeardAt, timebase, bootID: bootID)
        words += [
            "major=\(record.major)", "minor=\(record.minor)", "patience_us=\(record.patience.microseconds)",
            "partial=\(record.isPartial)", "event_seq=\(eventSeq)",
        ]
        if !epoch.isEmpty { words.append("epoch=\(epoch)") }
        if let constraint = record.constraint {
            words.append("of=\(constraint.uuid)")
            if let major = constraint.major { words.append("of_major=\(major)") }
            if let minor = constraint.minor { words.append("of_minor=\(minor)") }
        }
        if !record.notifiesOnExit { words.append("notify_on_exit=false") }
        if let rssi_dbm = record.rssi_dbm { words.append("rssi_dbm=\(JSONWriter.decimal(rssi_dbm, decimals: 1))") }
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads what `encoded` wrote.
    ///
    /// - Parameters:
    ///   - key: what it was stored under.
    ///   - timebase: relates times of day to this process's monotonic clock.
    ///   - bootID: names the life of that clock; `nil` where times of day alone count.
    /// - Returns: `nil` for anything else: a damaged record is as good as none.
    public init?(_ octets: [UInt8], key: String, _ timebase: Timebase, bootID: String?) {
        guard let words = StoredWords(octets, timebase, bootID: bootID), let instance = Self.instance(ofKey: key) else {
            return nil
        }
        guard words["v"] == "1", let state = words["state"], state == "inside" || state == "outside",
            let since = words.instant("since"), let lastHeardAt = words.instant("last_heard"),
            let major = words["major"].flatMap({ UInt16($0) }), let minor = words["minor"].flatMap({ UInt16($0) }),
            let patience_us = words["patience_us"].flatMap({ Int64($0) }),
            let eventSeq = words["event_seq"].flatMap({ Int64($0) })
        else { return nil }
        self.eventSeq = max(0, eventSeq)
        self.epoch = words["epoch"].map(String.init) ?? ""
        let constraint = words["of"].flatMap { ProximityUUID($0) }.map { uuid in
            BeaconIdentityConstraint(
                uuid: uuid, major: words["of_major"].flatMap { UInt16($0) },
                minor: words["of_minor"].flatMap { UInt16($0) })
        }
        self.record = RegionRecord(
            instance: instance, of: constraint, isInside: state == "inside", since: since, major: major, minor: minor,
            lastHeardAt: lastHeardAt, patience: TimeSpan(microseconds: max(0, patience_us)),
            rssi_dbm: words["rssi_dbm"].flatMap { Double($0) }, isPartial: words["partial"] == "true",
            notifiesOnExit: words["notify_on_exit"] != "false")
    }

    /// The instance that is stored under a key; `nil` for a key of anything else.
    public static func instance(ofKey key: String) -> RegionInstanceID? {
        let levels = key.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = levels.dropFirst().map { UInt16($0) }
        guard let region = levels.first, levels.count <= 3, !numbers.contains(nil) else { return nil }
        return RegionInstanceID(
            region: String(region), major: numbers.first ?? nil, minor: numbers.count == 2 ? numbers[1] : nil)
    }
}
