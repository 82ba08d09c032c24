import Glibc
import Synchronization

/// One thread that does one piece of work. It is waited for with `join`, or goes on by itself once this is gone.
package final class WorkerThread: Sendable {
    private final class Work {
        let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }
    }

    private let thread: Mutex<pthread_t?>

    /// Starts at once, with all signals left to the other threads.
    ///
    /// - Throws: `SystemError` where no thread can be made.
    package init(_ body: sending @escaping () -> Void) throws(SystemError) {
        let work = Unmanaged.passRetained(Work(body))
        var (all, former) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError("pthread_create", code: code)
        }
        self.thread = Mutex(thread)
    }

    deinit {
        if let thread = thread.withLock(\.self) { pthread_detach(thread) }
    }

    /// Waits for the work to end. Must not be called from it.
    package func join() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { pthread_join(thread, nil) }
    }
}
