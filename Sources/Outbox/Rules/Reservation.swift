/// Numbers that may have been given while the disk could not commit them.
///
/// A number is only ever repeated if it was published from memory and the process then died: the file knows nothing of
/// it. So before numbers are given in memory, the end of a block of them is written in place into a file that already has
/// its disk block, which works on a full disk too. Where even that fails, a new epoch begins instead.
struct Reservation: Hashable {
    /// How many numbers are reserved beyond those needed, so that not every event costs a write.
    static let block: Int64 = 100
    /// The text is padded to this many bytes, which are written at once and never grow.
    static let length = 64

    var epoch: String
    /// The first number of `epoch` that is certainly unused.
    var end: Int64

    init(epoch: String, end: Int64) {
        self.epoch = epoch
        self.end = end
    }

    /// Reads `epoch end` from a file's bytes; `nil` where nothing is reserved.
    init?(bytes: [UInt8]) {
        let words = String(decoding: bytes.prefix(Self.length), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let epoch = words.first, let last = words.last, let end = Int64(last),
            (1...(1 << 53)).contains(end)
        else {
            return nil
        }
        self.init(epoch: String(epoch), end: end)
    }

    var bytes: [UInt8] {
        let text = Array("\(epoch) \(end)".utf8.prefix(Self.length - 1))
        return text + [UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1 - text.count) + [UInt8(ascii: "\n")]
    }
}
