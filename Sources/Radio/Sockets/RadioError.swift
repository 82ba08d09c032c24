import Glibc
public import HCI

/// A system call on the radio that failed.
public struct RadioError: Error, Hashable, CustomStringConvertible {
    /// The step, as the kernel names it: `bind`, `setsockopt HCI_FILTER`.
    public var operation: String
    /// `errno`.
    public var code: Int32
    /// What the system says about `code`.
    public var reason: String

    /// What the failure says about the adapter. `stalled` stands for everything that names no other cause.
    public var availability: RadioAvailability { Self.availability(code: code) }

    public var description: String { "\(operation): \(reason) (errno \(code))" + (remedy.map { "; \($0)" } ?? "") }

    /// What to do about it, where it is no matter of the radio.
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
