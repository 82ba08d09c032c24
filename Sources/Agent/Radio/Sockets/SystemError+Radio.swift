import Core
import Glibc

extension SystemError {
    /// What the failure says about the adapter. `stalled` stands for everything that names no other cause.
    var availability: RadioAvailability { Self.availability(code: code) }

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
