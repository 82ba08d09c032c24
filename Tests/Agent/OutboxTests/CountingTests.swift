import Core
import Testing

@testable import Agent

@Suite("Positions and numbers are counted in one place, and nothing overflows")
struct CountingTests {
    @Test("Positions follow each other; those before and after all are never reached")
    func order() {
        #expect(Position.beforeAll < .first && .first < Position.first.next && Position.first.next < .afterAll)
        #expect(Position.first.next == Position(2))
        #expect(Position.afterAll.next == .afterAll)
        #expect(Position(7).alone.contains(Position(7)) && !Position(7).alone.contains(Position(8)))
    }

    @Test("Messages found in the file stand before those of the process, in the file's order")
    func origins() {
        let origin = PositionOrigin(nextInFile: 41)
        #expect(origin == PositionOrigin(lastInFile: 40))
        #expect(origin.numberInFile(.first) == 41)
        #expect(origin.position(inFile: 40) < .first && origin.position(inFile: 41) == .first)
        #expect(origin.beforeFile < origin.position(inFile: 1))
        for number: Int64 in [1, 40, 41, 1 << 53] {
            #expect(origin.numberInFile(origin.position(inFile: number)) == number)
        }
        #expect(PositionOrigin.none.position(inFile: 1) == .first)
    }

    @Test("Any numbers of a file are some positions, and never trap")
    func hostile() {
        let farthest: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for last in farthest {
            for number in farthest {
                let origin = PositionOrigin(lastInFile: last)
                let position = origin.position(inFile: number)
                #expect(position.next >= position)
                #expect(origin.beforeFile <= .afterAll)
                _ = origin.numberInFile(position.next)
            }
        }
        #expect(PositionOrigin(nextInFile: .min) == PositionOrigin(lastInFile: .min))
    }

    @Test("A set of positions knows how many it has")
    func counted() {
        var positions = RangeSet<Position>()
        for number: Int64 in [3, 4, 9, -2] { positions.insert(Position(number)) }
        #expect(positions.count == 4)
        positions.remove(Position(4))
        #expect(positions.count == 3 && positions.contains(Position(3)) && !positions.contains(Position(4)))
        positions.insert(contentsOf: .beforeAll..<(.afterAll))
        #expect(positions.count == .max)
    }

    @Test("A run has at least one number")
    func runs() {
        #expect(NumberRun(3, before: 3) == nil && NumberRun(3, before: 2) == nil && NumberRun(3, count: 0) == nil)
        #expect(NumberRun(3, before: 5) == NumberRun(3, through: 4))
        #expect(NumberRun(3, count: 2) == NumberRun(3, through: 4))
        #expect(NumberRun(3, through: 1) == NumberRun(3))
        #expect(NumberRun(3).end == 4 && NumberRun(.max).end == .max)
        #expect(NumberRun(.max - 1, count: 9) == NumberRun(.max - 1))
    }

    @Test("Runs that touch or overlap are one; runs with a number between them are not")
    func joining() {
        let run = NumberRun(5, through: 9)
        for later in [NumberRun(10), NumberRun(9, through: 20), NumberRun(6), NumberRun(1, through: 5)] {
            #expect(run.isContinued(by: later))
        }
        for later in [NumberRun(11), NumberRun(1, through: 4)] { #expect(!run.isContinued(by: later)) }
        #expect(!NumberRun(.max).isContinued(by: NumberRun(.max)))
        #expect(run.joined(with: NumberRun(2, through: 3)) == NumberRun(2, through: 9))
    }

    @Test(
        "Missing numbers are those of the run that were not found; many runs of them are one",
        arguments: [
            (1...5, [1, 2, 3, 4, 5], []), (1...5, [], [1...5]), (1...5, [3], [1...2, 4...5]),
            (3...5, [1, 2, 4, 9], [3...3, 5...5]), (3...5, [5], [3...4]),
            (.max - 1 ... .max, [.max], [.max - 1 ... .max - 1]),
            (1...99, Array(stride(from: 2, to: 100, by: 2)), [1...99]),
        ] as [(ClosedRange<Int64>, [Int64], [ClosedRange<Int64>])])
    func missing(expected: ClosedRange<Int64>, found: [Int64], missing: [ClosedRange<Int64>]) {
        let runs = NumberRun(expected.lowerBound, through: expected.upperBound).missing(from: found)
        #expect(runs == missing.map { NumberRun($0.lowerBound, through: $0.upperBound) })
    }

    @Test("A series goes on after what it gave, each by itself")
    func numbering() {
        var numbering = Numbering(epoch: "A", next: [.events: 7])
        #expect(numbering.give(0, of: .events) == nil && numbering.give(-3, of: .events) == nil)
        #expect(numbering.give(3, of: .events) == NumberRun(7, through: 9))
        #expect(numbering[.events] == 10 && numbering[.batches] == 1)
        numbering.goOn(after: MessageNumber(epoch: "A", series: .batches, seq: 4))
        #expect(numbering[.events] == 10 && numbering[.batches] == 5)
        numbering.goOn(after: MessageNumber(epoch: "A", seq: .max))
        #expect(numbering[.events] == .max)
    }
}
