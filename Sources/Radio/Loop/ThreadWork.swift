import Glibc

/// A closure on its way to a new thread.
final class ThreadWork {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    /// Runs the closure on a new thread, with all signals left to the others.
    ///
    /// - Returns: 0, or the error of `pthread_create`.
    func spawn(_ thread: inout pthread_t) -> Int32 {
        let reference = Unmanaged.passRetained(self)
        var (all, former) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, reference.toOpaque())
        if code != 0 { reference.release() }
        return code
    }
}
