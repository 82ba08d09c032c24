/// Pauses between attempts that grow: each twice as long as the one before, within bounds.
package struct DoublingPause: Hashable, Sendable {
    private let range: ClosedRange<TimeSpan>
    private var upcoming: TimeSpan

    /// - Parameter range: the first pause, and the longest.
    package init(_ range: ClosedRange<TimeSpan>) {
        self.range = range
        upcoming = range.lowerBound
    }

    /// The pause before the next attempt.
    package mutating func next() -> TimeSpan {
        defer { upcoming = min(upcoming * 2, range.upperBound) }
        return upcoming
    }

    /// The next pause is the first again.
    package mutating func reset() { upcoming = range.lowerBound }
}
