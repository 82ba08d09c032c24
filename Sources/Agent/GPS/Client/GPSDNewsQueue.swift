/// News that wait to be taken. Whoever takes them is late by milliseconds as a rule; where he hangs, reports are shed first, and
/// of those the oldest: what counts is where the gateway is now.
struct GPSDNewsQueue: Sendable {
    package static let limit = 256

    private var news: [GPSDNews] = []
    private(set) var dropped: UInt64 = 0

    package var count: Int { news.count }

    /// Returns whether the queue was empty.
    mutating func push(_ new: GPSDNews) -> Bool {
        defer { news.append(new) }
        guard news.count >= Self.limit else { return news.isEmpty }
        dropped &+= 1
        news.remove(at: news.firstIndex(where: \.isOnlyOfItsMoment) ?? news.startIndex)
        return false
    }

    mutating func take() -> [GPSDNews] {
        defer { news.removeAll(keepingCapacity: true) }
        return news
    }
}

extension GPSDNews {
    /// Whether nothing that comes later depends on it.
    fileprivate var isOnlyOfItsMoment: Bool {
        switch self {
        case .report, .malformed, .complaint: true
        case .connected, .devices, .lost: false
        }
    }
}
