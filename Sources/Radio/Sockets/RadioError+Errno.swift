import Glibc
import HCI

extension RadioError {
    /// With the `errno` of the call that has just failed.
    static func last(_ operation: String) -> RadioError { RadioError(operation, code: errno) }

    init(_ operation: String, code: Int32) {
        self.init(operation: operation, code: code, reason: strerror(code).map { String(cString: $0) } ?? "unknown")
    }

    /// What the kernel means by an `errno` of an HCI socket.
    static func availability(code: Int32) -> RadioAvailability {
        switch code {
        case EPERM, EACCES: .unauthorized
        case ENETDOWN: .off
        case ERFKILL: .blocked
        // The adapter was unplugged, is not there, or the kernel has no Bluetooth.
        case EPIPE, ENODEV, ENOTCONN, EBADFD, EAFNOSUPPORT, EPROTONOSUPPORT: .absent
        default: .stalled
        }
    }
}
