import Core

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
