/// Why an outbox cannot be used as asked. A failing disk is none of these: see `OutboxCondition`.
package enum OutboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process holds the state folder.
    case inUse(directory: String)
    /// A transaction's messages are not numbered from `expected` without a gap. Nothing of it was kept.
    case misnumbered(expected: Int64, found: Int64)

    package var description: String {
        switch self {
        case .inUse(let directory):
            "outbox: \(directory) is in use by another beacond; stop that one, or give this one its own state_dir"
        case .misnumbered(let expected, let found):
            "outbox: a message is numbered \(found) where \(expected) is next; build the transaction from the numbering it is given"
        }
    }
}
