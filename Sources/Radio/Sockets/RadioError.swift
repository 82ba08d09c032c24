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

    public var description: String { "\(operation): \(reason) (errno \(code))" }
}
