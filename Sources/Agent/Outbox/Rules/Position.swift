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
