import Agent
import Core
import Glibc
import Synchronization

/// Records SIGINT and SIGTERM, so that a replay can finish its output before it ends.
///
/// A handler records them. Blocking would apply to one thread only, and the kernel would deliver them on the others.
struct StopSignals {
    private static let areNoted = Atomic(false)

    /// Begins to record the signals, which do nothing else any more.
    init() {
        // Initialised before the handler uses it: initialising takes a lock.
        Self.areNoted.store(false, ordering: .relaxed)
        for number in [SIGTERM, SIGINT] {
            signal(number) { number in
                StopSignals.areNoted.store(true, ordering: .relaxed)
                // Where the first does not help, because a reader takes no more, the second ends the process at once.
                signal(number, SIG_DFL)
            }
        }
    }

    /// Waits until `descriptor` has something to read, or is at its end.
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

/// Turns signals into something to wait for, whichever thread the kernel gives them to.
///
/// The handler only records the signal and rings a bell; a signal handler may do both.
enum SignalBell {
    private static let pending = Atomic<UInt64>(0)
    private static let bell = try? Doorbell()

    /// Begins to record these signals, which do nothing else any more.
    static func install(_ signals: [Int32]) {
        // Initialised here, so that the handler never does it.
        _ = pending.load(ordering: .relaxed)
        _ = bell
        for number in signals {
            signal(number) { number in
                SignalBell.pending.bitwiseOr(1 << UInt64(number & 63), ordering: .sequentiallyConsistent)
                SignalBell.bell?.ring()
            }
        }
    }

    /// Lets the signal have its default effect, such as SIGTSTP, which stops the process until it is continued.
    static func actByDefault(_ number: Int32) {
        signal(number, SIG_DFL)
        // Swift runs commands on threads that block signals, and a raised signal goes to its own thread.
        var (one, former) = (sigset_t(), sigset_t())
        sigemptyset(&one)
        sigaddset(&one, number)
        pthread_sigmask(SIG_UNBLOCK, &one, &former)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        install([number])
    }

    /// Waits until `deadline`, or until a signal comes. Returns the signals since the last call.
    static func wait(until deadline: Instant) -> Set<Int32> {
        var polled = pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        let left_ms = ((deadline - SystemClock.now).microseconds + 999) / 1_000
        poll(&polled, 1, Int32(clamping: max(0, left_ms)))
        bell?.answer()
        let mask = pending.exchange(0, ordering: .sequentiallyConsistent)
        return Set((1..<64).filter { mask & 1 << UInt64($0) != 0 }.map { Int32($0) })
    }
}
