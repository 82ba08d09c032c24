import Core

/// How an outbox stands with its file.
enum DiskState {
    /// No file is open, and nothing has failed: in memory alone, before the first try, or closed.
    case detached
    /// What is committed reaches the file.
    case working(EventStore)
    /// What is committed stays in memory, and the disk is tried again. `reading` is the open file, where it can be read.
    case failing(OutboxCondition, reading: EventStore?)

    /// The open file, also where it can only be read at the moment.
    package var store: EventStore? {
        switch self {
        case .detached: nil
        case .working(let store): store
        case .failing(_, let store): store
        }
    }

    /// What keeps the outbox from its disk; `nil` where nothing does.
    var condition: OutboxCondition? {
        guard case .failing(let condition, _) = self else { return nil }
        return condition
    }

    var isWorking: Bool {
        guard case .working = self else { return false }
        return true
    }

    /// A file was opened. Whether the disk works again shows when everything is written.
    mutating func opened(_ store: EventStore) {
        if case .failing(let condition, _) = self {
            self = .failing(condition, reading: store)
        } else {
            self = .working(store)
        }
    }

    /// The file is closed.
    mutating func closed() {
        if case .failing(let condition, _) = self {
            self = .failing(condition, reading: nil)
        } else {
            self = .detached
        }
    }

    mutating func failed(_ condition: OutboxCondition) { self = .failing(condition, reading: store) }

    /// Everything is written.
    mutating func recovered() { self = store.map { .working($0) } ?? .detached }
}

/// Whether an outbox and the file in its folder have met: from then on the outbox knows best.
enum Meeting {
    /// Whoever made the outbox has not seen it yet, so it may go on from what the file holds.
    case atStart
    /// Numbers may have been given already.
    case later
    case done
}

/// What has to be mended of a file before it can be worked with. Each step is done once, however often the disk refuses in between.
enum Replacement {
    case none
    /// The damaged file stands under the outbox's name.
    case due
    /// It is set aside: further damage waits for the next try.
    case underWay
}

/// When to try a failing disk again: after 1 s, then twice as long each time, at most a minute.
struct RetrySchedule: Hashable {
    private var pause = DoublingPause(TimeSpan.seconds(1)...TimeSpan.seconds(60))
    private(set) var due = Instant.distantFuture

    mutating func failed(at now: Instant) {
        due = now + pause.next()
    }

    mutating func succeeded() { self = RetrySchedule() }
}
