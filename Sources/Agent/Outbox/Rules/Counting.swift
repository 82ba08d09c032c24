import Core

/// Where a message stands in an outbox: it names the message while this process lives, across epochs and files.
///
/// The first message that this process commits has position 1, and what it found in the file stands before it: so a file that is found
/// late, by an outbox that had to begin in memory, needs no other treatment than one that is there from the start.
///
/// Nothing overflows: a file may hold any numbers.
package struct Position: Hashable, Comparable, Sendable {
    /// Of the first message that this process commits.
    static let first = Position(1)
    static let beforeAll = Position(.min)
    static let afterAll = Position(.max)

    fileprivate let number: Int64

    /// Made from a number in tests alone; otherwise out of another one.
    init(_ number: Int64) { self.number = number }

    package static func < (left: Position, right: Position) -> Bool { left.number < right.number }

    /// Of the message that is committed after this one.
    var next: Position { Position(number.addingSaturating(1)) }

    /// This position and no other.
    var alone: Range<Position> { self..<next }
}

/// How the positions of this process stand to those in a file. Those in a file go on from one process to the next.
struct PositionOrigin: Hashable {
    /// Of a file that held nothing.
    static let none = PositionOrigin(lastInFile: 0)

    /// The position in a file of the last message that was committed before this process.
    private let last: Int64

    init(lastInFile last: Int64) { self.last = last }

    init(nextInFile next: Int64) { last = next.subtractingSaturating(1) }

    /// Before all that a file can hold: positions in it are above 0.
    var beforeFile: Position { position(inFile: 0) }

    func position(inFile number: Int64) -> Position { Position(number.subtractingSaturating(last)) }

    func numberInFile(_ position: Position) -> Int64 { position.number.addingSaturating(last) }
}

extension RangeSet<Position> {
    mutating func insert(_ position: Position) { insert(contentsOf: position.alone) }
    mutating func remove(_ position: Position) { remove(contentsOf: position.alone) }

    /// How many positions it has.
    var count: Int64 {
        ranges.reduce(0) {
            $0.addingSaturating($1.upperBound.number.subtractingSaturating($1.lowerBound.number))
        }
    }
}

/// Numbers that follow each other, at least one. Nothing overflows: a file may hold any numbers.
struct NumberRun: Hashable, Sendable {
    /// More runs than this are told as one, which may then hold numbers that are not missing.
    static let mostRuns = 16

    let first: Int64
    let last: Int64

    /// - Parameter last: counts as `first` where it is below.
    init(_ first: Int64, through last: Int64) {
        self.first = first
        self.last = max(first, last)
    }

    /// This number alone.
    init(_ number: Int64) { self.init(number, through: number) }

    /// `nil` where there are none.
    init?(_ first: Int64, before end: Int64) {
        guard first < end else { return nil }
        self.init(first, through: end - 1)
    }

    /// `nil` for none.
    init?(_ first: Int64, count: Int64) {
        self.init(first, before: first.addingSaturating(count))
    }

    /// The number that comes next.
    var end: Int64 { last.addingSaturating(1) }

    func contains(_ number: Int64) -> Bool { first <= number && number <= last }

    /// Whether both together are one run: `later` begins within this one or right after it, or reaches into it.
    func isContinued(by later: NumberRun) -> Bool {
        last < .max && later.first <= end && later.last >= first
    }

    /// From the first number of both to the last, with what is between them.
    func joined(with other: NumberRun) -> NumberRun {
        NumberRun(min(first, other.first), through: max(last, other.last))
    }

    /// What `found`, in rising order, leaves out.
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
