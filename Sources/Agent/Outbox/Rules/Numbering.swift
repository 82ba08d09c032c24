import Core

/// The number of the next message of each series.
package struct Numbering: Hashable, Sendable {
    /// The epoch's name: 26 characters that sort by the time when it began.
    package var epoch: String
    private var next = SeriesNumbers(1)

    /// - Parameter next: the next number of a series; 1 in a series that is not named.
    init(epoch: String, next: [NumberSeries: Int64] = [:]) {
        self.epoch = epoch
        for (series, seq) in next { self.next[series] = seq }
    }

    /// The next number of a series: from 1 within the epoch, without gaps.
    package subscript(series: NumberSeries) -> Int64 {
        get { next[series] }
        set { next[series] = newValue }
    }

    /// Gives `count` numbers of a series; `nil` where it is 0.
    mutating func give(_ count: Int64, of series: NumberSeries) -> NumberRun? {
        guard let run = NumberRun(next[series], count: count) else { return nil }
        next[series] = run.end
        return run
    }

    /// Advances the series after a number that was given.
    mutating func goOn(after number: MessageNumber) { next[number.series] = number.seq.addingSaturating(1) }

    /// The next number of a series, or the number `count` places later.
    func number(of series: NumberSeries = .events, after count: Int64 = 0) -> MessageNumber {
        MessageNumber(epoch: epoch, series: series, seq: next[series].addingSaturating(count))
    }
}

/// A number for each series.
struct SeriesNumbers: Hashable, Sendable {
    /// Indexed by raw value, which counts the series from 0.
    private var values: [Int64]

    init(_ value: Int64) { values = [Int64](repeating: value, count: NumberSeries.allCases.count) }

    subscript(series: NumberSeries) -> Int64 {
        get { values[Int(series.rawValue)] }
        set { values[Int(series.rawValue)] = newValue }
    }

    /// The greater of both, for each series.
    func maximum(_ other: SeriesNumbers) -> SeriesNumbers {
        var result = self
        for index in values.indices { result.values[index] = max(values[index], other.values[index]) }
        return result
    }
}

/// Names of epochs in the form of a ULID: 48 bits of milliseconds since 1970 and 80 random bits, as 26 characters of
/// Crockford's base 32. So names sort by the time when an epoch began, and no two outboxes share one.
enum EpochName {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    static func make(at time: WallTime, using generator: inout any RandomNumberGenerator) -> String {
        let milliseconds = UInt64(max(time.microseconds, 0)) / 1_000 & 0xFFFF_FFFF_FFFF
        let high = UInt64.random(in: 0..<(1 << 40), using: &generator)
        let low = UInt64.random(in: 0..<(1 << 40), using: &generator)
        return text(milliseconds, digits: 10) + text(high, digits: 8) + text(low, digits: 8)
    }

    private static func text(_ value: UInt64, digits count: Int) -> String {
        String((0..<count).reversed().map { digits[Int(value >> UInt64(5 * $0) & 31)] })
    }
}

/// Numbers that may have been given while the disk could not commit them.
///
/// Without a reservation, numbers would repeat if they were published from memory and the process then died: the file
/// does not know them. So before the outbox gives numbers in memory, it writes the end of a block of them into a file.
/// That file already has its disk block, so the write works on a full disk too. If even the write fails, a new epoch
/// begins.
struct Reservation: Hashable {
    /// Numbers that are reserved beyond the need, so that not every message costs a write.
    static let block: Int64 = 100
    /// The text is padded to this many bytes. They are written at once and never grow.
    static let length = 64

    var epoch: String
    /// The first certainly unused number of `epoch` in each series; 0 where none are reserved.
    var ends: SeriesNumbers

    /// The series that are numbered in memory, in the order of the text.
    fileprivate static let series = NumberSeries.allCases.filter { !$0.needsDisk }
}

extension Reservation {
    /// Reads the epoch and an end for each series from a file's bytes; `nil` where nothing is reserved. Ends of 0 at
    /// the end are missing, so that the others have room.
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

    /// The bytes to write; `nil` where they do not fit.
    var bytes: [UInt8]? {
        var words = [epoch] + Self.series.map { "\(ends[$0])" }
        while words.last == "0" { words.removeLast() }
        let text = Array(words.joined(separator: " ").utf8)
        guard text.count < Self.length else { return nil }
        return text + [UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1 - text.count) + [UInt8(ascii: "\n")]
    }
}
