/// Whether silence on the radio means anything: a beacon that is not heard by a blind radio has not left.
public enum RadioLiveness: Hashable, Sendable {
    /// What is not heard is not there.
    case live
    /// Silent for longer than usual, and no answer yet to the probe. `since` is the last moment at which it was known to hear.
    case suspect(since: Instant)
    /// Nothing can be heard. `since` is the last moment at which it was known to hear.
    case blind(since: Instant)
}
