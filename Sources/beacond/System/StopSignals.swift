import Agent
import Core
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

/// Signals as something to wait for, whichever thread the kernel hands them to.
///
/// The handler only notes the signal and rings a bell, which both are allowed in a signal handler.
enum SignalBell {
    private static let pending = Atomic<UInt64>(0)
    private static let bell = try? Doorbell()

    /// From here on these signals are noted and do nothing else.
    static func install(_ signals: [Int32]) {
        // Made here, so that the handler never makes them.
        _ = pending.load(ordering: .relaxed)
        _ = bell
        for number in signals {
            signal(number) { number in
                SignalBell.pending.bitwiseOr(1 << UInt64(number & 63), ordering: .sequentiallyConsistent)
                SignalBell.bell?.ring()
            }
        }
    }

    /// Lets the signal do what it does by default, SIGTSTP for instance: stop the process until it is continued.
    static func actByDefault(_ number: Int32) {
        signal(number, SIG_DFL)
        // The threads that Swift runs commands on block signals, and a signal raised by a thread is its own.
        var (one, former) = (sigset_t(), sigset_t())
        sigemptyset(&one)
        sigaddset(&one, number)
        pthread_sigmask(SIG_UNBLOCK, &one, &former)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        install([number])
    }

    /// Waits until `deadline`, or until a signal comes. Returns those that came since the last call.
    static func wait(until deadline: Instant) -> Set<Int32> {
        var polled = pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        let left_ms = ((deadline - SystemClock.now).microseconds + 999) / 1_000
        poll(&polled, 1, Int32(clamping: max(0, left_ms)))
        bell?.answer()
        let mask = pending.exchange(0, ordering: .sequentiallyConsistent)
        return Set((1..<64).filter { mask & 1 << UInt64($0) != 0 }.map { Int32($0) })
    }
}
