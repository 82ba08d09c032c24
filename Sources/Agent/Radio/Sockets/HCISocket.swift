import CBluetooth
import Glibc

/// A raw HCI socket, non-blocking, closed with its last reference.
final class HCISocket {
    let descriptor: Int32

    init() throws(SystemError) {
        let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_BLUETOOTH, kind, BTPROTO_HCI)
        guard descriptor >= 0 else { throw .last("socket AF_BLUETOOTH") }
    }

    deinit { close(descriptor) }

    /// - Parameter index: the adapter; `nil` for the kernel's own events about all of them.
    func bind(index: UInt16?) throws(SystemError) {
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = index ?? UInt16(HCI_DEV_NONE)
        address.hci_channel = UInt16(HCI_CHANNEL_RAW)
        let size = socklen_t(MemoryLayout<sockaddr_hci>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
        }
        guard result == 0 else { throw .last("bind") }
    }

    func setFilter(_ filter: HCIFilter) throws(SystemError) {
        var value = filter.value
        let size = socklen_t(MemoryLayout<hci_filter>.size)
        guard setsockopt(descriptor, SOL_HCI, HCI_FILTER, &value, size) == 0 else {
            throw .last("setsockopt HCI_FILTER")
        }
    }

    /// The filter as the kernel has it, which may be less than what was set.
    func filter() throws(SystemError) -> HCIFilter {
        var value = hci_filter()
        var size = socklen_t(MemoryLayout<hci_filter>.size)
        guard getsockopt(descriptor, SOL_HCI, HCI_FILTER, &value, &size) == 0 else {
            throw .last("getsockopt HCI_FILTER")
        }
        return HCIFilter(value: value)
    }

    /// The error that woke `poll`; 0 where there is none.
    func pendingError() -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}
