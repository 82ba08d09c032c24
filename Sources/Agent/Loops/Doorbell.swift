import CLinux
import Glibc

/// Wakes a thread out of `poll` from any other thread.
package final class Doorbell: Sendable {
    /// Readable while the bell rings; for `poll`.
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
