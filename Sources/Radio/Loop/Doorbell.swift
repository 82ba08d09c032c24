import CBluetooth
import Glibc

/// Wakes a thread out of `poll` from any other thread.
final class Doorbell: Sendable {
    let descriptor: Int32

    init() throws(RadioError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .last("eventfd") }
    }

    deinit { close(descriptor) }

    func ring() { eventfd_write(descriptor, 1) }

    /// Silences the bell until it is rung again.
    func answer() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
