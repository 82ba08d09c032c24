import Core

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
