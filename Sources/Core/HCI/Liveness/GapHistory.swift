/// The gaps between the latest reports, for their median.
///
/// Recording one costs two stores. The median is only worked out once silence has lasted long enough to ask for it.
struct GapHistory: Sendable {
    /// An odd number, so that the median is one of the gaps.
    static let capacity = 31
    /// With fewer gaps than this there is no median: a single long gap says nothing about the air.
    static let minimum = 4

    /// In place: an array would be asked each time whether it is shared.
    private var gaps = InlineArray<31, Int64>(repeating: 0)
    private var count = 0
    private var next = 0

    mutating func append(_ gap: TimeSpan) {
        gaps[next] = max(0, gap.microseconds)
        next = next + 1 == Self.capacity ? 0 : next + 1
        if count < Self.capacity { count += 1 }
    }

    /// `nil` with fewer gaps than `minimum`.
    var median: TimeSpan? {
        guard count >= Self.minimum else { return nil }
        let sorted = (0..<count).map { gaps[$0] }.sorted()
        return TimeSpan(microseconds: sorted[count / 2])
    }
}
