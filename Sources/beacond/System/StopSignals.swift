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
            signal(number) { number in
                StopSignals.areNoted.store(true, ordering: .relaxed)
                // Where the first does not help, because a reader takes nothing any more, the second ends it at once.
                signal(number, SIG_DFL)
            }
        }
    }

    /// Waits until there is something to read from `descriptor`, or its end.
    ///
    /// - Returns: `false` where a signal came first.
    func waitForInput(_ descriptor: Int32) -> Bool {
        while !arePending {
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Another thread may take the signal, so the wait is short.
            if poll(&input, 1, Self.round_ms) > 0 { return true }
        }
        return false
    }

    private static let round_ms: Int32 = 100

    var arePending: Bool { Self.areNoted.load(ordering: .relaxed) }
}
