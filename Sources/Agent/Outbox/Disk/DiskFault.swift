import Core

/// What a disk said when it refused, since when, and when it is tried again.
struct DiskFault: Hashable {
    /// How long a file may be unreadable before what can be read of it is saved, and the rest given up.
    static let longestUnreadable = TimeSpan.seconds(60)

    let condition: OutboxCondition
    let retry: RetrySchedule
    /// Since when the file can't be read to its end; `nil` where it can, or where nothing asked.
    let unreadableSince: Instant?

    /// - Parameter former: the fault before this one, since the disk worked last.
    init(_ condition: OutboxCondition, unreadableSince: Instant?, after former: DiskFault?, at now: Instant) {
        self.condition = condition
        self.unreadableSince = unreadableSince
        var retry = former?.retry ?? RetrySchedule()
        retry.failed(at: now)
        self.retry = retry
    }

    /// What an error means, and since when the file can't be read.
    ///
    /// SQLite takes a read that the disk refuses for a damaged file. But a disk may read again, and then nothing of the file is lost:
    /// only where it can be read to its end, or could not for a minute, is it damaged.
    ///
    /// - Parameters:
    ///   - refusal: What the disk says to a read to the end of the file; asked where the error is damage.
    ///   - since: Since when that has been so.
    static func judge(
        _ error: DiskError, refusal: DiskError?, since: Instant?, at now: Instant
    ) -> (error: DiskError, unreadableSince: Instant?) {
        guard error.isDamage else { return (error, since) }
        guard let refusal else { return (error, nil) }
        let since = since ?? now
        return (now - since < longestUnreadable ? refusal : error, since)
    }
}

/// When to try a failing disk again: after 1 s, then twice as long each time, at most a minute.
struct RetrySchedule: Hashable {
    private var pause = DoublingPause(TimeSpan.seconds(1)...TimeSpan.seconds(60))
    private(set) var due = Instant.distantFuture

    mutating func failed(at now: Instant) {
        due = now + pause.next()
    }
}

/// What there is to log of the disk: each fault once until the disk works again, and that it does.
struct DiskReports {
    private var saidCauses = SaidOnce<OutboxCondition.Cause>()
    private var lines: [String] = []

    mutating func say(_ line: String) { lines.append(line) }

    mutating func say(_ condition: OutboxCondition) {
        if saidCauses.isNew(condition.cause) { lines.append(condition.description) }
    }

    /// The disk works.
    mutating func forgetFaults() { saidCauses.forget() }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
