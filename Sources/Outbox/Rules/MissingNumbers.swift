/// Which numbers of a range are not there.
enum MissingNumbers {
    /// More pieces than this are told as one range, which may then hold numbers that are not lost.
    static let mostPieces = 16

    /// The pieces of `expected` that `found`, in rising order, leaves out.
    static func ranges(of expected: Range<Int64>, without found: some Sequence<Int64>) -> [ClosedRange<Int64>] {
        var missing: [ClosedRange<Int64>] = []
        var next = expected.lowerBound
        for number in found where number >= next && number < expected.upperBound {
            if number > next { missing.append(next...(number - 1)) }
            next = number + 1
        }
        if next < expected.upperBound { missing.append(next...(expected.upperBound - 1)) }
        if missing.count > mostPieces, let first = missing.first, let last = missing.last {
            return [first.lowerBound...last.upperBound]
        }
        return missing
    }
}
