import Core

/// Numbers that may have been given while the disk could not commit them.
///
/// A number is only ever repeated if it was published from memory and the process then died: the file knows nothing of
/// it. So before numbers are given in memory, the end of a block of them is written in place into a file that already has
/// its disk block, which works on a full disk too. Where even that fails, a new epoch begins instead.
struct Reservation: Hashable {
    /// How many numbers are reserved beyond those needed, so that not every message costs a write.
    static let block: Int64 = 100
    /// The text is padded to this many bytes, which are written at once and never grow.
    static let length = 64

    package var epoch: String
    /// The first number of `epoch` that is certainly unused, of each series; 0 where none are reserved.
    var ends: SeriesNumbers

    init(epoch: String, ends: SeriesNumbers) {
        self.epoch = epoch
        self.ends = ends
    }

    /// Series of which numbers are given in memory, in the order in which they stand in the text.
    private static let series = NumberSeries.allCases.filter { !$0.needsDisk }

    /// Reads the epoch and an end for each series from a file's bytes; `nil` where nothing is reserved. The last ones are left out where
    /// they are 0, as earlier versions did, which knew of events alone.
    init?(bytes: [UInt8]) {
        let words = String(decoding: bytes.prefix(Self.length), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard let epoch = words.first, (2...Self.series.count + 1).contains(words.count) else { return nil }
        var ends = SeriesNumbers(0)
        for (series, word) in zip(Self.series, words.dropFirst()) {
            guard let end = Int64(word), (0...(1 << 53)).contains(end) else { return nil }
            ends[series] = end
        }
        guard ends != SeriesNumbers(0) else { return nil }
        self.init(epoch: String(epoch), ends: ends)
    }

    /// As it is written; `nil` where it is longer than there is room for.
    var bytes: [UInt8]? {
        var words = [epoch] + Self.series.map { "\(ends[$0])" }
        while words.last == "0" { words.removeLast() }
        let text = Array(words.joined(separator: " ").utf8)
        guard text.count < Self.length else { return nil }
        return text + [UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1 - text.count) + [UInt8(ascii: "\n")]
    }
}
