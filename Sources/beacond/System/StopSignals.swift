import Glibc
import Synchronization

/// SIGINT and SIGTERM, looked at when it suits: a replay keeps what is left before it ends.
///
/// A handler notes them. To block them would do on one thread only, and the process has others, where the kernel would
/// then deliver them.
struct StopSignals {
    private static let areNoted = Atomic(false)

    /// From here on the signals only wait.
    init() {
        // Made before a handler needs it: making it takes a lock.
        Self.areNoted.store(false, ordering: .relaxed)
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in StopSignals.areNoted.store(true, ordering: .relaxed) }
        }
    }

    var arePending: Bool { Self.areNoted.load(ordering: .relaxed) }
}
