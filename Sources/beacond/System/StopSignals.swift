import Glibc
import Synchronization

/// SIGINT and SIGTERM, looked at when it suits: a replay keeps what is left before it ends.
///
/// A handler notes that one came. To block them in this thread would not do: the process has others, and one of those
/// would take the signal and die of it.
struct StopSignals {
    private static let hasCome = Atomic(false)

    /// From here on the signals are only noted.
    init() {
        // Made before a handler can need it.
        Self.hasCome.store(false, ordering: .relaxed)
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in StopSignals.hasCome.store(true, ordering: .relaxed) }
        }
    }

    var arePending: Bool { Self.hasCome.load(ordering: .relaxed) }
}
