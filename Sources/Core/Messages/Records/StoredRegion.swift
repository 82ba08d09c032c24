/// The stored state of a region instance, which outlives the process.
///
/// The record is one line of `StoredFields`. The first words are its `StoredTag`: the kind of the region and the
/// version of the line.
package struct StoredRegion: Hashable, Sendable {
    package var record: RegionRecord
    /// The last event of the instance, 0 before the first.
    var eventSeq: Int64
    /// The epoch of `eventSeq`; empty where it is not known.
    package var epoch: String

    package init(record: RegionRecord, eventSeq: Int64, epoch: String = "") {
        self.record = record
        self.eventSeq = eventSeq
        self.epoch = epoch
    }

    /// Returns the last event of the instance in `epoch`, 0 before the first. A number of another epoch does not count.
    package func eventSeq(in epoch: String) -> Int64 { self.epoch.isEmpty || self.epoch == epoch ? eventSeq : 0 }

    /// The value for an instance without a state to restore. No reader takes it for a state.
    package static let withoutState = Array("unsettled".utf8)

    /// Returns the key of the record, as in topics: `carts`, `carts/1`, `carts/1/7`, `carts/1/zone/bakery`.
    package static func key(_ instance: RegionInstanceID) -> String { instance.levels }

    /// - Parameter bootID: identifies the boot of the monotonic clock; `nil` where instants mean nothing to another
    ///   process.
    package func encoded(_ timebase: Timebase, bootID: String?) -> [UInt8] {
        var words =
            ["\(record.kind.tag)", "state=\(record.isInside ? "inside" : "outside")"] + StoredFields.boot(bootID)
        switch record.occupancy {
        case .outside(let since):
            words += StoredFields.time("since", since, timebase, bootID: bootID)
        case .inside(let stay):
            words += StoredFields.time("since", stay.enteredAt, timebase, bootID: bootID)
            words += StoredFields.time("last_heard", stay.lastHeardAt, timebase, bootID: bootID)
            words += stay.keeper?.words ?? []
            words.append("partial=\(stay.beginning == .partial)")
        }
        words.append("event_seq=\(eventSeq)")
        if !epoch.isEmpty { words.append("epoch=\(epoch)") }
        words += record.kind.words
        if let stay = record.stay {
            if !stay.notifiesOnExit { words.append("notify_on_exit=false") }
            words += stay.keeper?.lastWords ?? []
        }
        return Array(words.joined(separator: " ").utf8)
    }

    /// Returns the instance of a key; `nil` for any other key.
    package static func instance(ofKey key: String) -> RegionInstanceID? {
        RegionInstanceID(levels: key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)[...])
    }
}

/// The kind and version of a stored line. A version with other words, or words of another meaning, has its own number.
package struct StoredTag: Hashable, Sendable, CustomStringConvertible {
    /// The kind of region; `nil` where the line has none.
    var kind: String?
    /// The version; `nil` where the line has none.
    package var version: String?
}

extension StoredTag {
    /// Reads the tag of a line. Returns `nil` where there is none: every version writes a tag, so the line is damaged
    /// or is no state.
    init?(_ octets: [UInt8]) {
        guard let text = String(validating: octets, as: UTF8.self) else { return nil }
        let words = text.split(separator: " ")
        func value(_ name: String) -> String? {
            words.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
        }
        self.init(kind: value("kind="), version: value("v="))
        if kind == nil, version == nil { return nil }
    }

    package var description: String {
        [kind.map { "kind=\($0)" }, version.map { "v=\($0)" }].compactMap { $0 }.joined(separator: " ")
    }
}

extension StoredRegion {
    /// The result of reading a stored line.
    package enum Reading: Hashable, Sendable {
        case region(StoredRegion)
        /// There is no state to restore: the instance had not settled, or is not monitored any more, or the line is
        /// damaged.
        case nothing
        /// The line has a kind or a version that is unknown here. Another version can read it, so it has to stay.
        case unknown(StoredTag)

        /// The state, where there is one.
        var region: StoredRegion? {
            if case .region(let region) = self { region } else { nil }
        }
    }

    /// Reads the octets of `encoded`.
    package static func read(_ octets: [UInt8], key: String, _ timebase: Timebase, bootID: String?) -> Reading {
        // Keys of other records begin with a slash.
        guard !key.utf8.starts(with: "/".utf8), let tag = StoredTag(octets) else { return .nothing }
        guard let kind = tag.regionKind else { return .unknown(tag) }
        guard let instance = instance(ofKey: key), let words = StoredFields(octets, timebase, bootID: bootID),
            let region = StoredRegion(instance, kind, words)
        else { return .nothing }
        return .region(region)
    }

    /// Returns `nil` where a word is missing or damaged.
    private init?(_ instance: RegionInstanceID, _ kind: RegionKind, _ words: StoredFields) {
        guard let definition = RegionRecord.Kind(kind, words), let since = words.instant("since"),
            let eventSeq: Int64 = words.value("event_seq")
        else { return nil }
        let occupancy: RegionRecord.Occupancy
        switch words["state"] {
        case "outside":
            occupancy = .outside(since: since)
        case "inside":
            let keeper = kind.hasBeacons ? BeaconKeeper(words) : nil
            guard let lastHeardAt = words.instant("last_heard"), keeper != nil || !kind.hasBeacons else { return nil }
            occupancy = .inside(
                RegionRecord.OpenStay(
                    enteredAt: since, lastHeardAt: lastHeardAt,
                    beginning: words["partial"] == "true" ? .partial : .observed, keeper: keeper,
                    notifiesOnExit: words["notify_on_exit"] != "false"))
        default:
            return nil
        }
        self.init(
            record: RegionRecord(instance: instance, definition, occupancy),
            eventSeq: max(0, eventSeq), epoch: words.value("epoch") ?? "")
    }
}
