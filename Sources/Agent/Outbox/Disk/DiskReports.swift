/// What there is to log of the disk: each fault once until the disk works again, and that it does.
struct DiskReports {
    private var saidCauses: Set<OutboxCondition.Cause> = []
    private var lines: [String] = []

    mutating func say(_ line: String) { lines.append(line) }

    mutating func say(_ condition: OutboxCondition) {
        if saidCauses.insert(condition.cause).inserted { lines.append(condition.description) }
    }

    /// The disk works.
    mutating func forgetFaults() { saidCauses = [] }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
