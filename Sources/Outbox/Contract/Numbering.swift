/// Which number the next message of each kind gets.
public struct Numbering: Hashable, Sendable {
    /// Names one outbox's life: 26 characters that sort by the time it began.
    public var epoch: String
    /// The next event's, from 1 within the epoch, without gaps.
    public var nextSequence: Int64
    /// The next span of coverage's, likewise.
    public var nextSpan: Int64

    public init(epoch: String, nextSequence: Int64, nextSpan: Int64 = 1) {
        self.epoch = epoch
        self.nextSequence = nextSequence
        self.nextSpan = nextSpan
    }

    /// The next number of a kind.
    public subscript(kind: OutboxKind) -> Int64 {
        get {
            switch kind {
            case .event: nextSequence
            case .coverage: nextSpan
            }
        }
        set {
            switch kind {
            case .event: nextSequence = newValue
            case .coverage: nextSpan = newValue
            }
        }
    }
}
