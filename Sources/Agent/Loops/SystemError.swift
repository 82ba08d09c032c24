import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The step, as the kernel names it: `bind`, `setsockopt HCI_FILTER`.
    var operation: String
    /// `errno`.
    var code: Int32
    /// What the system says about `code`.
    var reason: String

    init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
        reason = strerror(code).map { String(cString: $0) } ?? "unknown"
    }

    /// With the `errno` of the call that has just failed.
    static func last(_ operation: String) -> SystemError { SystemError(operation, code: errno) }

    package var description: String { "\(operation): \(reason) (errno \(code))" + (remedy.map { "; \($0)" } ?? "") }

    /// What to do about it, where the process is at its limits.
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
