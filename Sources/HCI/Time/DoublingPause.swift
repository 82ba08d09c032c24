/// Pauses between attempts that grow: each twice as long as the one before, within bounds.
public struct DoublingPause: Hashable, Sendable {
    private let range: ClosedRange<TimeSpan>
    private var upcoming: TimeSpan

    /// - Parameter range: the first pause, and the longest.
    public init(_ range: ClosedRange<TimeSpan>) {
        self.range = range
        upcoming = range.lowerBound
    }

    /// The pause before the next attempt.
    public mutating func next() -> TimeSpan {
        defer { upcoming = min(upcoming * 2, range.upperBound) }
        return upcoming
    }

    /// The next pause is the first again.
    public mutating func reset() { upcoming = range.lowerBound }
}
