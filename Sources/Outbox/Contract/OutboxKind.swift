/// What a stored message is. Each kind has numbers of its own within an epoch.
public enum OutboxKind: Int64, CaseIterable, Sendable {
    /// A region event. `max_events` bounds how many wait.
    case event = 0
    /// A span of coverage. They are few, and their numbers are given on a working disk only: what a subscriber is told of an hour
    /// can wait until then.
    case coverage = 1
}

/// A message's number: with its kind and epoch it names the message for ever.
struct MessageNumber: Hashable {
    var epoch: String
    var kind: OutboxKind
    var seq: Int64
}
