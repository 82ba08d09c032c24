import Core

/// The place of a message in an outbox. It identifies the message while this process lives, across epochs and files.
///
/// The first message that this process commits has position 1; messages found in the file stand before it. So an outbox
/// that had to begin in memory treats a file that it finds late like one that was there from the start.
///
/// No operation overflows: a file may hold any numbers.
package struct Position: Hashable, Comparable, Sendable {
    /// The position of the first message that this process commits.
    static let first = Position(1)
    static let beforeAll = Position(.min)
    static let afterAll = Position(.max)

    fileprivate let number: Int64

    /// Only tests make a position from a number.
    init(_ number: Int64) { self.number = number }

    package static func < (left: Position, right: Position) -> Bool { left.number < right.number }

    /// The position of the message committed after this one.
    var next: Position { Position(number.addingSaturating(1)) }

    var alone: Range<Position> { self..<next }
}

/// Converts positions of this process to those in a file, and back. Positions in a file go on from one process to the
/// next.
struct PositionOrigin: Hashable {
    /// The origin for an empty file.
    static let none = PositionOrigin(lastInFile: 0)

    /// The file's position of the last message that was committed before this process.
    private let last: Int64

    init(lastInFile last: Int64) { self.last = last }

    init(nextInFile next: Int64) { last = next.subtractingSaturating(1) }

    /// The position before all that a file can hold: a file's positions are above 0.
    var beforeFile: Position { position(inFile: 0) }

    func position(inFile number: Int64) -> Position { Position(number.subtractingSaturating(last)) }

    func numberInFile(_ position: Position) -> Int64 { position.number.addingSaturating(last) }
}

extension RangeSet<Position> {
    mutating func insert(_ position: Position) { insert(contentsOf: position.alone) }
    mutating func remove(_ position: Position) { remove(contentsOf: position.alone) }

    var count: Int64 {
        ranges.reduce(0) {
            $0.addingSaturating($1.upperBound.number.subtractingSaturating($1.lowerBound.number))
        }
    }
}

/// Consecutive numbers, at least one. No operation overflows: a file may hold any numbers.
struct NumberRun: Hashable, Sendable {
    /// Beyond this many runs, one run holds them all, with numbers that are not missing.
    static let mostRuns = 16

    let first: Int64
    let last: Int64

    /// - Parameter last: counts as `first` where it is below it.
    init(_ first: Int64, through last: Int64) {
        self.first = first
        self.last = max(first, last)
    }

    init(_ number: Int64) { self.init(number, through: number) }

    /// `nil` where there are no numbers.
    init?(_ first: Int64, before end: Int64) {
        guard first < end else { return nil }
        self.init(first, through: end - 1)
    }

    /// `nil` where `count` is 0.
    init?(_ first: Int64, count: Int64) { self.init(first, before: first.addingSaturating(count)) }

    /// The number after the last one.
    var end: Int64 { last.addingSaturating(1) }

    func contains(_ number: Int64) -> Bool { first <= number && number <= last }

    /// Returns whether both together are one run: they overlap, or `later` begins right after this one.
    func isContinued(by later: NumberRun) -> Bool { last < .max && later.first <= end && later.last >= first }

    /// The run from the first number of both to the last, with the numbers between them.
    func joined(with other: NumberRun) -> NumberRun {
        NumberRun(min(first, other.first), through: max(last, other.last))
    }

    /// The runs that `found`, in rising order, leaves out.
    func missing(from found: some Sequence<Int64>) -> [NumberRun] {
        var missing: [NumberRun] = []
        var next = first
        for number in found where number >= next && contains(number) {
            if let run = NumberRun(next, before: number) { missing.append(run) }
            if number == last { return Self.few(missing) }
            next = number + 1
        }
        return Self.few(missing + [NumberRun(next, through: last)])
    }

    private static func few(_ runs: [NumberRun]) -> [NumberRun] {
        guard runs.count > mostRuns, let first = runs.first, let last = runs.last else { return runs }
        return [first.joined(with: last)]
    }
}
