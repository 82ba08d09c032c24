import HCI

/// When to try a failing disk again: after 1 s, then twice as long each time, at most a minute.
struct RetrySchedule: Hashable {
    private var pause = DoublingPause(TimeSpan.seconds(1)...TimeSpan.seconds(60))
    private(set) var due = Instant.distantFuture

    mutating func failed(at now: Instant) {
        due = now + pause.next()
    }

    mutating func succeeded() { self = RetrySchedule() }
}
