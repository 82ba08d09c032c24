import CLinux
import Glibc
import Synchronization

/// One thread that does one piece of work. `join` waits for it; without `join` it goes on by itself after its owner is
/// gone.
package final class WorkerThread: Sendable {
    private final class Work {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private let thread: Mutex<pthread_t?>

    /// Starts at once. The thread blocks all signals, so that the other threads receive them.
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

    /// Waits for the work to end. The work itself must not call it.
    package func join() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { pthread_join(thread, nil) }
    }
}

/// Wakes a thread out of `poll` from any other thread.
package final class Doorbell: Sendable {
    /// Is readable while the bell rings; for `poll`.
    package let descriptor: Int32

    /// - Throws: `SystemError` where the process has no file descriptors left.
    package init() throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .last("eventfd") }
    }

    deinit { close(descriptor) }

    package func ring() { eventfd_write(descriptor, 1) }

    /// Silences the bell until it is rung again.
    package func answer() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The step, as the kernel names it: `bind`, `setsockopt HCI_FILTER`.
    var operation: String
    /// `errno`.
    var code: Int32
    /// The system's text for `code`.
    var reason: String

    init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
        reason = strerror(code).map { String(cString: $0) } ?? "unknown"
    }

    /// An error with the `errno` of the call that has just failed.
    static func last(_ operation: String) -> SystemError { SystemError(operation, code: errno) }

    package var description: String { "\(operation): \(reason) (errno \(code))" + (remedy.map { "; \($0)" } ?? "") }

    /// A remedy for the operator, where the process is at its limits.
    private var remedy: String? {
        switch code {
        case EMFILE, ENFILE: "allow more open files: ulimit -n, or LimitNOFILE= of the service"
        case ENOMEM: "allow more memory: ulimit -v, or LimitAS= and MemoryMax= of the service"
        case EAGAIN where operation == "pthread_create":
            "allow more threads and memory: ulimit -u and -v, or TasksMax= and LimitAS= of the service"
        default: nil
        }
    }
}

/// Asks a loop on another thread to end.
package final class StopRequest: Sendable {
    private let isRung = Atomic(false)
    private let bell: Doorbell

    package init() throws(SystemError) { bell = try Doorbell() }

    /// Readable once the request is made.
    var wake: Int32 { bell.descriptor }

    var isMade: Bool { isRung.load(ordering: .sequentiallyConsistent) }

    package func make() {
        isRung.store(true, ordering: .sequentiallyConsistent)
        bell.ring()
    }
}
