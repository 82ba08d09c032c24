import Core

/// A refusal of the disk: its error, its beginning, and the time of the next retry.
struct DiskFault: Hashable {
    /// The time for which a file may be unreadable. Then the outbox saves its readable part and gives up the rest.
    static let longestUnreadable = TimeSpan.seconds(60)

    let condition: OutboxCondition
    let retry: RetrySchedule
    /// The time since which the file can't be read to its end; `nil` where it can be read, or where nothing tried.
    let unreadableSince: Instant?

    /// - Parameter former: the fault before this one, if the disk has not worked since.
    init(_ condition: OutboxCondition, unreadableSince: Instant?, after former: DiskFault?, at now: Instant) {
        self.condition = condition
        self.unreadableSince = unreadableSince
        var retry = former?.retry ?? RetrySchedule()
        retry.failed(at: now)
        self.retry = retry
    }

    /// Returns the meaning of an error, and the time since which the file can't be read.
    ///
    /// SQLite reports a read that the disk refuses as a damaged file. But the disk may recover, and then nothing of the
    /// file is lost. So the file counts as damaged only where it can be read to its end, or has been unreadable for a
    /// minute.
    ///
    /// - Parameters:
    ///   - refusal: the disk's error for a read of the whole file; asked where `error` is damage.
    ///   - since: the time since which the disk has refused that read.
    static func judge(
        _ error: DiskError, refusal: DiskError?, since: Instant?, at now: Instant
    ) -> (error: DiskError, unreadableSince: Instant?) {
        guard error.isDamage else { return (error, since) }
        guard let refusal else { return (error, nil) }
        let since = since ?? now
        return (now - since < longestUnreadable ? refusal : error, since)
    }
}

/// The retries of a failing disk: after 1 s, then after pauses that double up to a minute.
struct RetrySchedule: Hashable {
    private var pause = DoublingPause(TimeSpan.seconds(1)...TimeSpan.seconds(60))
    private(set) var due = Instant.distantFuture

    mutating func failed(at now: Instant) {
        due = now + pause.next()
    }
}

/// Log lines about the disk: each fault once until the disk works again, and then its recovery.
struct DiskReports {
    private var saidCauses = SaidOnce<OutboxCondition.Cause>()
    private var lines: [String] = []

    mutating func say(_ line: String) { lines.append(line) }

    mutating func say(_ condition: OutboxCondition) {
        if saidCauses.isNew(condition.cause) { lines.append(condition.description) }
    }

    /// Forgets the reported faults, once the disk works.
    mutating func forgetFaults() { saidCauses.forget() }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
