import Glibc

/// SIGINT and SIGTERM, looked at when it suits: a replay keeps what is left before it ends.
struct StopSignals {
    /// From here on the signals only wait.
    init() {
        var signals = Self.signals
        sigprocmask(SIG_BLOCK, &signals, nil)
    }

    var arePending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
