@testable import Core

/// The advertising events of a btsnoop capture with their times.
struct Capture {
    struct Entry: Equatable {
        /// Since the capture's first record, whatever that holds; never less than the entry before.
        var time: TimeSpan
        /// The HCI event, from its event code on.
        var event: [UInt8]
    }

    /// A guest has 512 MB, and a rig needs minutes, not days.
    static let maxLength = 64 << 20

    var entries: [Entry] = []
    /// When the last record was taken.
    var duration: TimeSpan = .zero

    /// Reads a whole capture.
    ///
    /// - Throws: `BTSnoopError` where it is damaged: a rig that played half of it would compare nothing.
    init(_ octets: [UInt8]) throws(BTSnoopError) {
        let bytes = octets.span
        var reader = BTSnoopReader()
        var position = 0
        var first: WallTime?
        while let record = try reader.next(bytes, from: &position) {
            let start = first ?? record.time
            first = start
            duration = max(duration, record.time - start)
            guard let range = record.event, let code = range.first, bytes[code] == EventCode.leMeta else { continue }
            entries.append(Entry(time: duration, event: range.map { bytes[$0] }))
        }
        try reader.finish(remaining: bytes.count - position)
    }
}
