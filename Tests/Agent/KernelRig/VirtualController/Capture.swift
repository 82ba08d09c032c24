@testable import Core

/// The advertising events of a btsnoop capture with their times.
struct Capture {
    struct Entry: Equatable {
        /// The time since the capture's first record of any kind; never less than that of the entry before.
        var time: TimeSpan
        /// The HCI event, from its event code on.
        var event: [UInt8]
    }

    /// A guest has 512 MB, and a rig needs minutes, not days.
    static let maxLength = 64 << 20

    var entries: [Entry] = []
    /// The time of the last record.
    var duration: TimeSpan = .zero

    /// Reads a whole capture.
    ///
    /// - Throws: `BTSnoopError` where it is damaged: half of a capture would prove nothing.
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
