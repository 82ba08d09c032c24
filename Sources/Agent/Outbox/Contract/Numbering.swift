import Core

/// Which number the next message of each series gets.
package struct Numbering: Hashable, Sendable {
    /// Names one outbox's life: 26 characters that sort by the time it began.
    package var epoch: String
    private var next = SeriesNumbers(1)

    /// - Parameter next: what comes next in a series; 1 in those that are not named.
    init(epoch: String, next: [NumberSeries: Int64] = [:]) {
        self.epoch = epoch
        for (series, seq) in next { self.next[series] = seq }
    }

    /// The next number of a series: from 1 within the epoch, without gaps.
    package subscript(series: NumberSeries) -> Int64 {
        get { next[series] }
        set { next[series] = newValue }
    }

    /// Gives so many numbers of a series; `nil` for none.
    mutating func give(_ count: Int64, of series: NumberSeries) -> NumberRun? {
        guard let run = NumberRun(next[series], count: count) else { return nil }
        next[series] = run.end
        return run
    }

    /// A number was given: its series goes on after it.
    mutating func goOn(after number: MessageNumber) { next[number.series] = number.seq.addingSaturating(1) }

    /// The next number of a series, or the one that comes so many later.
    func number(of series: NumberSeries = .events, after count: Int64 = 0) -> MessageNumber {
        MessageNumber(epoch: epoch, series: series, seq: next[series].addingSaturating(count))
    }
}

/// A number for each series.
struct SeriesNumbers: Hashable, Sendable {
    /// By raw value, which counts the series from 0.
    private var values: [Int64]

    init(_ value: Int64) { values = [Int64](repeating: value, count: NumberSeries.allCases.count) }

    subscript(series: NumberSeries) -> Int64 {
        get { values[Int(series.rawValue)] }
        set { values[Int(series.rawValue)] = newValue }
    }

    /// The greater of both in each series.
    func maximum(_ other: SeriesNumbers) -> SeriesNumbers {
        var result = self
        for index in values.indices { result.values[index] = max(values[index], other.values[index]) }
        return result
    }
}
