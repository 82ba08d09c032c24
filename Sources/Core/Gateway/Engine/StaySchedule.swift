/// When the stays under way are stored: every minute while something is heard, so that after a crash an exit is inferred to the
/// minute.
package struct StaySchedule: Sendable {
    package static let interval = TimeSpan.seconds(60)
    private(set) var due = Instant.distantFuture

    /// A beacon of a region was heard.
    mutating func heard(at now: Instant) {
        if due == .distantFuture { due = now + Self.interval }
    }

    /// The next report sets it again: what was not heard since has nothing new to store.
    mutating func stored() { due = .distantFuture }
}
