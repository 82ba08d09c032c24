/// What is stored of a region instance, so that its state outlives the process.
///
/// One line of `StoredFields`. Its first words are its `StoredTag`: the kind of the region and the version of the line.
package struct StoredRegion: Hashable, Sendable {
    package var record: RegionRecord
    /// The last event of the instance, 0 before the first.
    var eventSeq: Int64
    /// The epoch that `eventSeq` belongs to; empty where that is not known.
    package var epoch: String

    package init(record: RegionRecord, eventSeq: Int64, epoch: String = "") {
        self.record = record
        self.eventSeq = eventSeq
        self.epoch = epoch
    }

    /// The last event of the instance in `epoch`, 0 before the first: a number of another epoch means nothing in it.
    package func eventSeq(in epoch: String) -> Int64 { self.epoch.isEmpty || self.epoch == epoch ? eventSeq : 0 }

    /// The value for an instance that has no state to go on from. No reader takes it for a state.
    package static let withoutState = Array("unsettled".utf8)

    /// The key it is stored under, as in topics: `carts`, `carts/1`, `carts/1/7`, `carts/1/zone/bakery`.
    package static func key(_ instance: RegionInstanceID) -> String { instance.levels }

    /// - Parameter bootID: names the life of the monotonic clock; `nil` where instants mean nothing to another process.
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

    /// The instance that is stored under a key; `nil` for a key of anything else.
    package static func instance(ofKey key: String) -> RegionInstanceID? {
        RegionInstanceID(levels: key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)[...])
    }
}
