import HCI

/// When to try a failing disk again: after 1 s, then twice as long each time, at most a minute.
struct RetrySchedule: Hashable {
    static let first = TimeSpan.seconds(1)
    static let longest = TimeSpan.seconds(60)

    private var wait = first
    private(set) var due = Instant.distantFuture

    mutating func failed(at now: Instant) {
        due = now + wait
        wait = min(wait * 2, Self.longest)
    }

    mutating func succeeded() { self = RetrySchedule() }
}
