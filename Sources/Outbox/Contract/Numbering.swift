/// Which number the next event gets.
public struct Numbering: Hashable, Sendable {
    /// Names one outbox's life: 26 characters that sort by the time it began.
    public var epoch: String
    /// From 1 within the epoch, without gaps.
    public var nextSequence: Int64

    public init(epoch: String, nextSequence: Int64) {
        self.epoch = epoch
        self.nextSequence = nextSequence
    }
}
